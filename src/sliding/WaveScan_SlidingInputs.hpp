// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SLIDINGINPUTS_HPP
#define WAVESCAN_SLIDINGINPUTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_ScanInputs.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>

/// @file
/// @brief Arguments of operations that slide data, besides Views: several Views at once, and
/// predicates that know the index.

namespace wavescan {

/// @brief Row i of a View of rank 2, as predicates see it: `row[j]`, `row.size()`.
template <class T>
class ElementRow {
 public:
  KOKKOS_FUNCTION ElementRow(const T* data, std::int64_t stride, std::int64_t size)
      : data_(data), stride_(stride), size_(size) {}

  KOKKOS_FORCEINLINE_FUNCTION const T& operator[](std::int64_t j) const {
    return data_[j * stride_];
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t size() const { return size_; }

  /// @brief Whether all elements of two rows of one View are equal.
  KOKKOS_FUNCTION friend bool operator==(const ElementRow& a, const ElementRow& b) {
    for (std::int64_t j = 0; j < a.size_; ++j)
      if (!(a[j] == b[j])) return false;
    return true;
  }

 private:
  const T* data_;
  std::int64_t stride_;
  std::int64_t size_;
};

namespace Impl {
/// @brief An input of elements: a View, or a function of the index (see computed_input).
template <class T>
concept ElementInput = AnyView<T> ||(is_computed_input<T>&& T::rank() == 1);

/// @brief The execution space of the first View.
template <class... Inputs>
struct FirstSpace;
template <class First, class... Rest>
struct FirstSpace<First, Rest...> {
  using type = typename First::execution_space;
};
template <class F, class Second, class... Rest>
struct FirstSpace<ComputedInput<F, 1>, Second, Rest...> : FirstSpace<Second, Rest...> {};
}  // namespace Impl

/// @brief Several Views whose elements move together; made by wavescan::zip.
template <Impl::ElementInput... Views>
struct ZippedViews {
  static_assert(sizeof...(Views) > 0, "WaveScan: zip needs a View");
  using execution_space = typename Impl::FirstSpace<Views...>::type;
  std::tuple<Views...> views;
};

/// @brief Views of ranks 1 and 2 with one extent(0): element i of the whole is element i, or row i,
/// of each. Predicates get one argument for each View.
///
///     remove_if(zip(position, velocity, id), predicate);
///
/// Where they are only read, some may be computed_input(n, f) instead.
template <Impl::ElementInput... Views>
ZippedViews<Views...> zip(const Views&... views) {
  return {{views...}};
}

/// @brief A predicate of index and value; made by wavescan::by_index.
template <class Predicate>
struct IndexPredicate {
  Predicate predicate;
};

/// @brief Says that a predicate is called with the index (std::int64_t), then the element (with
/// zipped Views, then the elements): `predicate(i, x)` instead of `predicate(x)`.
///
/// Besides the element it may read anything that the operation does not write.
template <class Predicate>
IndexPredicate<Predicate> by_index(const Predicate& predicate) {
  return {predicate};
}

}  // namespace wavescan

#endif
