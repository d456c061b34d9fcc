// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_LOOPSWEEPS_HPP
#define WAVESCAN_IMPL_SOR_LOOPSWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SOROptions.hpp>
#include <WaveScan_Schedule.hpp>
#include <WaveScan_Wavefront.hpp>
#include <impl/sor/WaveScan_BackendTraits.hpp>
#include <impl/sor/WaveScan_SORLoop.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <memory>
#include <typeindex>
#include <utility>
#include <vector>

namespace wavescan::Impl::sor {

/// @brief Sweeps of arrays of one size on a device by the wavefront loops of their problems.
template <ExecutionSpace Exec, class T>
class LoopSweeps {
 public:
  LoopSweeps(const Exec& exec, const std::array<Index, 2>& extents, const SOROptions& options)
      : exec_(exec),
        extents_(extents),
        options_(wavefront_options(extents, options)),
        plain_(exec, extents[0], extents[1], options_) {}

  Schedule schedule() const { return plain_.schedule(); }

  /// @brief Enqueues sweeps in place.
  template <class P>
  void sweep(const P& problem, const SweepRequest& r) const {
    const auto& wavefront = wavefront_of(problem);
    for_each_pass(problem, r, [&](const auto& p, bool) { wavefront(loop_of(p), p.x); });
  }

  /// @brief Makes the workspace of such sweeps.
  template <class P>
  void reserve(const P& problem) const {
    wavefront_of(problem);
  }

  void throw_if_stuck() const {
    plain_.throw_if_stuck();
    for (const LazyWavefront& other : others_) other.report(other.plan.get());
  }

 private:
  /// @brief A plan for loops of one type, which the first call makes: calls for other loops do not
  /// compile what it is made of.
  struct LazyWavefront {
    std::type_index loop;
    std::shared_ptr<const void> plan;
    void (*report)(const void*);
  };

  static WavefrontOptions wavefront_options(const std::array<Index, 2>& extents,
                                            const SOROptions& options) {
    WavefrontOptions wavefront;
    wavefront.schedule = options.schedule;
    wavefront.tile_rows = options.tile_rows;
    wavefront.tile_columns = options.tile_columns;
    wavefront.stall_seconds = options.stall_seconds;
    const auto [rows, columns] = extents;
    wavefront.range =
        rows > 2 && columns > 2 ? IndexRange{1, rows - 1, 1, columns - 1} : IndexRange{};
    return wavefront;
  }

  /// @brief The plan for the loop of a problem.
  template <class P, class Loop = decltype(loop_of(std::declval<const P&>()))>
  const Wavefront<Exec, Loop>& wavefront_of(const P&) const {
    using plan_type = Wavefront<Exec, Loop>;
    if constexpr (std::same_as<Loop, ConstantLoop<T>>) {
      return plain_;
    } else {
      const std::type_index loop = typeid(Loop);
      auto made = std::find_if(others_.begin(), others_.end(),
                               [loop](const LazyWavefront& other) { return other.loop == loop; });
      if (made == others_.end())
        made = others_.insert(
            made,
            {loop, std::make_shared<const plan_type>(exec_, extents_[0], extents_[1], options_),
             [](const void* plan) { static_cast<const plan_type*>(plan)->throw_if_stuck(); }});
      return *static_cast<const plan_type*>(made->plan.get());
    }
  }

  Exec exec_;
  std::array<Index, 2> extents_;
  WavefrontOptions options_;
  Wavefront<Exec, ConstantLoop<T>> plain_;
  mutable std::vector<LazyWavefront> others_{};  ///< for other loops than the plain one
};

}  // namespace wavescan::Impl::sor

#endif
