// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_ARRAY_HPP
#define WAVESCAN_TEST_ARRAY_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <vector>

namespace wavescan::Test {

/// @brief Where the entries of an array lie in a buffer; what lies between them is guarded.
struct Placement {
  std::int64_t rows = 1;
  std::int64_t columns = 0;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 1;
  std::int64_t first = 0;  ///< elements by which the first entry is moved off its alignment

  std::int64_t offset(std::int64_t i, std::int64_t j) const {
    return i * row_stride + j * column_stride;
  }
};

inline Placement line(std::int64_t length, std::int64_t stride = 1) {
  return {1, length, 0, stride};
}
inline Placement row_major(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, columns, 1};
}
inline Placement column_major(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, 1, rows};
}
/// @brief Rows apart from each other and every third element of them.
inline Placement spread(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, 3 * columns + 5, 3};
}

/// @brief Bytes in a memory space and on the host. Instantiated once, in main.cpp, and not for each
/// type of elements: copies take long to compile.
template <class MemorySpace>
class MirroredBytes {
 public:
  MirroredBytes(std::size_t size, int value)
      : bytes_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "bytes"), size),
        host_(Kokkos::create_mirror_view(bytes_)) {
    std::memset(host_.data(), value, size);
    to_device();
  }
  void to_device() const { Kokkos::deep_copy(bytes_, host_); }
  /// @brief Copies after all work on the device.
  void to_host() const {
    Kokkos::fence();
    Kokkos::deep_copy(host_, bytes_);
  }
  unsigned char* data() const { return bytes_.data(); }
  unsigned char* host() const { return host_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  Kokkos::View<unsigned char*, MemorySpace> bytes_;
  typename Kokkos::View<unsigned char*, MemorySpace>::host_mirror_type host_;
};
extern template class MirroredBytes<Kokkos::DefaultExecutionSpace::memory_space>;

/// @brief Memory for an array amid guard bytes, whatever the type of its elements.
template <class MemorySpace>
class GuardedBytes {
 public:
  GuardedBytes(const Placement& placement, std::size_t element)
      : placement_(placement),
        element_(element),
        elements_(element_count(placement)),
        bytes_(elements_ * element, marker) {}

  /// @brief Whether nothing was written before, between and behind the entries.
  testing::AssertionResult guards_intact() const {
    bytes_.to_host();
    std::vector<bool> entry(elements_, false);
    for (std::int64_t i = 0; i < placement_.rows; ++i)
      for (std::int64_t j = 0; j < placement_.columns; ++j) entry[place(i, j)] = true;
    for (std::size_t k = 0; k < entry.size(); ++k) {
      if (entry[k]) continue;
      for (std::size_t b = k * element_; b < (k + 1) * element_; ++b)
        if (bytes_.host()[b] != marker)
          return testing::AssertionFailure()
                 << "guard " << static_cast<std::int64_t>(k) - margin - placement_.first
                 << " of an array of " << placement_.rows << " x " << placement_.columns
                 << " was overwritten";
    }
    return testing::AssertionSuccess();
  }

  const Placement& placement() const { return placement_; }

 protected:
  /// Guarded elements before and behind; a multiple of every alignment.
  static constexpr std::int64_t margin = 64;

  std::size_t place(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(margin + placement_.first + placement_.offset(i, j));
  }
  const MirroredBytes<MemorySpace>& bytes() const { return bytes_; }

 private:
  static constexpr int marker = 0xff;

  static std::size_t element_count(const Placement& p) {
    const bool empty = p.rows == 0 || p.columns == 0;
    return static_cast<std::size_t>(2 * margin + p.first +
                                    (empty ? 0 : p.offset(p.rows - 1, p.columns - 1) + 1));
  }

  Placement placement_;
  std::size_t element_;  ///< bytes
  std::size_t elements_;
  MirroredBytes<MemorySpace> bytes_;
};
extern template class GuardedBytes<Kokkos::DefaultExecutionSpace::memory_space>;

/// @brief An array in device memory amid guard bytes, seen through Views of any layout.
///
/// Entries and guards are bytes 0xff at first: NaN as floating point, -1 as integers.
template <class T, class Exec = Kokkos::DefaultExecutionSpace>
class GuardedArray : public GuardedBytes<typename Exec::memory_space> {
  using Base = GuardedBytes<typename Exec::memory_space>;

 public:
  using memory_space = typename Exec::memory_space;
  template <class Data, class Layout>
  using View = Kokkos::View<Data, Layout, Kokkos::Device<Exec, memory_space>,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  explicit GuardedArray(const Placement& placement) : Base(placement, sizeof(T)) {}

  /// @brief An array that holds `values` row by row.
  GuardedArray(const Placement& placement, const std::vector<T>& values) : GuardedArray(placement) {
    set(values);
  }

  void set(const std::vector<T>& values) {
    const Placement& p = this->placement();
    auto value = values.begin();
    for (std::int64_t i = 0; i < p.rows; ++i)
      for (std::int64_t j = 0; j < p.columns; ++j) host()[this->place(i, j)] = *value++;
    this->bytes().to_device();
  }

  /// @brief The values row by row, after all work on the device.
  std::vector<T> values() const {
    const Placement& p = this->placement();
    this->bytes().to_host();
    std::vector<T> result;
    result.reserve(static_cast<std::size_t>(p.rows * p.columns));
    for (std::int64_t i = 0; i < p.rows; ++i)
      for (std::int64_t j = 0; j < p.columns; ++j) result.push_back(host()[this->place(i, j)]);
    return result;
  }

  /// @brief The array as a View of rank 1. Layouts other than LayoutStride need stride 1.
  template <class Layout = Kokkos::LayoutStride>
  View<T*, Layout> vector() const {
    const Placement& p = this->placement();
    const auto n = static_cast<std::size_t>(p.columns);
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>)
      return View<T*, Layout>(data(), Layout(n, static_cast<std::size_t>(p.column_stride)));
    else
      return View<T*, Layout>(data(), n);
  }

  /// @brief The array as a View of rank 2. Layouts other than LayoutStride need their placement.
  template <class Layout = Kokkos::LayoutStride>
  View<T**, Layout> matrix() const {
    const Placement& p = this->placement();
    const auto m = static_cast<std::size_t>(p.rows);
    const auto n = static_cast<std::size_t>(p.columns);
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>)
      return View<T**, Layout>(data(), Layout(m, static_cast<std::size_t>(p.row_stride), n,
                                              static_cast<std::size_t>(p.column_stride)));
    else
      return View<T**, Layout>(data(), m, n);
  }

  /// @brief A View of rank 0 of the first entry.
  View<T, Kokkos::LayoutRight> scalar() const { return View<T, Kokkos::LayoutRight>(data()); }

 private:
  T* host() const { return reinterpret_cast<T*>(this->bytes().host()); }
  T* data() const {
    return reinterpret_cast<T*>(this->bytes().data()) + this->margin + this->placement().first;
  }
};

}  // namespace wavescan::Test

#endif
