// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SOR_VARIABLE_HPP
#define WAVESCAN_TEST_SOR_VARIABLE_HPP

#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScanTest_SpecialNumbers.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "Reference.hpp"

/// @file
/// @brief Coefficients that differ from point to point, on the host and in device memory.

namespace wavescan::Test {

/// @brief Gives every point coefficients of its own, within 20% of p.c and now and then zero
/// beside it. Where nothing may be read, in the halo and at fixed points, they are NaN.
/// @param constant bit k set: coefficient k is the same everywhere
template <class T>
void vary_coefficients(PlainSOR<T>& p, Random& random, unsigned constant = 0) {
  p.each.assign(p.size(), {nan<T>, nan<T>, nan<T>, nan<T>, nan<T>, nan<T>});
  for (std::int64_t i = 0; i <= p.m + 1; ++i)
    for (std::int64_t j = 0; j <= p.n + 1; ++j)
      for (std::size_t k = 0; k < 6; ++k) {
        const auto member = members_of_coefficients<T>[k];
        T& value = p.each[p.at(i, j)].*member;
        if (constant >> k & 1)
          value = p.c.*member;
        else if (p.unknown(i, j))
          value = k > 0 && k < 5 && random.integer(0, 9) == 0
                      ? T(0)
                      : p.c.*member * (1 + T(0.2) * random.value<T>());
      }
}

/// @brief The coefficients of a plain problem in device memory.
template <class T>
class DeviceCoefficients {
 public:
  using MemorySpace = Exec::memory_space;

  /// @param places where the six arrays lie, in turn
  DeviceCoefficients(const PlainSOR<T>& p, const std::vector<Placement>& places,
                     unsigned constant = 0) {
    for (std::size_t k = 0; k < 6; ++k) {
      const auto member = members_of_coefficients<T>[k];
      if (constant >> k & 1) {
        fields_[k] = p.c.*member;
        continue;
      }
      std::vector<T> values;
      for (const auto& c : p.each) values.push_back(c.*member);
      arrays_[k] = std::make_unique<GuardedArray<T>>(places[k % places.size()], values);
      fields_[k] = arrays_[k]->matrix();
    }
  }

  VariableCoefficients<T, MemorySpace> get() const {
    return {fields_[0], fields_[1], fields_[2], fields_[3], fields_[4], fields_[5]};
  }

 private:
  std::array<std::unique_ptr<GuardedArray<T>>, 6> arrays_;
  std::array<SORCoefficient<T, MemorySpace>, 6> fields_;
};

}  // namespace wavescan::Test

#endif
