// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_PORTABLESELECT_HPP
#define WAVESCAN_IMPL_SELECT_PORTABLESELECT_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief Selections on any execution space, by loops and scans of Kokkos.
///
/// Pieces of the input follow each other. For each of them, kernels store the flags of its
/// elements; scan them, which gives the places of those kept; and move what is kept. In place it
/// goes through a buffer of the size of a piece: kernels of one instance follow each other, so a
/// piece is in the buffer before it is stored, and stored before the next piece is read. `unique`
/// reads the last element of the piece before, in whose place is that element still, or it has been
/// overwritten with itself: elements move to lower places only.

namespace wavescan::Impl::select {

/// @brief Memory that all pieces use.
template <class MemorySpace>
struct PortableWorkspace {
  Kokkos::View<std::uint8_t*, MemorySpace> flags;   ///< of a piece's elements
  Kokkos::View<std::int32_t*, MemorySpace> places;  ///< elements of the piece kept before each
  Kokkos::View<std::byte*, MemorySpace> buffer;     ///< a piece's kept elements of one View
  /// Elements kept in the pieces before this one, and in this one.
  Kokkos::View<Index*, MemorySpace> totals;
};

template <class SelectorType>
struct FlagKernel {
  SelectorType selector;
  Index begin;
  std::uint8_t* flags;
  KOKKOS_FUNCTION void operator()(const Index k) const { flags[k] = selector(begin + k) ? 1 : 0; }
};

struct PlaceKernel {
  using value_type = Index;
  const std::uint8_t* flags;
  std::int32_t* places;
  Index* kept;
  Index last;
  KOKKOS_FUNCTION void operator()(const Index k, Index& sum, const bool final) const {
    if (final) places[k] = static_cast<std::int32_t>(sum);
    sum += flags[k];
    if (final && k == last) *kept = sum;
  }
};

/// @brief Adds a piece's number to that of all before.
struct AdvanceKernel {
  Index* totals;
  Index* count;  ///< null but for the last piece
  KOKKOS_FUNCTION void operator()(const Index) const {
    totals[0] += totals[1];
    if (count != nullptr) *count = totals[0];
  }
};

/// @brief The column and the element that have number `index` in a piece: neighbours in memory
/// follow each other.
struct ColumnElement {
  Index column, element;
  template <class T>
  KOKKOS_FUNCTION ColumnElement(Index index, const Lines<T>& lines, Index columns, Index elements)
      : column(index % columns), element(index / columns) {
    if (lines.line_stride <= lines.stride) return;
    column = index / elements;
    element = index % elements;
  }
};

/// @brief Moves the elements of a piece: those kept to their places, or to a buffer.
template <class T, class Source>
struct MoveKernel {
  Moved<T, Source> moved;
  Index begin, size;
  const std::uint8_t* flags;
  const std::int32_t* places;
  const Index* totals;
  T* buffer;  ///< or null
  bool keeps_rejected;
  KOKKOS_FUNCTION void operator()(const Index index) const {
    const ColumnElement at = element_at(index);
    const Index k = at.element, place = totals[0] + places[k];
    if (flags[k] == 0 && !keeps_rejected) return;
    const T value = moved.in(at.column, begin + k);
    if (flags[k] != 0) {
      if (buffer != nullptr)
        buffer[static_cast<Index>(places[k]) * moved.columns + at.column] = value;
      else if (place < moved.capacity)
        moved.out(at.column, place) = value;
    } else if (keeps_rejected && begin + k - place < moved.rejected_capacity) {
      moved.rejected(at.column, begin + k - place) = value;
    }
  }

