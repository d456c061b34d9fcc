// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_PASS_HPP
#define WAVESCAN_IMPL_FILTER_PASS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/filter/WaveScan_Portable.hpp>
#include <impl/filter/WaveScan_Problem.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/host/WaveScan_HostFilter.hpp>
#if defined(KOKKOS_ENABLE_CUDA)
#include <impl/filter/gpu/WaveScan_GpuFilter.hpp>
#endif

#include <concepts>
#include <cstddef>

/// @file
/// @brief A filter's pass over memory: its form and its workspace, behind one interface for all
/// orders.

namespace wavescan::Impl::filter {

template <ExecutionSpace Exec, class T>
class Pass {
 public:
  Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  virtual ~Pass() = default;
  virtual void enqueue(const Exec& exec, const Problem<T>& problem) const = 0;
  virtual std::size_t bytes() const = 0;
};

/// @brief Stands for the kernels of devices that have none of their own.
struct NoKernel {
  static constexpr double max_growth = 0;
  NoKernel() = default;
  NoKernel(const auto&, const auto&, LineExtents) {}
  static bool enqueue(const auto&, const auto&, const auto&) { return false; }
  static std::size_t bytes() { return 0; }
};
template <ExecutionSpace Exec, class Form>
struct OwnKernel {
  using type = NoKernel;
};
template <ExecutionSpace Exec, class Form>
  requires(runs_on_host<Exec>&& HostFilter<Exec, Form>::exists)
struct OwnKernel<Exec, Form> {
  using type = HostFilter<Exec, Form>;
};
#if defined(KOKKOS_ENABLE_CUDA)
template <class Form>
  requires(GpuFilter<Form>::exists)
struct OwnKernel<Kokkos::Cuda, Form> {
  using type = GpuFilter<Form>;
};
#endif

template <ExecutionSpace Exec, class Form>
class PassOf final : public Pass<Exec, typename Form::value_type> {
  using T = typename Form::value_type;
  using Own = typename OwnKernel<Exec, Form>::type;

 public:
  PassOf(const Exec& exec, const Form& form, LineExtents extents)
      : PassOf(exec, form, Transition<Form>(form), extents) {}
  void enqueue(const Exec& exec, const Problem<T>& problem) const override {
    if (!own_.enqueue(exec, form_, problem)) portable_.enqueue(exec, form_, problem);
  }
  std::size_t bytes() const override { return own_.bytes() + portable_.bytes(); }

 private:
  PassOf(const Exec& exec, const Form& form, const Transition<Form>& transition,
         LineExtents extents)
      : form_(form), portable_(exec, transition, extents) {
    if (transition.growth() <= Own::max_growth) own_ = Own(exec, transition, extents);
  }

  Form form_;
  Own own_;
  PortableFilter<Exec, Form> portable_;
};

}  // namespace wavescan::Impl::filter

#endif
