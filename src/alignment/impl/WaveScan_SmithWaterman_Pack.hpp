// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SMITHWATERMAN_PACK_HPP
#define WAVESCAN_IMPL_SMITHWATERMAN_PACK_HPP

#include <Kokkos_Macros.hpp>

namespace wavescan::Impl {

/// @brief A vector register of small integers, with the few operations that an alignment needs.
///
/// Written with the vector types of g++ and clang, which need no flags of an instruction set; other
/// compilers get loops that they can vectorise. Sums wrap around.
template <class V>
class Pack {
#if defined(__AVX2__) && !defined(__CUDACC__)
  static constexpr int bytes = 32;
#else
  static constexpr int bytes = 16;
#endif

 public:
  static constexpr int lanes = bytes / static_cast<int>(sizeof(V));

#if defined(__GNUC__) && !defined(__CUDACC__)
  // clang-format off
  typedef V register_type __attribute__((vector_size(bytes), may_alias));
  // clang-format on

  /// @param from, to aligned to a pack
  KOKKOS_FORCEINLINE_FUNCTION static Pack load(const V* from) {
    return Pack(*reinterpret_cast<const register_type*>(from));
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(V* to) const {
    *reinterpret_cast<register_type*>(to) = register_;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Pack operator+(const Pack& x, const Pack& y) {
    return Pack(x.register_ + y.register_);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Pack operator-(const Pack& x, const Pack& y) {
    return Pack(x.register_ - y.register_);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Pack max(const Pack& x, const Pack& y) {
    return Pack(x.register_ > y.register_ ? x.register_ : y.register_);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION explicit Pack(const register_type& r) : register_(r) {}
#else
  struct alignas(bytes) register_type {
    V lane[lanes];
    KOKKOS_FORCEINLINE_FUNCTION V& operator[](int l) { return lane[l]; }
    KOKKOS_FORCEINLINE_FUNCTION const V& operator[](int l) const { return lane[l]; }
  };

  KOKKOS_FORCEINLINE_FUNCTION static Pack load(const V* from) {
    return each([&](int l) { return from[l]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(V* to) const {
    for (int l = 0; l < lanes; ++l) to[l] = register_[l];
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Pack operator+(const Pack& x, const Pack& y) {
    return each([&](int l) { return static_cast<V>(x[l] + y[l]); });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Pack operator-(const Pack& x, const Pack& y) {
    return each([&](int l) { return static_cast<V>(x[l] - y[l]); });
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Pack max(const Pack& x, const Pack& y) {
    return each([&](int l) { return x[l] > y[l] ? x[l] : y[l]; });
  }

 private:
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION static Pack each(const F& f) {
    Pack result;
    for (int l = 0; l < lanes; ++l) result.register_[l] = f(l);
    return result;
  }
#endif

 public:
  Pack() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit Pack(V value) {
    for (int l = 0; l < lanes; ++l) register_[l] = value;
  }
  KOKKOS_FORCEINLINE_FUNCTION V operator[](int lane) const { return register_[lane]; }
  /// @brief True if some lane of x is greater than that of y.
  KOKKOS_FORCEINLINE_FUNCTION friend bool any_greater(const Pack& x, const Pack& y) {
    int greater = 0;
    for (int l = 0; l < lanes; ++l) greater |= x[l] > y[l];
    return greater != 0;
  }

 private:
  register_type register_;
};

}  // namespace wavescan::Impl

#endif
