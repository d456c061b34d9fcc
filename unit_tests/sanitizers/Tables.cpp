// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SummedAreaTable.hpp>

#include <cstdint>
#include <utility>

#include "Mixture.hpp"

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

  Impl::sat::TableProblem<Pixel, T> problem() const {
    const Index columns = static_cast<Index>(table_.extent(1));
    Impl::sat::TableProblem<Pixel, T> p;
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
  using namespace Impl::sat;
  using Types = TableTypes<Pixel, T>;
  const Exec exec;
  const auto run = [&](const char* name, const TableShape& s, int blocks, const auto& decompose) {
    Decompositions d{.shape = s, .blocks = blocks};
    decompose(d);
    const GpuTable<Types> tables(exec, d, d);
    const Images<Pixel, T> arrays(static_cast<int>(s.images), static_cast<int>(s.rows),
                                  static_cast<int>(s.columns));
    for (int launch = 0; launch < 2; ++launch)
      expect_done(tables.enqueue(exec, arrays.problem()), name);
  };
  // Schemes are forced: on those GPUs alone that they are for.
  if constexpr (Impl::gpu::mover != Impl::gpu::Mover::Plain)
    for (const int blocks : {3, 7})
      run("strips", {1, 200, 1040}, blocks,
          [](auto& d) { d.strips = Strips::of<Types>(d.shape, d.blocks); });
  for (const int width : {64, 128})
    if (GpuTable<Types>::has_tiles(width))
      run("tiles", {2, 200, 401}, 65, [=](auto& d) { d.template divide_into_tiles<Types>(width); });
  if constexpr (Impl::gpu::has_hopper_memory) {
    for (const auto& [rows, blocks] : {std::pair(60, 65), {400, 6}})
      run("resident", {1, rows, 384}, blocks,
          [](auto& d) { d.resident = Resident::of<Types>(d.shape, d.blocks); });
    for (const int columns : {384, 381})
      run("walk", {7, 65, columns}, 65, [](auto& d) { d.walk = Walk::with<Types>(d.shape, 2, 4); });
  }
}

}  // namespace

void run_tables() {
  make_tables<float, float>();
  make_tables<std::uint8_t, std::uint32_t>();
}

}  // namespace wavescan::Test
