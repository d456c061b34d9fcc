// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_DEVICEPATHS_HPP
#define WAVESCAN_IMPL_DEVICEPATHS_HPP

/// @file
/// @brief Which operation takes which kind of kernels on which kind of device. Shapes and types
/// then choose among the kernels of a kind, or decline them: docs/pages/performance.md.

namespace wavescan::Impl {

enum class Vendor { Nvidia, Amd, Other };

/// @brief What a device is, for those who choose kernels.
struct DeviceKind {
  Vendor vendor;
  int capability = 0;  ///< NVIDIA's compute capability, 10 * major + minor

  /// @brief Warps that exchange values, and blocks that do so through tagged words.
  constexpr bool has_warps() const { return vendor != Vendor::Other; }
  /// @brief Copies to shared memory that threads need not wait for.
  constexpr bool has_async_copies() const { return vendor == Vendor::Nvidia && capability >= 80; }
  /// @brief Copies of whole rows to shared memory and back, which one thread starts.
  constexpr bool has_bulk_copies() const { return vendor == Vendor::Nvidia && capability >= 90; }
};

/// @brief Whether all GPUs that are compiled for have asynchronous copies, as far as Kokkos tells.
#if defined(KOKKOS_ARCH_AMPERE80) || defined(KOKKOS_ARCH_AMPERE86) ||         \
    defined(KOKKOS_ARCH_AMPERE87) || defined(KOKKOS_ARCH_ADA89) ||            \
    defined(KOKKOS_ARCH_HOPPER90) || defined(KOKKOS_ARCH_BLACKWELL100) ||     \
    defined(KOKKOS_ARCH_BLACKWELL103) || defined(KOKKOS_ARCH_BLACKWELL120) || \
    defined(KOKKOS_ARCH_BLACKWELL121)
inline constexpr bool always_has_async_copies = true;
#else
inline constexpr bool always_has_async_copies = false;
#endif

/// @brief The kinds of kernels, each of which needs more of a device than those before it.
enum class DevicePath { Portable, Warps, AsyncCopies, BulkCopies };

enum class Operation {
  Scan,
  Filter,
  Selection,
  Padding,
  RowSweep,
  TileCompensated,
  TileSkewed,
  ConstantSOR,
  VariableSOR,
  SparseSOR,
  ConstantSOR3D,
  SummedAreaTable,
  IntegralHistogram,
  ImageFilter,
  AlignmentBatch,
  SmithWaterman
};

/// @brief The best kernels that an operation has for a device.
constexpr DevicePath device_path(Operation operation, DeviceKind device) {
  const DevicePath warps = device.has_warps() ? DevicePath::Warps : DevicePath::Portable;
  const DevicePath async = device.has_async_copies() ? DevicePath::AsyncCopies : warps;
  switch (operation) {
    case Operation::Scan:
    case Operation::SummedAreaTable:  // without bulk copies, two scans
      return device.has_bulk_copies() ? DevicePath::BulkCopies : warps;
    case Operation::ConstantSOR:  // without bulk copies, a wavefront
      return device.has_bulk_copies() ? DevicePath::BulkCopies : async;
    case Operation::TileSkewed:
    case Operation::VariableSOR:
      return async;
    case Operation::RowSweep:
    case Operation::TileCompensated:
      return warps;
    case Operation::AlignmentBatch:
    case Operation::IntegralHistogram:
      return device.vendor == Vendor::Nvidia ? DevicePath::Warps : DevicePath::Portable;
    case Operation::SmithWaterman:
      return device.vendor == Vendor::Nvidia && device.capability >= 70 ? DevicePath::Warps
                                                                        : DevicePath::Portable;
    case Operation::Filter:
    case Operation::Selection:
    case Operation::Padding:
      return device.has_bulk_copies() ? DevicePath::BulkCopies : DevicePath::Portable;
    case Operation::ConstantSOR3D:  // needs the shared memory of those that have bulk copies
      return device.has_bulk_copies() ? DevicePath::AsyncCopies : DevicePath::Portable;
    case Operation::SparseSOR:
    case Operation::ImageFilter:
      break;
  }
  return DevicePath::Portable;
}

}  // namespace wavescan::Impl

#endif
