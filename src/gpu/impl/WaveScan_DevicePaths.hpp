// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_DEVICEPATHS_HPP
#define WAVESCAN_IMPL_DEVICEPATHS_HPP

#include <impl/WaveScan_Compiler.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <utility>

/// @file
/// @brief The kind of kernels that each operation takes on each kind of device. Shapes and types
/// then choose among the kernels of a kind, or decline them: docs/pages/performance.md.

namespace wavescan::Impl {

enum class Vendor { Nvidia, Amd, Other };

/// @brief The properties of a device by which kernels are chosen.
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

/// @brief The least of the compute capabilities that are compiled for; 0 on other devices.
#if defined(__CUDA_ARCH_LIST__)
inline constexpr int compiled_capability = std::min({__CUDA_ARCH_LIST__}) / 10;
#elif defined(WAVESCAN_HAS_CUDA_KERNELS)
inline constexpr int compiled_capability = KOKKOS_IMPL_ARCH_NVIDIA_GPU;
#else
inline constexpr int compiled_capability = 0;
#endif

/// @brief The properties that a program may rely on, of all devices that it is compiled for; the
/// execution space of those with warps; and the number of lanes of a warp (wavefront).
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
inline constexpr DeviceKind compiled_device{Vendor::Nvidia, compiled_capability};
namespace gpu {
using Device = Kokkos::Cuda;
inline constexpr int warp_size = 32;
}  // namespace gpu
#elif defined(WAVESCAN_HAS_HIP_KERNELS)
inline constexpr DeviceKind compiled_device{Vendor::Amd};
namespace gpu {
using Device = Kokkos::HIP;
inline constexpr int warp_size = Kokkos::Impl::HIPTraits::WarpSize;
}  // namespace gpu
#else
inline constexpr DeviceKind compiled_device{Vendor::Other};
namespace gpu {
using Device = void;
inline constexpr int warp_size = 32;
}  // namespace gpu
#endif

/// @brief The vendor of the GPUs, with warps, on which a space's kernels run; `Other` for hosts and
/// other devices.
template <class Exec>
inline constexpr Vendor vendor_of =
    std::same_as<Exec, gpu::Device> ? compiled_device.vendor : Vendor::Other;
template <class Exec>
inline constexpr bool runs_on_gpu = vendor_of<Exec> != Vendor::Other;

/// @brief The kinds of kernels, each of which needs more of a device than those before it. `Host`:
/// none; the host computes what is asked of the device.
enum class DevicePath { Host, Portable, Warps, AsyncCopies, BulkCopies };

enum class Operation {
  Scan,
  Filter,
  Columns,
  Selection,
  Padding,
  RowSweep,
  TileCompensated,
  TileSkewed,
  ConstantSOR,
  VariableSOR,
  SparseSOR,
  ConstantSOR3D,
  BlockSOR,
  SummedAreaTable,
  IntegralHistogram,
  ImageFilter,
  BatchAlignment,
  PairAlignment
};

/// @brief Names of operations in the documentation. Schedules of wavefronts and algorithms of SOR
/// have their own names (Schedule, SORAlgorithm).
inline constexpr std::array<std::pair<Operation, const char*>, 18> operation_names{{
    {Operation::Scan, "scans, weighted or not"},
    {Operation::Filter, "filters of signals"},
    {Operation::Columns, "tridiagonal systems"},
    {Operation::Selection, "selections and partitions"},
    {Operation::Padding, "moves of rows to another pitch"},
    {Operation::RowSweep, "wavefronts, `RowSweep`"},
    {Operation::TileCompensated, "wavefronts, `TileCompensated`"},
    {Operation::TileSkewed, "wavefronts, `TileSkewed`"},
    {Operation::ConstantSOR, "SOR, constant coefficients: `temporal-blocking`, `resident`"},
    {Operation::VariableSOR, "SOR, variable coefficients: `wavefront`"},
    {Operation::SparseSOR, "solves by SOR, few points unknown"},
    {Operation::ConstantSOR3D, "SOR in three dimensions, constant coefficients: `pencils`"},
    {Operation::BlockSOR, "SOR, several unknowns a point"},
    {Operation::SummedAreaTable, "summed-area tables"},
    {Operation::IntegralHistogram, "integral histograms"},
    {Operation::BatchAlignment, "alignments of many pairs"},
    {Operation::ImageFilter, "filters of images"},
    {Operation::PairAlignment, "alignments of two sequences"},
}};
constexpr const char* to_string(DevicePath path) {
  switch (path) {
    case DevicePath::Warps:
      return "own";
    case DevicePath::AsyncCopies:
      return "own, async";
    case DevicePath::BulkCopies:
      return "own, bulk";
    case DevicePath::Host:
      return "host";
    case DevicePath::Portable:
      break;
  }
  return "portable";
}

/// @brief The best kernels that an operation has for a device.
constexpr DevicePath device_path(Operation operation, DeviceKind device) {
  const DevicePath warps = device.has_warps() ? DevicePath::Warps : DevicePath::Portable;
  const DevicePath async = device.has_async_copies() ? DevicePath::AsyncCopies : warps;
  // Kernels that are written for any mover (gpu/impl/WaveScan_Gpu_Mover.hpp).
  const DevicePath mover = device.has_bulk_copies() ? DevicePath::BulkCopies : async;
  switch (operation) {
    case Operation::Scan:
    case Operation::Filter:
    case Operation::Selection:
    case Operation::Padding:
    case Operation::SummedAreaTable:
      return mover;
    case Operation::ConstantSOR:  // elsewhere a wavefront
      return device.vendor == Vendor::Nvidia ? mover : warps;
    case Operation::Columns:
    case Operation::TileSkewed:
    case Operation::VariableSOR:
    case Operation::BlockSOR:
      return async;
    case Operation::RowSweep:
    case Operation::TileCompensated:
      return warps;
    case Operation::IntegralHistogram:
      return device.vendor == Vendor::Nvidia ? DevicePath::Warps : DevicePath::Portable;
    case Operation::BatchAlignment:
      return device.vendor == Vendor::Nvidia ? DevicePath::Warps : DevicePath::Host;
    case Operation::PairAlignment:
      return device.vendor == Vendor::Nvidia && device.capability >= 70 ? DevicePath::Warps
                                                                        : DevicePath::Host;
    case Operation::ConstantSOR3D:
      return device.vendor == Vendor::Nvidia ? async : DevicePath::Portable;
    case Operation::SparseSOR:
    case Operation::ImageFilter:
      break;
  }
  return DevicePath::Portable;
}

/// @brief Returns the path that an operation takes on the newest devices.
constexpr DevicePath best_device_path(Operation operation) {
  return device_path(operation, {Vendor::Nvidia, 100});
}

/// @brief Returns the reason why a device does not have that path.
constexpr const char* why_no_better_path(Operation operation, DeviceKind device) {
  if (device.vendor == Vendor::Other) return "the device's lanes cannot exchange values";
  const bool portable = device_path(operation, device) <= DevicePath::Portable;
  if (device.vendor == Vendor::Amd)
    return portable ? "not written for AMD's GPUs" : "the device has no copies to shared memory";
  return portable ? "the device has no independent thread scheduling"
                  : "the device has no faster copies to shared memory";
}

}  // namespace wavescan::Impl

#endif
