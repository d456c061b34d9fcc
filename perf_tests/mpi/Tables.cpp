// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_SummedAreaTable.hpp>

#include "Distributed.hpp"

namespace distributed {
namespace {

template <class Pixel, class T>
void parts(const std::string& type, std::int64_t n) {
  const auto comm = wavescan::Impl::mpi::Communicator::duplicate("perf", world);
  const wavescan::Impl::mpi::Transport<Exec> transport(Exec(), comm);
  const Matrix<const Pixel> image = Matrix<Pixel>("image", extent(n), extent(n));
  const wavescan::Impl::mpi::ColumnSums<Exec, Pixel, T> sums(transport, n, n);
  print_part("sums over the columns of an image, " + type,
             seconds_of([&] { sums.reduce(transport, wavescan::grid_of(image)); }));
  print_part("sums over the columns above, " + type,
             seconds_of([&] { sums.above(transport, true); }));
}

}  // namespace

void parts_of_tables(std::int64_t n) {
  parts<std::uint8_t, std::uint32_t>("8 to 32 bits", n);
  parts<float, float>("float", n);
}

namespace {

template <class Pixel, class T>
void table(const char* type, std::int64_t n) {
  const Matrix<Pixel> image("image", extent(n), extent(n));
  const Matrix<T> table("table", extent(n), extent(n));
  const wavescan::mpi::SummedAreaTable<Exec, Pixel, T> on_world(world, Exec(), n, n),
      on_self(self, Exec(), n, n);
  const wavescan::SummedAreaTable<Exec, Pixel, T> plain(Exec(), n, n);
  // The image is read once more.
  constexpr double bytes = sizeof(Pixel) + sizeof(T), more = sizeof(Pixel);
  report(
      std::string("summed-area table, ") + type,
      [&](MPI_Comm comm) {
        (comm == world ? on_world : on_self)(image, table);
        Kokkos::fence();
      },
      [&] { plain(image, table); }, processes > 1 ? bytes / (bytes + more) : 1);
}

}  // namespace

void tables(std::int64_t n) {
  table<std::uint8_t, std::uint32_t>("8 to 32 bits", n);
  table<float, float>("float", n);
}

}  // namespace distributed
