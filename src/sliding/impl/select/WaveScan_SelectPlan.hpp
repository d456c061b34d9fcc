// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_SELECTPLAN_HPP
#define WAVESCAN_IMPL_SELECT_SELECTPLAN_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/select/WaveScan_SelectArguments.hpp>
#include <impl/select/WaveScan_SelectChecks.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>
#include <impl/select/WaveScan_SelectWorkspace.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace wavescan::Impl::select {

/// @brief The common part of plans of selections: the workspace, the checks, and the count.
template <ExecutionSpace Exec>
class Plan {
  using Space = typename Exec::memory_space;

 public:
  /// @param buffered whether there is to be a buffer for all elements that are rejected
  Plan(std::string_view name, const Exec& exec, std::int64_t elements, std::int64_t element_bytes,
       bool buffered)
      : exec_(exec), elements_(elements) {
    require(elements >= 0, name, "elements", "must not be negative", elements);
    require(element_bytes >= 0, name, "element_bytes", "must not be negative", element_bytes);
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
    require(elements < most / std::max<std::int64_t>(element_bytes, 1) - slack_units, name,
            "elements", "must keep elements * element_bytes within 64 bits", elements);
    unit_bytes_ = static_cast<std::size_t>(element_bytes);
    workspace_ = Select<Exec>(exec, elements, unit_bytes_);
    allocate(exec, count_, "WaveScan::select::count");
    if (buffered)
      allocate(exec, buffer_, "WaveScan::select::rejected",
               static_cast<std::size_t>(elements + slack_units) * unit_bytes_);
  }

  /// @brief Moves the elements of `ins` that the predicate chooses to `outs`, and the others to
  /// `rejected`, unless that is empty.
  template <class Predicate, class Ins, class Outs, class Rejected, class Count>
  auto select(std::string_view operation, const std::string& label, const Predicate& predicate,
              bool wanted, const Ins& ins, const Outs& outs, const Rejected& rejected,
              const ArgumentName& in_name, const ArgumentName& out_name,
              const ArgumentName& rejected_name, const Count& count) const {
    if constexpr (can_move<Ins, Outs>()) {
      require_valid(operation, predicate, ins, outs, rejected, in_name, out_name, rejected_name,
                    count);
      const auto selector = selector_of<Exec>(predicate, ins, wanted);
      return enqueue<shape_of_all<Predicate, Ins, Outs, Rejected>(),
                     (std::tuple_size_v<Rejected> > 0)>(operation, label, selector, ins,
                                                        moved_of(ins, outs, rejected), count);
    }
  }

  /// @brief Moves the first element of each run of elements for which `equal` holds between
  /// neighbours of `keys`.
  template <class Equal, class Keys, class Ins, class Outs, class Count>
  auto select_runs(std::string_view operation, const std::string& label, const Equal& equal,
                   const Keys& keys, const Ins& ins, const Outs& outs, const ArgumentName& in_name,
                   const ArgumentName& out_name, const Count& count) const {
    if constexpr (can_move<Ins, Outs>()) {
      require_valid(operation, NoArgument(), ins, outs, std::tuple<>(), in_name, out_name, "",
                    count);
      const auto sources = std::apply([](const auto&... key) { return sources_of(key...); }, keys);
      const Selector<StartsRun<Equal>, std::remove_const_t<decltype(sources)>> selector{
          {equal}, sources, true};
      return enqueue<shape_of_all<Equal, Ins, Outs, std::tuple<>>(), false>(
          operation, label, selector, ins, moved_of(ins, outs, std::tuple<>()), count);
    }
  }

  /// @brief Moves chosen elements to the front of `outs`, and the others behind them.
  template <class Predicate, class Ins, class Outs, class Count>
  auto partition(std::string_view operation, const std::string& label, const Predicate& predicate,
                 const Ins& ins, const Outs& outs, const ArgumentName& in_name,
                 const ArgumentName& out_name, const Count& count) const {
    if constexpr (can_move<Ins, Outs>()) {
      require_valid(operation, predicate, ins, outs, std::tuple<>(), in_name, out_name, "", count);
      for (const Footprint& out : footprints_of(outs))
        require(out.extent[0] >= static_cast<Index>(std::get<0>(ins).extent(0)), operation,
                out_name[0], "must hold all elements", out.extent[0]);
      const auto selector = selector_of<Exec>(predicate, ins, true);
      auto moved = moved_of(ins, outs, std::tuple<>());
      std::size_t used = 0;
      buffer_rejected(moved, static_cast<Index>(std::get<0>(ins).extent(0)), used);
      return enqueue<shape_of_all<Predicate, Ins, Outs, std::tuple<>>(), true, true>(
          operation, label, selector, ins, moved, count);
    }
  }

  std::int64_t elements() const { return elements_; }
  std::size_t bytes() const {
    return workspace_.bytes() + sizeof(Index) + static_cast<std::size_t>(buffer_.size());
  }

 private:
  /// For what is stored behind columns in the buffer, and for their alignment.
  static constexpr std::int64_t slack_units = 3 * compaction_slack;

