// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_GPU_PENCILSWEEPS_HPP
#define WAVESCAN_IMPL_SOR3D_GPU_PENCILSWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/sor/WaveScan_BackendTraits.hpp>
#include <impl/sor/WaveScan_MaskEncoding.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_SecondArray.hpp>
#include <impl/sor/WaveScan_WorkMemory.hpp>
#include <impl/sor3d/WaveScan_BoxProblem.hpp>
#include <impl/sor3d/WaveScan_Hyperplanes.hpp>
#include <impl/sor3d/gpu/WaveScan_Bundles.hpp>
#include <impl/sor3d/gpu/WaveScan_Pencils.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace wavescan::Impl::sor3d {

/// @brief Sweeps on NVIDIA GPUs: along pencils, single ones along bundles, with the same
/// coefficients everywhere, else by hyperplanes.
///
/// Memory: what pencils hand on, about 0.7 of an array like x for four sweeps; with a mask another
/// such array.
template <class T>
class PencilSweeps {
  using Exec = Kokkos::Cuda;

 public:
  using Selected = sor::SelectedAlgorithm;
  template <class P>
  Selected select(const Exec&, const P& p, const Box<T>&, const sor::SweepRequest&) const {
    return {has_pencils(p) ? SORAlgorithm::Pencils : SORAlgorithm::Hyperplanes};
  }
  /// @brief Enqueues sweeps, at least one, of unknowns, at least one.
  template <class P>
  void run(const Exec& exec, [[maybe_unused]] const Selected& selected, const P& given,
           const Box<T>& to, const sor::SweepRequest& r) const {
    if constexpr (P::varies)
      if (selected.algorithm == SORAlgorithm::Hyperplanes)
        return hyperplanes_.run(exec, selected, given, to, r);
    sweep_pencils(exec, given, to, r.count, r.forward, r.backward);
  }
  template <class P>
  bool reserve(const Exec& exec, const P& p, const sor::SweepRequest&, bool measured) const {
    if (has_pencils(p)) {
      BoxPass<T> pass{};
      pass.x = in_order(p.x);
      make_room<Pencil<T, most_sweeps, false>>(exec, pass);
      if constexpr (P::varies) encoded_.like(exec, p.x);
    }
    return !measured;
  }
  void throw_if_stuck() const {}

 private:
  template <class Memory>
  static constexpr bool fits = sizeof(Memory) <= gpu::block_memory;
  template <int Sweeps>
  static constexpr bool pencil_fits = fits<PencilMemory<T, PencilShape<T, Sweeps>>>;
  static constexpr int most_sweeps = pencil_fits<4> ? 4 : pencil_fits<2> ? 2 : 1;
  static_assert(pencil_fits<most_sweeps>);
  /// Bundles' loads are many, and would not be under way at once without asynchronous copies.
  static constexpr bool has_bundles = fits<BundleMemory<T>> && gpu::mover != gpu::Mover::Plain;

  template <class P>
  static bool has_pencils(const P& p) {
    bool constant = true;
    if constexpr (P::varies)
      sor::for_each_coefficient(p.coefficients, [&](auto, const Field<T>& field) {
        constant = constant && field.values.data == nullptr;
      });
    return constant;
  }

