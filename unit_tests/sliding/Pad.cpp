// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_Pad.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "CheckSliding.hpp"

// Moves of rows to another pitch, in place and not, and shifts.

namespace sliding_pad {
namespace {

using namespace wavescan;
using namespace wavescan::Test;

struct Shape {
  std::int64_t rows, columns, padded, leading;
  std::string trace() const {
    return std::to_string(rows) + " rows of " + std::to_string(columns) + " to " +
           std::to_string(leading) + " + ... = " + std::to_string(padded);
  }
};

template <class T>
T numbered(std::int64_t i) {
  return element_of<T>(static_cast<unsigned>(i % 100), static_cast<std::uint64_t>(i));
}

/// What pad makes of rows: `filling` around them.
template <class T>
std::vector<T> padded_rows(const std::vector<T>& in, const Shape& s, const T& filling) {
  std::vector<T> out(static_cast<std::size_t>(s.rows * s.padded), filling);
  for (std::int64_t i = 0; i < s.rows; ++i)
    for (std::int64_t j = 0; j < s.columns; ++j)
      out[static_cast<std::size_t>(i * s.padded + s.leading + j)] =
          in[static_cast<std::size_t>(i * s.columns + j)];
  return out;
}

template <class T>
T marker() {
  T t;
  std::memset(static_cast<void*>(&t), 0xff, sizeof(T));
  return t;
}

template <class T, class Exec>
void check_shape(const Exec& exec, const Shape& s) {
  SCOPED_TRACE(s.trace() + " on " + exec.name() + " of " + std::to_string(exec.concurrency()));
  std::vector<T> in;
  for (std::int64_t i = 0; i < s.rows * s.columns; ++i) in.push_back(numbered<T>(i));
  const T filling = numbered<T>(7);
  const auto options = PadOptions().leading(s.leading);
  const auto full = padded_rows(in, s, filling);
  using Array = GuardedArray<T, Exec>;
  // To other memory, of all layouts, with a value and without.
  for (const Placement& from : {row_major(s.rows, s.columns), column_major(s.rows, s.columns)})
    for (const Placement& to :
         {row_major(s.rows, s.padded), column_major(s.rows, s.padded), spread(s.rows, s.padded)}) {
      const Array source(from, in), target(to), bare(to), back(from);
      pad(exec, source.matrix(), target.matrix(), options.fill(filling));
      EXPECT_TRUE(same_bits(target.values(), full));
      EXPECT_TRUE(target.guards_intact());
      pad(exec, source.matrix(), bare.matrix(), options);
      EXPECT_TRUE(same_bits(bare.values(), padded_rows(in, s, marker<T>())));
      EXPECT_TRUE(bare.guards_intact());
      unpad(exec, target.matrix(), back.matrix(), options);
      EXPECT_TRUE(same_bits(back.values(), in));
      EXPECT_TRUE(back.guards_intact());
    }
  // In place, forth and back.
  const auto check_in_place = [&]<class Layout>(Layout, bool by_rows) {
    const Array memory(by_rows ? row_major(s.rows, s.padded) : column_major(s.rows, s.padded));
    T* const data = memory.vector().data();
    using View = typename Array::template View<T**, Layout>;
    const auto rows = static_cast<std::size_t>(s.rows);
    const auto of_columns = [&](std::int64_t count) {
      const auto columns = static_cast<std::size_t>(count);
      if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>)
        return View(data,
                    by_rows ? Layout(rows, columns, columns, 1) : Layout(rows, 1, columns, rows));
      else
        return View(data, rows, columns);
    };
    const View narrow = of_columns(s.columns), padded = of_columns(s.padded);
    const Array source(row_major(s.rows, s.columns), in), result(row_major(s.rows, s.columns));
    for (const bool filled : {false, true}) {
      pad(exec, source.matrix(), narrow, PadOptions());
      if (filled) {
        pad(exec, narrow, padded, options.fill(filling));
        EXPECT_TRUE(same_bits(memory.values(), full));
      } else {
        pad(exec, narrow, padded, options);
      }
      unpad(exec, padded, result.matrix(), options);
      EXPECT_TRUE(same_bits(result.values(), in));
      unpad(exec, padded, narrow, options);
      unpad(exec, narrow, result.matrix(), PadOptions());
      EXPECT_TRUE(same_bits(result.values(), in));
      EXPECT_TRUE(memory.guards_intact());
    }
  };
  check_in_place(Kokkos::LayoutStride(), true);
  check_in_place(Kokkos::LayoutStride(), false);
  // Layouts become strides before anything is moved: elements of one type will do.
  if constexpr (std::is_same_v<T, std::int32_t>) {
    check_in_place(Kokkos::LayoutRight(), true);
    check_in_place(Kokkos::LayoutLeft(), false);
  }
}

TEST(Padding, OfAllShapes) {
  WantedCases wanted;
  for (const std::int64_t rows : {0, 1, 130, 409})
    for (const std::int64_t columns : {0, 1, 5, 201})
      for (const std::int64_t more : {0, 1, 50})
        for (const std::int64_t leading : {std::int64_t(0), std::int64_t(1), more}) {
          if (leading > more || !wanted.next()) continue;
          const Shape s{rows, columns, columns + more, leading};
          const Kokkos::DefaultExecutionSpace exec;
          check_shape<std::int32_t>(exec, s);
          if (rows < 200) check_shape<Blob<12>>(exec, s);
        }
}

TEST(Padding, OnEveryInstance) {
  for_each_instance([&](const auto& exec) {
    check_shape<double>(exec, {700, 97, 100, 2});
    check_shape<std::uint8_t>(exec, {3, 100003, 100019, 5});
    check_shape<Blob<33>>(exec, {999, 10, 11, 0});
  });
}

/// Several matrices, one after the other.
TEST(Padding, Batches) {
  const std::int64_t batches = 5, rows = 40, columns = 33, padded = 37, leading = 2;
  const auto extent = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  for_each_instance([&](const auto& exec) {
    using Exec = std::remove_cvref_t<decltype(exec)>;
    const GuardedArray<float, Exec> memory(line(batches * rows * padded));
    std::vector<float> values(extent(batches * rows * padded), 0.f);
    for (std::int64_t i = 0; i < batches * rows * columns; ++i)
      values[extent(i)] = static_cast<float>(i + 1);
    const GuardedArray<float, Exec> source(line(batches * rows * padded), values);
    using View = Kokkos::View<float***, Kokkos::LayoutRight,
                              Kokkos::Device<Exec, typename Exec::memory_space>,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    const auto expected =
        padded_rows(std::vector<float>(values.begin(), values.begin() + batches * rows * columns),
                    Shape{batches * rows, columns, padded, leading}, -1.f);
    float* const data = source.vector().data();
    const View narrow(data, extent(batches), extent(rows), extent(columns));
    const View wide(data, extent(batches), extent(rows), extent(padded));
    const View other(memory.vector().data(), extent(batches), extent(rows), extent(padded));
    const auto options = PadOptions().leading(leading).fill(-1.f);
    pad(exec, narrow, other, options);
    EXPECT_TRUE(same_bits(memory.values(), expected));
    pad(exec, narrow, wide, options);
    EXPECT_TRUE(same_bits(source.values(), expected));
    unpad(exec, wide, narrow, PadOptions().leading(leading));
    const auto back = source.values();
    for (std::int64_t i = 0; i < batches * rows * columns; ++i)
      ASSERT_EQ(back[extent(i)], values[extent(i)]);
    EXPECT_TRUE(source.guards_intact());
  });
}

/// By several threads of a host, however few there are and however late: moves far enough that some
/// blocks are copied and others go through stages, of matrices one after the other.
TEST(Padding, ByThreadsOfAHost) {
  namespace pad = wavescan::Impl::pad;
  const std::int64_t batches = 3;
  const std::int64_t rows = few_cases_wanted() ? 70 : 700;
  for (const Shape& s : {Shape{rows, 1501, 1502, 1}, Shape{rows, 1501, 1601, 7},
                         Shape{3 * rows, 401, 1009, 600}, Shape{3, 300007, 300011, 2}})
    for (const bool filled : {false, true})
      for (const std::int64_t threads : {1, 2, 5}) {
        SCOPED_TRACE(s.trace() + " by " + std::to_string(threads));
        std::vector<std::int32_t> in;
        for (std::int64_t i = 0; i < batches * s.rows * s.columns; ++i)
          in.push_back(static_cast<std::int32_t>(i + 1));
        const Shape whole{batches * s.rows, s.columns, s.padded, s.leading};
        std::vector<std::int32_t> memory = in;
        memory.resize(static_cast<std::size_t>(whole.rows * s.padded), -7);
        const auto move = [&](std::int32_t* from, std::int64_t pitch, std::int32_t* to,
                              std::int64_t new_pitch, bool fill) {
          pad::Box box;
          box.extent = {batches, s.rows, s.columns};
          box.in = {s.rows * pitch, pitch, 1};
          box.out = {s.rows * new_pitch, new_pitch, 1};
          box.join();
          pad::RunMargins margins;
          if (fill) {
            const std::int32_t value = -1;
            std::memcpy(margins.values, &value, margins.bytes = sizeof(value));
            margins.before = s.leading * 4;
            margins.behind = (s.padded - s.columns - s.leading) * 4;
          }
          using Chain = pad::HostPadKernel::Chain;
          std::vector<std::byte> words(static_cast<std::size_t>(Chain::bytes(1, threads, 0)));
          std::vector<std::byte> stages(
              static_cast<std::size_t>(threads * pad::HostPadKernel::block));
          const pad::HostPadKernel kernel(
              pad::runs_of(pad::Problem<std::int32_t>{from, to, box, {}, {}}),
              to > from ? pad::Direction::Up : pad::Direction::Down, margins,
              {words.data(), 1, threads, 0}, stages.data(), threads);
          std::vector<std::thread> team;
          for (std::int64_t t = 0; t < kernel.workers(); ++t)
            team.emplace_back([&, t] { kernel(t); });
          for (std::thread& thread : team) thread.join();
        };
        std::int32_t* const data = memory.data();
        move(data, s.columns, data + s.leading, s.padded, filled);
        const auto full = padded_rows(in, whole, -1);
        EXPECT_TRUE(!filled || same_bits(memory, full));
        move(data + s.leading, s.padded, data, s.columns, false);
        memory.resize(in.size());
        EXPECT_TRUE(same_bits(memory, in));
      }
}

/// By the kernels of devices that have none of their own, through a buffer for few elements.
TEST(Padding, Portably) {
  namespace pad = wavescan::Impl::pad;
  const std::int64_t rows = 50, columns = 7, padded = 9;
  for_each_instance([&](const auto& exec) {
    using Exec = std::remove_cvref_t<decltype(exec)>;
    for (const std::int64_t piece : {1, 8, 100, 1000}) {
      std::vector<std::int32_t> values(static_cast<std::size_t>(rows * padded), 0);
      for (std::int64_t i = 0; i < rows * columns; ++i)
        values[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
      const GuardedArray<std::int32_t, Exec> memory(line(rows * padded), values);
      std::int32_t* const data = memory.vector().data();
      const pad::PortablePad<Exec> plan(exec, piece, sizeof(std::int32_t));
      pad::Problem<std::int32_t> forth{
          data,
          data + 1,
          {},
          pad::Direction::Up,
          {true, -5, data, {1, rows, padded}, {0, padded, 1}, 1, columns}};
      forth.box.extent = {1, rows, columns};
      forth.box.in = {0, columns, 1};
      forth.box.out = {0, padded, 1};
      plan.enqueue(exec, forth);
      pad::enqueue_fill(exec, forth.margin);
      exec.fence();
      EXPECT_TRUE(same_bits(
          memory.values(),
          padded_rows(std::vector<std::int32_t>(values.begin(), values.begin() + rows * columns),
                      Shape{rows, columns, padded, 1}, -5)));
      pad::Problem<std::int32_t> back{data + 1, data, forth.box, pad::Direction::Down, {}};
      std::swap(back.box.in, back.box.out);
      plan.enqueue(exec, back);
      exec.fence();
      const auto got = memory.values();
      for (std::int64_t i = 0; i < rows * columns; ++i)
        ASSERT_EQ(got[static_cast<std::size_t>(i)], i);
      EXPECT_TRUE(memory.guards_intact());
    }
  });
}

TEST(Shifts, LeftAndRight) {
  Random random;
  SCOPED_TRACE(random.trace());
  WantedCases wanted;
  for (const std::int64_t n : {0, 1, 1000, 100003})
    for (const std::int64_t places : {0, 1, 17, 70000})
      for (const std::int64_t stride : {1, 3}) {
        if (!wanted.next()) continue;
        for_each_instance([&](const auto& exec) {
          SCOPED_TRACE(std::to_string(n) + " by " + std::to_string(places));
          using Exec = std::remove_cvref_t<decltype(exec)>;
          const auto in = random.values<std::int32_t>(n);
          auto left = in, right = in;
          if (places < n) {
            std::copy(in.begin() + places, in.end(), left.begin());
            std::copy(in.begin(), in.end() - places, right.begin() + places);
          }
          const GuardedArray<std::int32_t, Exec> a(line(n, stride), in), b(line(n, stride), in);
          shift_left(exec, a.vector(), places);
          shift_right(exec, b.vector(), places);
          EXPECT_TRUE(same_bits(a.values(), left));
          EXPECT_TRUE(same_bits(b.values(), right));
          EXPECT_TRUE(a.guards_intact());
          EXPECT_TRUE(b.guards_intact());
        });
      }
}

}  // namespace
}  // namespace sliding_pad
