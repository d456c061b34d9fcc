// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "EmulatedGpu.hpp"

#include <gtest/gtest.h>

#include <impl/filter/WaveScan_Varying.hpp>
#include <impl/filter/gpu/WaveScan_GpuFilter.hpp>
#include <impl/filter/gpu/WaveScan_MapScan.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

// Filters and recurrences in tiles, against the loop over samples.

namespace {

using namespace wavescan;
using namespace wavescan::Impl;
using namespace wavescan::Impl::filter;

/// @brief Lines of one array after the other, all of which begin some samples after 16-byte
/// boundaries.
struct Layout {
  Index lines, length;
  int first = 0;
  bool reverse = false;

  Index pitch() const { return (first + length + 3) / 4 * 4 + 4; }
  std::size_t size() const { return static_cast<std::size_t>(lines * pitch()); }
  template <class T>
  Lines<T> of(T* data) const {
    return {data + first + (reverse ? length - 1 : 0), pitch(), reverse ? -1 : 1};
  }
  template <class T>
  StateLines<T> states(T* data, int count) const {
    return {data, count, 0, 1, count, count};
  }
};

template <class T>
std::vector<T> random_numbers(std::size_t count, double largest = 1) {
  static std::mt19937 random(17);
  std::uniform_real_distribution<double> any(-largest, largest);
  std::vector<T> values(count);
  for (T& v : values) v = static_cast<T>(any(random));
  return values;
}

/// @brief Checks outputs and final states of `enqueue(problem)` against `step(line, sample,
/// state)`.
template <class T, int K, class Enqueue, class Step>
void expect_filtered(const Layout& layout, const Enqueue& enqueue, const Step& step) {
  constexpr T untouched(77);
  const auto in = random_numbers<T>(layout.size());
  const auto states = static_cast<std::size_t>(layout.lines * K);
  const auto initial = random_numbers<T>(states);
  for (int launch = 0; launch < 2; ++launch) {
    std::vector<T> out(in.size(), untouched), final(states, untouched);
    Problem<T> problem;
    problem.in = layout.of(in.data());
    problem.out = layout.of(out.data());
    problem.extents = {layout.lines, layout.length};
    problem.initial = layout.states(initial.data(), K);
    problem.final = layout.states(final.data(), K);
    enqueue(problem);
    std::vector<T> expected(in.size(), untouched), left_behind(states);
    T largest(0);
    for (Index line = 0; line < layout.lines; ++line) {
      auto s = problem.initial.template load<K>(line);
      for (Index j = 0; j < layout.length; ++j) {
        const T y = step(line, j, problem.in(line, j), s);
        layout.of(expected.data())(line, j) = y;
        largest = std::max(largest, std::abs(y));
      }
      layout.states(left_behind.data(), K).store(line, s);
    }
    const T tolerance = 100 * std::numeric_limits<T>::epsilon() * largest;
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_NEAR(out[i], expected[i], expected[i] == untouched ? T(0) : tolerance) << i;
    for (std::size_t i = 0; i < states; ++i) ASSERT_NEAR(final[i], left_behind[i], tolerance) << i;
  }
}

template <class Form>
void expect_filter(const Form& form, const Layout& layout, int blocks) {
  using T = typename Form::value_type;
  static_assert(has_tiled_filter<Form>);
  ASSERT_TRUE(GpuFilter<Form>::limits.include({layout.lines, layout.length}, 1));
  gpu::emulated_properties.multiProcessorCount = blocks;
  const gpu::Device exec;
  const GpuFilter<Form> filter(exec, form, Transition<Form>(form), {layout.lines, layout.length});
  expect_filtered<T, Form::states>(
      layout, [&](const Problem<T>& problem) { filter.enqueue(exec, form, problem); },
      [&](Index, Index, T x, auto& s) { return form.step(x, s); });
}

template <class T, int K>
void expect_recurrence(const Layout& layout, int order, int blocks) {
  gpu::emulated_properties.multiProcessorCount = blocks;
  std::vector<std::vector<T>> coefficients;
  VaryingCoefficients<T, K> c{{}, order};
  for (int k = 0; k < order; ++k)
    coefficients.push_back(random_numbers<T>(layout.size(), 0.9 / order));
  for (int k = 0; k < order; ++k)
    c.line[k] = layout.of<const T>(coefficients[static_cast<std::size_t>(k)].data());
  expect_filtered<T, K>(
      layout,
      [&](const Problem<T>& problem) {
        using Model = RecurrenceModel<T, K>;
        ASSERT_TRUE(map_scan_limits<Model>.include(problem.extents, 1));
        const RecurrenceLines<T, K> lines(c, problem);
        ASSERT_TRUE(MapScanLines<Model>::can_move(problem.extents, lines.in, lines.out));
        enqueue_map_scan<Model>(gpu::Device(), problem.extents, lines.in, lines.out,
                                problem.initial, problem.final);
      },
      [&](Index line, Index j, T x, auto& s) {
        T of_sample[K] = {};
        for (int k = 0; k < order; ++k) of_sample[k] = c.line[k](line, j);
        return push_output(s, of_sample, x);
      });
}

TEST(WideWarps, FiltersOfAllOrders) {
  for (const bool reverse : {false, true}) {
    expect_filter(direct_form<double, 1>({1, 0.5}, {1, -0.999}), {1, 9001, 1, reverse}, 3);
    expect_filter(direct_form<float, 2>({1, 0.5, 0.1}, {1, -1.6, 0.8}), {2, 9000, 3, reverse}, 4);
    expect_filter(direct_form<double, 4>({1, 0.5}, {1, -1.5, 0.9, -0.2, 0.05}),
                  {3, 3001, 1, reverse}, 5);
    expect_filter(direct_form<float, 4>({1, 0.5}, {1, -1.5, 0.9, -0.2, 0.05}),
                  {1, 9000, 0, reverse}, 2);
    expect_filter(sections<double, 2>(std::vector<SectionCoefficients>{{1, 0, 0, 1, -0.5, 0.2},
                                                                       {1, 0.2, 0, 1, -0.9, 0.3}}),
                  {1, 5000, 0, reverse}, 3);
  }
}

TEST(WideWarps, RecurrencesOfAllOrders) {
  for (const bool reverse : {false, true}) {
    expect_recurrence<double, 1>({1, 5000, 1, reverse}, 1, 3);
    expect_recurrence<double, 4>({2, 2000, 0, reverse}, 3, 4);
    expect_recurrence<float, 2>({1, 5000, 2, reverse}, 2, 2);
  }
  expect_recurrence<float, 4>({1, 4000, 3}, 4, 5);
}

}  // namespace
