// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_GPU_SWEEPS_HPP
#define WAVESCAN_IMPL_SOR3D_GPU_SWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/sor3d/WaveScan_Hyperplanes.hpp>
#include <impl/sor3d/WaveScan_Points.hpp>
#include <impl/sor3d/WaveScan_Problem.hpp>
#include <impl/sor3d/gpu/WaveScan_Pencils.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace wavescan::Impl::sor3d {

/// @brief Sweeps on NVIDIA GPUs: along pencils with the same coefficients everywhere and enough
/// shared memory, else by hyperplanes.
///
/// Memory: what pencils hand on, about half an array like x for four sweeps.
template <class T>
class PencilSweeps {
  using Exec = Kokkos::Cuda;

 public:
  template <class P>
  void sweep_to(const Exec& exec, const P& given, const Box<T>& to, int count, bool forward,
                bool backward) const {
    if constexpr (!P::varies)
      if (has_pencils(exec)) {
        if (count > 0 && !given.empty()) sweep_pencils(exec, given, to, count, forward, backward);
        return;
      }
    hyperplanes_.sweep_to(exec, given, to, count, forward, backward);
  }
  template <class P>
  void reserve(const Exec& exec, const P& p) const {
    if constexpr (!P::varies)
      if (!p.empty() && has_pencils(exec))
        for_shape(most_sweeps, [&](auto shape) { make_room(exec, shape, in_order(p)); });
  }

 private:
  static constexpr int most_sweeps = 4;
  static constexpr std::size_t largest_memory = 227 * 1024;  ///< of a block, shared
  using P = ConstantProblem<T>;

  static bool has_pencils(const Exec& exec) {
    static_assert(sizeof(PencilMemory<T, PencilShape<4>>) <= largest_memory);
    static_assert(sizeof(PencilMemory<T, PencilShape<2>>) <= largest_memory);
    static_assert(sizeof(PencilMemory<T, PencilShape<1>>) <= largest_memory);
    return gpu::device_path(Operation::ConstantSOR3D, exec) != DevicePath::Portable &&
           gpu::device_properties(exec).sharedMemPerBlockOptin >= largest_memory;
  }

  void sweep_pencils(const Exec& exec, const P& given, const Box<T>& to, int count, bool forward,
                     bool backward) const {
    Box<T> from = given.x;
    if (from.data != to.data) copy_halo(exec, read_only(from), to);
    P p = given;
    p.x = to;
    if (!p.rhs.data) set_coefficient_of_nothing(p.coefficients);
    const auto enqueue = [&](int sweeps, bool backwards) {
      for_shape(sweeps, [&](auto shape) { launch(exec, shape, p, from, backwards); });
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

  template <class Use>
  static void for_shape(int sweeps, const Use& use) {
    if (sweeps == 4) use(PencilShape<4>());
    if (sweeps == 2) use(PencilShape<2>());
    if (sweeps == 1) use(PencilShape<1>());
  }

  static P in_order(const P& p) { return has_closer_planes(p.x) ? exchanged(p) : p; }

  template <class Shape>
  PencilPass<T> make_room(const Exec& exec, Shape, const P& p) const {
    PencilPass<T> pass{};
    const auto lines = [](Index unknowns) { return unknowns + Shape::sweeps + 1; };
    pass.pencils_down = static_cast<int>(ceil_div(lines(p.interior_planes()), Shape::height));
    pass.pencils_across = static_cast<int>(ceil_div(lines(p.interior_rows()), Shape::width));
    const Index steps = p.x.columns + Shape::height + Shape::width - 2;
    pass.steps = static_cast<int>(ceil_div(steps, Shape::chunk) * Shape::chunk);
    const Index pencils = Index(pass.pencils_down) * pass.pencils_across;
    enlarge(exec, faces_, "WaveScan::sor3d::faces",
            pencils * pass.steps * Shape::values * Shape::face);
    enlarge(exec, counters_, "WaveScan::sor3d::counters", pencils + 1);
    pass.faces = faces_.data();
    pass.ticket = counters_.data();
    pass.done = counters_.data() + 1;
    return pass;
  }

  template <class Shape>
  void launch(const Exec& exec, Shape shape, const P& given, const Box<T>& given_from,
              bool backwards) const {
    const bool exchanges = has_closer_planes(given.x);
    P p = in_order(given);
    Box<T> from = exchanges ? exchanged(given_from) : given_from;
    if (backwards) {
      p = reversed(p);
      from = reversed(from);
    }
    PencilPass<T> pass = make_room(exec, shape, p);
    pass.c = p.coefficients;
    pass.from = read_only(from);
    pass.x = p.x;
    pass.rhs = p.rhs;
    Kokkos::deep_copy(exec, counters_, Index(0));
    const Index pencils = Index(pass.pencils_down) * pass.pencils_across;
    const auto kernel =
        exchanges ? &relax_pencils<T, Shape, true> : &relax_pencils<T, Shape, false>;
    constexpr std::size_t bytes = sizeof(PencilMemory<T, Shape>);
    const Index resident = gpu::resident_blocks(exec, kernel, Shape::threads, bytes);
    gpu::launch({exec, "WaveScan::sor3d::pencils", false}, kernel, std::min(pencils, resident),
                Shape::threads, bytes, pass);
  }

  template <class View>
  static void enlarge(const Exec& exec, View& view, const char* name, Index size) {
    const auto needed = static_cast<std::size_t>(size);
    if (view.size() < needed)
      view = View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(name)), needed);
  }

  HyperplaneSweeps<Exec, T> hyperplanes_;
  mutable Kokkos::View<T*, Exec::memory_space> faces_;
  mutable Kokkos::View<Index*, Exec::memory_space> counters_;
};

}  // namespace wavescan::Impl::sor3d

#endif
