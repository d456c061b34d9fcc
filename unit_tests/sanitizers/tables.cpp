// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SummedAreaTable.hpp>

#include <cstdint>

#include "mixture.hpp"

namespace wavescan::Test {
namespace {

/// @brief Images below each other, without gaps.
template <class Pixel, class T>
class Images {
 public:
  Images(int images, int rows, int columns)
      : images_(images),
        rows_(rows),
        pixels_("pixels", images * rows, columns),
        table_("table", images * rows, columns) {}

  Impl::TableProblem<Pixel, T> problem() const {
    const Index columns = static_cast<Index>(table_.extent(1));
    Impl::TableProblem<Pixel, T> p;
    p.image = {pixels_.data(), rows_, columns, columns, 1};
    p.table = {table_.data(), rows_, columns, columns, 1};
    p.images = images_;
    p.image_stride = p.table_stride = rows_ * columns;
    return p;
  }

 private:
  using Index = Impl::Index;
  Index images_;
  Index rows_;
  Kokkos::View<Pixel**, Kokkos::LayoutRight, Exec> pixels_;
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> table_;
};

template <class Pixel, class T>
void make_tables() {
  const Exec exec;
  const auto run = [&](const char* name, int images, int rows, int columns, const auto& enqueue) {
    const Images<Pixel, T> arrays(images, rows, columns);
    for (int launch = 0; launch < 2; ++launch) expect_done(enqueue(arrays.problem()), name);
  };
  for (const int blocks : {3, 7})
    run("strips", 1, 200, 1040, [&](const auto& p) {
      return Impl::GpuStripsTable<Pixel, T>(exec, 200, 1040, blocks).enqueue(exec, p);
    });
  for (const int width : {1, 17, 129}) {
    const int columns = width * static_cast<int>(16 / sizeof(T));
    run("tall", 1, 2300, columns, [&](const auto& p) {
      return Impl::TallTable<Pixel, T>(exec, 2300, columns, 65).enqueue(exec, p);
    });
  }
  for (const int width : {64, 128})
    run("tiles", 2, 200, 401, [&](const auto& p) {
      return Impl::GpuTable<Pixel, T>(exec, 200, 401, 2, width).enqueue(exec, p);
    });
  for (const int rows : {60, 400})
    run("resident", 1, rows, 384, [&](const auto& p) {
      return Impl::ResidentTable<Pixel, T>(exec, rows, 384, 1, 1000).enqueue(exec, p);
    });
  run("walk", 7, 65, 384, [&](const auto& p) {
    return Impl::WalkedTables<Pixel, T>::enqueue(exec, p, {2, 4});
  });
}

}  // namespace

void run_tables() {
  make_tables<float, float>();
  make_tables<std::uint8_t, std::uint32_t>();
}

}  // namespace wavescan::Test