  template <class P>
  void sweep_pencils(const Exec& exec, const P& given, const Box<T>& to, int count, bool forward,
                     bool backward) const {
    Box<T> from = given.x;
    if (from.data != to.data) copy_halo(exec, from, to);
    ConstantProblem<T> p{sor::coefficients_at(given.coefficients, 0, 0, 0), to, given.rhs};
    // Made for each call: what masks and right-hand sides hold may change in between.
    if constexpr (P::varies) p.rhs = encoded_rhs(exec, given, encoded_);
    if (!given.rhs.data) sor::neutralise_missing_rhs(p.coefficients);
    const auto enqueue = [&](int sweeps, bool backwards) {
      const auto launch_pencils = [&]<int Sweeps>(std::integral_constant<int, Sweeps>) {
        if (sweeps != Sweeps) return;
        if constexpr (Sweeps == 1 && has_bundles)
          if (prefers_bundles(p.x)) return launch<Bundle<T, P::varies>>(exec, p, from, backwards);
        if constexpr (Sweeps <= most_sweeps)
          launch<Pencil<T, Sweeps, P::varies>>(exec, p, from, backwards);
      };
      launch_pencils(std::integral_constant<int, 4>());
      launch_pencils(std::integral_constant<int, 2>());
      launch_pencils(std::integral_constant<int, 1>());
      from = to;
    };
    if (forward && backward) {
      for (int k = 0; k < count; ++k) {
        enqueue(1, false);
        enqueue(1, true);
      }
    } else {
      for (int sweeps = most_sweeps; sweeps >= 1; sweeps /= 2)
        for (; count >= sweeps; count -= sweeps) enqueue(sweeps, backward);
    }
  }

  /// @brief Whether a single sweep goes along bundles rather than pencils.
  ///
  /// The last of either begin when others have handed on all the way: bundles after about 6 steps
  /// for each plane, 2 for each row and 1 for each column. So they are faster where columns are
  /// many, and in boxes so large that all multiprocessors are busy for most of the time; there they
  /// move two thirds of the bytes that pencils move. The bounds are fitted to times on an H100.
  static bool prefers_bundles(const Box<T>& given) {
    const Box<T> x = in_order(given);
    const Index steps = 6 * x.planes + 2 * x.rows + x.columns;
    const bool has_many_columns = x.planes <= 130 && 9 * x.planes + 2 * x.rows <= 11 * x.columns;
    return has_many_columns || x.planes * x.rows * x.columns >= 12000 * steps;
  }

  static Box<T> in_order(const Box<T>& x) { return is_transposed_in_memory(x) ? transposed(x) : x; }

  /// @brief Divides a pass into tasks, and makes room for what they hand on.
  template <class Task>
  void make_room(const Exec& exec, BoxPass<T>& pass) const {
    Task::plan(pass);
    if constexpr (Task::hands_on_faces)
      pass.faces = faces_.template uncleared_room<char>(
          exec, "WaveScan::sor3d::faces",
          pass.tasks() * pass.chunks * Index(sizeof(typename Task::Memory::Faces)));
    pass.ticket = counters_.template uncleared_room<Index>(exec, "WaveScan::sor3d::counters",
                                                           pass.tasks() + 1);
    pass.done = pass.ticket + 1;
  }

  /// @brief Enqueues a pass over the problem in the order in which it is swept: with planes farther
  /// from each other than columns.
  template <class Task>
  void launch(const Exec& exec, ConstantProblem<T> p, Box<T> from, bool backwards) const {
    if (backwards) {
      p = reversed(p);
      from = reversed(from);
    }
    BoxPass<T> pass{};
    pass.c = p.coefficients;
    pass.transposed = is_transposed_in_memory(p.x);
    if (pass.transposed) {
      p = transposed(p);
      from = transposed(from);
    }
    pass.from = read_only(from);
    pass.x = p.x;
    pass.rhs = p.rhs;
    make_room<Task>(exec, pass);
    gpu::check(
        cudaMemsetAsync(pass.ticket, 0, (pass.tasks() + 1) * sizeof(Index), exec.cuda_stream()),
        "cudaMemsetAsync");
    constexpr auto kernel = relax_box<T, Task>;
    constexpr int threads = Task::Shape::threads;
    constexpr std::size_t bytes = sizeof(typename Task::Memory);
    const Index resident = gpu::resident_blocks(exec, kernel, threads, bytes);
    gpu::launch({exec, Task::name, false}, kernel, std::min(pass.tasks(), resident), threads, bytes,
                pass);
  }

  HyperplaneSweeps<Exec, T> hyperplanes_;
  sor::SecondArray<Exec, T> encoded_;
  sor::WorkMemory<Exec> faces_, counters_;
};

}  // namespace wavescan::Impl::sor3d

#endif
