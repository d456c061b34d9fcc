// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_MAKEPASSES_HPP
#define WAVESCAN_IMPL_FILTER_MAKEPASSES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/filter/WaveScan_FilterPass.hpp>
#include <impl/filter/WaveScan_FilterProblem.hpp>
#include <impl/filter/WaveScan_FilterSelection.hpp>
#include <impl/filter/WaveScan_FiniteTiles.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
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

/// @brief Stands for kernels that a device, or a form, has not.
struct NoKernel {
  static constexpr FilterLimits limits{};
  NoKernel() = default;
  NoKernel(const auto&, const auto&, const auto&, LineExtents) {}
  static void enqueue(const auto&, const auto&, const auto&) {}
  static std::size_t bytes() { return 0; }
};

template <ExecutionSpace Exec, class Form>
using FiniteKernel = std::conditional_t<!runs_on_host<Exec> && !has_feedback<Form>,
                                        FiniteTiles<Exec, Form>, NoKernel>;
#if defined(WAVESCAN_HAS_GPU_KERNELS)
template <ExecutionSpace Exec, class Form>
using TiledKernel =
    std::conditional_t<runs_on_gpu<Exec> && has_tiled_filter<Form>, GpuFilter<Form>, NoKernel>;
#else
template <ExecutionSpace, class>
using TiledKernel = NoKernel;
#endif
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
template <ExecutionSpace Exec, class Form>
using TensorTiledKernel = std::conditional_t<runs_on_gpu<Exec> && has_tensor_filter<Form>,
                                             GpuTensorFilter<Form>, NoKernel>;
#else
template <ExecutionSpace, class>
using TensorTiledKernel = NoKernel;
#endif

/// @brief A pass by the kernels of the algorithm that WaveScan_FilterSelection.hpp selects.
template <ExecutionSpace Exec, class Form>
class PassOf final : public FilterPass<Exec, typename Form::value_type> {
  using T = typename Form::value_type;
  using Finite = FiniteKernel<Exec, Form>;
  using Tiled = TiledKernel<Exec, Form>;
  using Tensor = TensorTiledKernel<Exec, Form>;

 public:
  WAVESCAN_SELDOM PassOf(const Exec& exec, const Form& form, LineExtents extents)
      : PassOf(exec, form, Transition<Form>(form), extents) {}
  void enqueue(const Exec& exec, const Problem<T>& problem) const override {
    FilterRequest request = request_;
    request.movable = can_move(problem);
    switch (select_algorithm(request, device_)) {
      case FilterAlgorithm::TensorTiles:
        return tensor_.enqueue(exec, form_, problem);
      case FilterAlgorithm::Tiles:
        return tiled_.enqueue(exec, form_, problem);
      case FilterAlgorithm::FiniteTiles:
        return finite_.enqueue(exec, form_, problem);
      case FilterAlgorithm::Chunks:
        return portable_.enqueue(exec, form_, problem);
    }
  }
  bool has_own_kernel() const override {
    return select_algorithm(request_, device_) != FilterAlgorithm::Chunks;
  }
  std::size_t bytes() const override {
    return tensor_.bytes() + tiled_.bytes() + finite_.bytes() + portable_.bytes();
  }

 private:
  WAVESCAN_SELDOM PassOf(const Exec& exec, const Form& form, const Transition<Form>& transition,
                         LineExtents extents)
      : form_(form),
        request_{extents, transition.growth(), Finite::limits, Tiled::limits, Tensor::limits},
        device_(device_of(exec)),
        portable_(exec, transition, extents) {
    const FilterAlgorithm algorithm = select_algorithm(request_, device_);
    const auto make = [&]<class Kernel>(Kernel& kernel, FilterAlgorithm which) {
      if (algorithm == which) kernel = Kernel(exec, form, transition, extents);
    };
    make(tensor_, FilterAlgorithm::TensorTiles);
    make(tiled_, FilterAlgorithm::Tiles);
    make(finite_, FilterAlgorithm::FiniteTiles);
  }

  static FilterDevice device_of([[maybe_unused]] const Exec& exec) {
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
    if constexpr (Tensor::limits.exists) return {gpu::has_double_tensor_cores(exec)};
#endif
    return {};
  }
  /// @brief Whether the algorithm's kernel can move the lines.
  static bool can_move([[maybe_unused]] const Problem<T>& problem) {
    if constexpr (Finite::limits.exists) return Finite::can_move(problem);
#if defined(WAVESCAN_HAS_GPU_KERNELS)
    else if constexpr (Tiled::limits.exists || Tensor::limits.exists)
      return TiledLines<T>::can_move(problem);
#endif
    else
      return false;
  }

  Form form_;
  FilterRequest request_;
  FilterDevice device_;
  Tensor tensor_;
  Tiled tiled_;
  Finite finite_;
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
using SharedPass = std::shared_ptr<const FilterPass<Exec, T>>;

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
