// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INPLACEVECTOR_HPP
#define WAVESCAN_IMPL_INPLACEVECTOR_HPP

#include <algorithm>
#include <array>
#include <cstddef>

namespace wavescan::Impl {

/// @brief A vector of up to `Capacity` elements that allocates nothing, as std::inplace_vector of
/// C++26.
template <class T, std::size_t Capacity>
class InplaceVector {
 public:
  static constexpr std::size_t capacity = Capacity;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T* begin() { return elements_.data(); }
  T* end() { return elements_.data() + size_; }
  const T* begin() const { return elements_.data(); }
  const T* end() const { return elements_.data() + size_; }
  T& front() { return elements_[0]; }
  const T& front() const { return elements_[0]; }
  T& back() { return elements_[size_ - 1]; }
  const T& back() const { return elements_[size_ - 1]; }

  void push_back(const T& element) { elements_[size_++] = element; }
  void pop_back() { --size_; }
  void push_front(const T& element) {
    std::move_backward(begin(), end(), end() + 1);
    elements_[0] = element;
    ++size_;
  }
  void erase(T* element) {
    std::move(element + 1, end(), element);
    --size_;
  }

 private:
  std::array<T, Capacity> elements_{};
  std::size_t size_ = 0;
};

}  // namespace wavescan::Impl

#endif
