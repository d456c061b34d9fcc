// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_HOST_PARTREDUCTION_HPP
#define WAVESCAN_IMPL_SEGMENTED_HOST_PARTREDUCTION_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Operators.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/segmented/WaveScan_OffsetArray.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>

/// @file
/// @brief Reductions of numbered segments on hosts: a thread takes parts of elements and segments,
/// and then one joins what parts have of segments that go through several of them.
///
/// Elements and ends of segments are merged, in that order, and parts have equally many of both
/// together, on any thread: results do not depend on the number of threads.

namespace wavescan::Impl {

/// @brief A part's shares of the segments in which it begins and ends.
template <class T>
struct HostPartSums {
  State<T> head, after;
  Index first;       ///< the segment that begins before the part and ends in it, or -1
  bool starts_anew;  ///< that in which it ends does not begin before
};

template <class Op, class Source>
struct ReduceHostParts {
  using T = typename Op::value_type;
  static constexpr Index places = 1 << 14;  ///< of a part
  Op op;
  Source in;
  Index elements;
  SegmentRanges segments;
  Lines<T> sums;
  State<T> enters, of_empty;
  HostPartSums<T>* parts;

  KOKKOS_FUNCTION void operator()(const Index part) const {
    const Index all = elements + segments.ends.size, place = part * places;
    const Index end = place + places < all ? place + places : all;
    Index s = ends_before(place);
    const Index begin = place - s, behind = ends_before(end), stop = end - behind;
    HostPartSums<T> own{{of_empty.value, false}, {of_empty.value, false}, -1, true};
    Index to = s < behind ? segments.begins(s) : 0;
    for (; s < behind; ++s) {
      const Index from = segments.apart ? segments.begins(s) : to;
      to = segments.ends(s);
      if (from >= to) {
        if (of_empty.present) sums(0, s) = of_empty.value;
      } else if (from < begin) {
        own.first = s;
        if (to > begin) own.head = {reduce(begin, to), true};
      } else {
        sums(0, s) = reduce_from_begin(from, to);
      }
    }
    if (s < segments.begins.size) {
      const Index from = segments.begins(s);
      own.starts_anew = from >= begin;
      if (from < stop && from < segments.ends(s)) {
        if (own.starts_anew)
          own.after = {reduce_from_begin(from, stop), true};
        else if (begin < stop)
          own.after = {reduce(begin, stop), true};
      }
    }
    parts[part] = own;
  }

 private:
  /// @brief The end of segment s is preceded by as many elements as it says, and by s others.
  KOKKOS_FUNCTION Index ends_before(Index place) const {
    Index low = place > elements ? place - elements : 0;
    Index high = place < segments.ends.size ? place : segments.ends.size;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (segments.ends(middle) + middle < place)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  KOKKOS_FUNCTION T reduce_from_begin(Index from, Index to) const {
    const T sum = reduce(from, to);
    return enters.present ? op(enters.value, sum) : sum;
  }
  KOKKOS_FUNCTION T reduce(Index from, Index to) const {
    from = from > 0 ? from : 0;
    to = to < elements ? to : elements;  // whatever offsets say that are wrong
    if (from >= to) return of_empty.value;
    if constexpr (std::same_as<Source, Lines<const T>> && commutes<Op> && std::is_arithmetic_v<T>)
      if (in.stride == 1 && to - from >= 4 * lanes) return reduce_lanes(in.data + from, to - from);
    T s = static_cast<T>(in(0, from));
    for (Index j = from + 1; j < to; ++j) s = op(s, static_cast<T>(in(0, j)));
    return s;
  }

  /// Sums side by side, which compilers hold in vectors.
  static constexpr Index lanes = std::max<Index>(64 / static_cast<Index>(sizeof(T)), 1);
  KOKKOS_FUNCTION T reduce_lanes(const T* x, Index count) const {
    T sum[lanes];
    for (Index l = 0; l < lanes; ++l) sum[l] = x[l];
    Index j = lanes;
    for (; j + lanes <= count; j += lanes)
      for (Index l = 0; l < lanes; ++l) sum[l] = op(sum[l], x[j + l]);
    for (Index half = lanes / 2; half > 0; half /= 2)
      for (Index l = 0; l < half; ++l) sum[l] = op(sum[l], sum[l + half]);
    for (; j < count; ++j) sum[0] = op(sum[0], x[j]);
    return sum[0];
  }
};

/// @brief Puts what parts before have of a segment in front of what is in its last part.
template <class Op>
struct JoinHostParts {
  using T = typename Op::value_type;
  Op op;
  Lines<T> sums;
  const HostPartSums<T>* parts;
  Index count;
  KOKKOS_FUNCTION void operator()(const Index) const {
    State<T> before{parts[0].head.value, false};
    for (Index p = 0; p < count; ++p) {
      const HostPartSums<T>& part = parts[p];
      if (part.first >= 0) {
        const State<T> sum = joined(before, part.head);
        if (sum.present) sums(0, part.first) = sum.value;
      }
      before = part.starts_anew ? part.after : joined(before, part.after);
    }
  }
  KOKKOS_FUNCTION State<T> joined(const State<T>& a, const State<T>& b) const {
    if (!a.present) return b;
    return b.present ? State<T>{op(a.value, b.value), true} : a;
  }
};

/// @brief The kernels for reductions of arrays of one size, and the memory that they need.
template <ExecutionSpace Exec, class Op>
class HostSegmentReduction {
  using T = typename Op::value_type;

 public:
  HostSegmentReduction(const Exec& exec, Index elements, Index segments) {
    allocate(exec, parts_, "WaveScan::segmented::parts", count(elements, segments));
  }
  template <class Source>
  void enqueue(const Exec& exec, const Op& op, const Source& in, Index elements,
               const SegmentRanges& segments, const Lines<T>& sums, const State<T>& enters,
               const State<T>& of_empty) const {
    const Index parts = count(elements, segments.ends.size);
    using Parts = ReduceHostParts<Op, Source>;
    enqueue_items(exec, "WaveScan::segmented::reduce", parts, .3e-9 * Parts::places,
                  Parts{op, in, elements, segments, sums, enters, of_empty, parts_.data()});
    enqueue_items(exec, "WaveScan::segmented::join", 1, 2e-9 * static_cast<double>(parts),
                  JoinHostParts<Op>{op, sums, parts_.data(), parts});
  }
  std::size_t bytes() const { return parts_.size() * sizeof(HostPartSums<T>); }

 private:
  static Index count(Index elements, Index segments) {
    return ceil_div(elements + segments, ReduceHostParts<Op, Lines<const T>>::places);
  }
  Kokkos::View<HostPartSums<T>*, typename Exec::memory_space> parts_;
};

}  // namespace wavescan::Impl

#endif