 private:
  KOKKOS_FUNCTION ColumnElement element_at(Index index) const {
    if constexpr (is_computed<Source>)
      return {index, moved.out, moved.columns, size};
    else
      return {index, moved.in, moved.columns, size};
  }
};

/// @brief Stores what is in the buffer.
template <class T, class Source>
struct StoreKernel {
  Moved<T, Source> moved;
  Index size;
  const Index* totals;
  const T* buffer;
  KOKKOS_FUNCTION void operator()(const Index index) const {
    const ColumnElement at(index, moved.out, moved.columns, size);
    const Index place = totals[0] + at.element;
    if (at.element < totals[1] && place < moved.capacity)
      moved.out(at.column, place) = buffer[at.element * moved.columns + at.column];
  }
};

/// @brief Copies rejected elements behind those kept.
template <class T, class Source>
struct AppendKernel {
  Moved<T, Source> moved;
  Index elements;
  const Index* count;
  KOKKOS_FUNCTION void operator()(const Index index) const {
    const ColumnElement at(index, moved.out, moved.columns, elements);
    const Index place = *count + at.element;
    if (place < elements) moved.out(at.column, place) = moved.rejected(at.column, at.element);
  }
};

/// @brief Appends rejected elements to those kept.
template <ExecutionSpace Exec, class Problem>
void append_rejected(const Exec& exec, const Problem& problem) {
  problem.moved.for_each([&]<class E, class Source>(const Moved<E, Source>& moved) {
    const Index count = problem.elements * moved.columns;
    Kokkos::parallel_for("WaveScan::select::append",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, count),
                         AppendKernel<E, Source>{moved, problem.elements, problem.count});
  });
}

/// @brief Selections of up to so many elements of so many bytes.
template <ExecutionSpace Exec>
class PortableSelect {
  using Space = typename Exec::memory_space;

 public:
  PortableSelect() = default;
  PortableSelect(const Exec& exec, Index elements, std::size_t unit_bytes)
      : piece_(std::clamp<Index>(elements, 1, most_at_once(unit_bytes))) {
    allocate(exec, work_.flags, "WaveScan::select::flags", piece_);
    allocate(exec, work_.places, "WaveScan::select::places", piece_);
    allocate(exec, work_.buffer, "WaveScan::select::buffer",
             static_cast<std::size_t>(piece_) * unit_bytes);
    allocate(exec, work_.totals, "WaveScan::select::totals", 2);
  }

  template <Shape Form, bool KeepsRejected, class SelectorType, class... Views>
  void enqueue(const Exec& exec,
               const Problem<Form, KeepsRejected, SelectorType, Views...>& problem) const {
    set_all(exec, work_.totals, 0);
    const Index n = problem.elements;
    for (Index begin = 0; begin == 0 || begin < n; begin += piece_) {
      const Index size = std::min(piece_, n - begin);
      Index* const totals = work_.totals.data();
      if (size > 0) {
        const auto over = [&](Index count) {
          return Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, count);
        };
        std::uint8_t* const flags = work_.flags.data();
        std::int32_t* const places = work_.places.data();
        Kokkos::parallel_for("WaveScan::select::flags", over(size),
                             FlagKernel<SelectorType>{problem.selector, begin, flags});
        Kokkos::parallel_scan("WaveScan::select::places", over(size),
                              PlaceKernel{flags, places, totals + 1, size - 1});
        problem.moved.for_each([&]<class E, class Source>(const Moved<E, Source>& moved) {
          E* const buffer = moved.in_place() ? reinterpret_cast<E*>(work_.buffer.data()) : nullptr;
          const Index count = size * moved.columns;
          Kokkos::parallel_for("WaveScan::select::move", over(count),
                               MoveKernel<E, Source>{moved, begin, size, flags, places, totals,
                                                     buffer, problem.keeps_rejected});
          if (buffer != nullptr)
            Kokkos::parallel_for("WaveScan::select::store", over(count),
                                 StoreKernel<E, Source>{moved, size, totals, buffer});
        });
      }
      Kokkos::parallel_for("WaveScan::select::advance",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, 1),
                           AdvanceKernel{totals, begin + size == n ? problem.count : nullptr});
    }
  }

  std::size_t bytes() const {
    return work_.flags.size() + work_.places.size() * sizeof(std::int32_t) + work_.buffer.size() +
           work_.totals.size() * sizeof(Index);
  }

 private:
  /// Enough to keep a device busy; the buffer takes 32 MiB at most, if elements have less.
  static Index most_at_once(std::size_t unit_bytes) {
    constexpr Index most = Index(1) << 22;
    constexpr std::size_t buffer = std::size_t(32) << 20;
    return std::clamp<Index>(static_cast<Index>(buffer / std::max<std::size_t>(unit_bytes, 1)), 1,
                             most);
  }

  Index piece_ = 1;
  PortableWorkspace<Space> work_;
};

}  // namespace wavescan::Impl::select

#endif