  struct NoArgument {};

  template <class Ins, class Outs>
  static consteval bool can_move() {
    if constexpr (can_be_moved<Exec>(std::type_identity<Ins>()) &&
                  can_be_moved<Exec>(std::type_identity<Outs>()))
      return can_receive(std::type_identity<Outs>(), std::type_identity<Ins>());
    else
      return false;
  }

  /// @brief The last one of the Views' shapes; a predicate may be a View of flags.
  template <class Predicate, class... Lists>
  static consteval Shape shape_of_all() {
    Shape last = Shape::SideBySide;
    if constexpr (AnyView<Predicate>) last = shape_of<Predicate>;
    const auto join = [&]<class... Views>(std::type_identity<std::tuple<Views...>>) {
      ((last = std::max(last, shape_of<Views>)), ...);
    };
    (join(std::type_identity<Lists>()), ...);
    return last;
  }

  template <class Predicate, class Ins, class Outs, class Rejected, class Count>
  void require_valid(std::string_view operation, const Predicate& predicate, const Ins& ins,
                     const Outs& outs, const Rejected& rejected, const ArgumentName& in_name,
                     const ArgumentName& out_name, const ArgumentName& rejected_name,
                     const Count& count) const {
    const auto in_arrays = footprints_of(ins);
    const auto out_arrays = footprints_of(outs);
    const auto rejected_arrays = footprints_of(rejected);
    Arrays arrays{
        operation, {in_name, in_arrays}, {out_name, out_arrays}, {rejected_name, rejected_arrays}};
    if constexpr (AnyView<Predicate>) arrays.flags = Footprint(predicate);
    if constexpr (CountView<Count>) {
      static_assert(AccessibleFrom<Count, Exec>,
                    "WaveScan: the execution space cannot reach the memory of 'count'");
      arrays.count = Footprint(count);
    } else {
      static_assert(std::same_as<Count, ReturnCount>,
                    "WaveScan: 'count' must be a View of rank 0 of std::int64_t");
    }
    arrays.require_valid(elements_, unit_bytes_);
  }

  /// @brief Gives each View its part of the buffer, laid out as its rows are.
  void buffer_rejected(MovedList<>&, Index, std::size_t&) const {}
  template <class T, class Source, class... Others>
  void buffer_rejected(MovedList<Moved<T, Source>, Others...>& list, Index elements,
                       std::size_t& used) const {
    Moved<T, Source>& moved = list.first;
    constexpr auto size = static_cast<Index>(sizeof(T));
    T* const data = reinterpret_cast<T*>(buffer_.data() + used);
    const Index padded = elements + ceil_div(compaction_slack, size);
    bool by_rows = moved.out.line_stride == 1;
    if constexpr (!is_computed<Source>) by_rows &= moved.in.line_stride == 1;
    if (by_rows)
      moved.rejected = {data, 1, moved.columns};
    else
      moved.rejected = {data, padded, 1};
    moved.rejected_capacity = elements;
    moved.rejected_has_slack = true;
    const auto all = static_cast<std::size_t>(padded * moved.columns * size);
    used += (all + alignment - 1) / alignment * alignment;
    buffer_rejected(list.others, elements, used);
  }
  static constexpr std::size_t alignment = 64;

  /// @tparam IntoOne whether rejected elements go behind those kept, by way of the buffer
  template <Shape Form, bool KeepsRejected, bool IntoOne = false, class SelectorType, class Ins,
            class... Views, class Count>
  auto enqueue(std::string_view operation, const std::string& label, const SelectorType& selector,
               const Ins& ins, const MovedList<Views...>& moved, const Count& count) const {
    constexpr bool returns = std::same_as<Count, ReturnCount>;
    std::optional<Kokkos::Profiling::ScopedRegion> region;
    if (Kokkos::Tools::profileLibraryLoaded())
      static_cast<void>(
          region.emplace(label.empty() ? "WaveScan::" + std::string(operation) : label));
    Problem<Form, KeepsRejected, SelectorType, Views...> problem{
        static_cast<Index>(std::get<0>(ins).extent(0)), selector, moved, count_.data()};
    if constexpr (!returns) problem.count = count.data();
    if constexpr (IntoOne)
      workspace_.partition(exec_, problem);
    else
      workspace_.enqueue(exec_, problem);
    if constexpr (returns) {
      std::int64_t kept = 0;
      if constexpr (runs_at_once<Exec>) {
        kept = *count_.data();
      } else {
        Kokkos::deep_copy(exec_, Kokkos::View<std::int64_t, Kokkos::HostSpace>(&kept), count_);
        exec_.fence("WaveScan: the count of a selection");
      }
      return kept;
    }
  }

  Exec exec_;
  Index elements_;
  std::size_t unit_bytes_ = 0;
  Select<Exec> workspace_;
  Kokkos::View<Index, Space> count_;
  Kokkos::View<std::byte*, Space> buffer_;
};

}  // namespace wavescan::Impl::select

#endif
