// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_MAKEPASSES_HPP
#define WAVESCAN_IMPL_FILTER_MAKEPASSES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/filter/WaveScan_FilterProblem.hpp>
#include <impl/filter/WaveScan_FiniteTiles.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_Pass.hpp>
#include <impl/filter/WaveScan_PortableFilter.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/host/WaveScan_HostFilter.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/filter/gpu/WaveScan_GpuFilter.hpp>
#endif
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
#include <impl/filter/gpu/WaveScan_TensorFilter.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

/// @file
/// @brief The passes that a filter is made of: which kernels they have. All kernels of filters are
/// behind these functions, which the library WaveScan::kernels has.

namespace wavescan::Impl::filter {

/// @brief Stands for the kernels of devices that have none of their own.
struct NoKernel {
  static constexpr double max_growth = 0;
  NoKernel() = default;
  NoKernel(const auto&, const auto&, const auto&, LineExtents) {}
  static bool exists() { return false; }
  static bool enqueue(const auto&, const auto&, const auto&) { return false; }
  static std::size_t bytes() { return 0; }
};

/// @brief One kernel, or another where there is none of the first kind.
template <class First, class Second>
class EitherKernel {
 public:
  static constexpr double max_growth = std::max(First::max_growth, Second::max_growth);

  EitherKernel() = default;
  EitherKernel(const auto& exec, const auto& form, const auto& transition, LineExtents extents)
      : first_(made<First>(exec, form, transition, extents)) {
    if (!first_.exists()) second_ = made<Second>(exec, form, transition, extents);
  }
  bool exists() const { return first_.exists() || second_.exists(); }
  bool enqueue(const auto& exec, const auto& form, const auto& problem) const {
    return first_.enqueue(exec, form, problem) || second_.enqueue(exec, form, problem);
  }
  std::size_t bytes() const { return first_.bytes() + second_.bytes(); }

 private:
  template <class Kernel>
  static Kernel made(const auto& exec, const auto& form, const auto& transition,
                     LineExtents extents) {
    if (transition.growth() > Kernel::max_growth) return {};
    return {exec, form, transition, extents};
  }

  First first_;
  Second second_;
};

template <ExecutionSpace Exec, class Form>
struct OwnKernel {
  using type = NoKernel;
};
template <ExecutionSpace Exec, class Form>
  requires(!runs_on_host<Exec> && !has_feedback<Form>)
struct OwnKernel<Exec, Form> {
  using type = FiniteTiles<Exec, Form>;
};
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
template <class Form>
  requires(has_tiled_filter<Form> || has_tensor_filter<Form>)
struct OwnKernel<Kokkos::Cuda, Form> {
  using Tensor = std::conditional_t<has_tensor_filter<Form>, GpuTensorFilter<Form>, NoKernel>;
  using Tiled = std::conditional_t<has_tiled_filter<Form>, GpuFilter<Form>, NoKernel>;
  using type = EitherKernel<Tensor, Tiled>;
};
#elif defined(WAVESCAN_HAS_GPU_KERNELS)
template <class Form>
  requires(has_tiled_filter<Form>)
struct OwnKernel<gpu::Device, Form> {
  using type = GpuFilter<Form>;
};
#endif

/// @brief A pass by a device's own kernel or, where there is none or it declines, the portable
/// ones.
template <ExecutionSpace Exec, class Form>
class PassOf final : public Pass<Exec, typename Form::value_type> {
  using T = typename Form::value_type;
  using Own = typename OwnKernel<Exec, Form>::type;

 public:
  WAVESCAN_SELDOM PassOf(const Exec& exec, const Form& form, LineExtents extents)
      : PassOf(exec, form, Transition<Form>(form), extents) {}
  void enqueue(const Exec& exec, const Problem<T>& problem) const override {
    if (!own_.enqueue(exec, form_, problem)) portable_.enqueue(exec, form_, problem);
  }
  bool has_own_kernel() const override { return own_.exists(); }
  std::size_t bytes() const override { return own_.bytes() + portable_.bytes(); }

 private:
  WAVESCAN_SELDOM PassOf(const Exec& exec, const Form& form, const Transition<Form>& transition,
                         LineExtents extents)
      : form_(form), portable_(exec, transition, extents) {
    if (transition.growth() <= Own::max_growth) own_ = Own(exec, form, transition, extents);
  }

  Form form_;
  Own own_;
  PortableFilter<Exec, Form> portable_;
};

/// @brief The pass for a form. Hosts have one that does all forms of numbers.
template <ExecutionSpace Exec, class Form, bool OnHost = runs_on_host<Exec>&& has_host_filter<Form>>
struct PassForForm {
  using type = PassOf<Exec, Form>;
};
template <ExecutionSpace Exec, class Form>
struct PassForForm<Exec, Form, true> {
  using type = HostPass<Exec, typename Form::value_type>;
};
template <ExecutionSpace Exec, class Form>
using PassFor = typename PassForForm<Exec, Form>::type;

template <ExecutionSpace Exec, class T>
using SharedPass = std::shared_ptr<const Pass<Exec, T>>;

template <ExecutionSpace Exec, class Form>
SharedPass<Exec, typename Form::value_type> pass_of(const Exec& exec, const Form& form,
                                                    LineExtents extents) {
  return std::make_shared<PassFor<Exec, Form>>(exec, form, extents);
}

/// @brief The pass of a transfer function.
template <ExecutionSpace Exec, class T>
SharedPass<Exec, T> direct_pass(const Exec& exec, const std::vector<double>& b,
                                const std::vector<double>& a, LineExtents extents) {
  return with_direct_form<T>(b, a, [&](const auto& form) { return pass_of(exec, form, extents); });
}

/// @brief A pass for as many of the first sections as can take one.
/// @param count how many those are
template <ExecutionSpace Exec, class T>
SharedPass<Exec, T> sections_pass(const Exec& exec, std::span<const SectionCoefficients> sos,
                                  LineExtents extents, std::size_t& count) {
  constexpr std::size_t most = max_sections<Exec, T>, always = max_sections_anyway<Exec, T>;
  const auto pass = [&](const auto& form) { return pass_of(exec, form, extents); };
  const auto some = sos.first(std::min(most, sections_with_feedback<T>(sos)));
  if (some.empty()) {
    const SectionCoefficients& s = sos.front();
    count = 1;
    return pass(finite_form<T>({s[0], s[1], s[2]}, {s[3], s[4], s[5]}));
  }
  count = some.size();
  const auto all = with_sections<T, most>(some, pass);
  if (count <= always || all->has_own_kernel()) return all;
  count = always;
  return with_sections<T, always>(some.first(always), pass);
}

}  // namespace wavescan::Impl::filter

#endif
