// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_Scan.hpp>

#include "Distributed.hpp"

namespace distributed {
namespace {

namespace Impl = wavescan::Impl;

template <class T>
void parts(const std::string& type, std::int64_t n) {
  using Recurrence = Impl::PlainRecurrence<wavescan::Plus<T>>;
  const Exec exec;
  const Kokkos::View<T*> in("in", extent(n)), out("out", in.size());
  const Impl::LineExtents extents{1, n};
  const Impl::ScanWorkspace<Exec, T, T> workspace(exec, extents);
  const Impl::LineSegments<Exec, Recurrence> segments(exec, extents);
  const auto problem =
      Impl::make_scan_problem<Exec>("perf", Impl::ScanKind::Inclusive, extents, Recurrence{}, {},
                                    in, out, wavescan::ScanOptions<>());
  const Kokkos::View<T*> segment("segment", 1);
  print_part("reduction of a block, " + type,
             seconds_of([&] { segments.enqueue(exec, workspace, problem, segment.data()); }));
  print_part("scan of a block, " + type,
             seconds_of([&] { Impl::enqueue_scan(workspace, exec, problem); }));
}

}  // namespace

void parts_of_scans(std::int64_t n) {
  parts<float>("float", n);
  parts<double>("double", n);
}

namespace {

template <class T>
void scan(const char* type, std::int64_t n) {
  using Plus = wavescan::Plus<T>;
  const Kokkos::View<T*> in("in", extent(n)), out("out", in.size());
  const wavescan::mpi::Scan<Exec, Plus> on_world(world, Exec(), 1, n), on_self(self, Exec(), 1, n);
  const wavescan::Scan<Exec, Plus> plain(Exec(), 1, n);
  // The block is read once more, of three times that it goes through memory.
  report(
      std::string("inclusive scan, ") + type,
      [&](MPI_Comm comm) { (comm == world ? on_world : on_self).inclusive(in, out); },
      [&] { plain.inclusive(in, out); }, processes > 1 ? 2.0 / 3 : 1);
}

}  // namespace

void scans(std::int64_t n) {
  scan<float>("float", n);
  scan<double>("double", n);
}

}  // namespace distributed
