// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_DEVICETABLES_HPP
#define WAVESCAN_IMPL_FILTER_GPU_DEVICETABLES_HPP

#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>

#include <type_traits>

namespace wavescan::Impl::filter {

/// @brief A plan's tables in a GPU's memory.
template <class Tables>
class DeviceTables {
  static_assert(std::is_trivially_copyable_v<Tables>);

 public:
  DeviceTables() = default;
  DeviceTables(const gpu::Device& exec, const Tables& tables) {
    allocate(exec, bytes_, "WaveScan::filter::tables", sizeof(Tables));
    Kokkos::deep_copy(
        exec, bytes_,
        Kokkos::View<const unsigned char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
            reinterpret_cast<const unsigned char*>(&tables), sizeof(Tables)));
    exec.fence("WaveScan::filter::tables");
  }

  /// @brief Where kernels find them.
  const Tables* get() const { return reinterpret_cast<const Tables*>(bytes_.data()); }

 private:
  Kokkos::View<unsigned char*, gpu::Device::memory_space> bytes_;
};

}  // namespace wavescan::Impl::filter

#endif
