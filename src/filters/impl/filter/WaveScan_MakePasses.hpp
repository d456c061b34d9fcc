// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_MAKEPASSES_HPP
#define WAVESCAN_IMPL_FILTER_MAKEPASSES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_Pass.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

/// @file
/// @brief The passes that a filter is made of. All kernels of filters are behind these functions,
/// which the library WaveScan::kernels has.

namespace wavescan::Impl::filter {

template <ExecutionSpace Exec, class T>
using SharedPass = std::shared_ptr<const Pass<Exec, T>>;

template <ExecutionSpace Exec, class Form>
SharedPass<Exec, typename Form::value_type> pass_of(const Exec& exec, const Form& form,
                                                    LineExtents extents) {
  return std::make_shared<PassOf<Exec, Form>>(exec, form, extents);
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
