// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_TILEMAP_HPP
#define WAVESCAN_IMPL_GPU_TILEMAP_HPP

#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_SharedMemory.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>

#include <cuda.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

/// @file
/// @brief Rectangles of an array between global and shared memory (CUDA): by the engine that copies
/// them if the mover is bulk, and one thread that starts it; else by a warp.
///
/// In shared memory the rows of a rectangle follow each other without gaps. What lies outside of
/// the array is loaded as zero, and is not stored. What is stored ends at multiples of 4 bytes.

namespace wavescan::Impl::gpu {

/// @brief The rows of an array, and the size of a rectangle of them, for a warp.
struct RowMap {
  std::uintptr_t address;
  std::int64_t pitch;      ///< bytes from row to row
  std::int64_t row_bytes;  ///< that there are of a row
  std::int64_t rows;
  int box_rows;
  int box_words;  ///< of a rectangle's row, 16 bytes each

  /// @brief Goes through the words of a rectangle that a lane moves. Most are moved some at a time,
  /// so that their loads are under way together, and with little to compute for each: a lane stays
  /// in its column of words.
  /// @param whole called as whole(place, place_step, address, pitch) for AtOnce words that are all
  ///              in the array: where the first one is in shared memory and in the array, and how
  ///              far the next one is
  /// @param part  called as part(place, address, bytes) for a word of which that many bytes are
  template <int AtOnce, class Whole, class Part>
  __device__ void for_words(std::int64_t x_bytes, std::int64_t y, const Whole& whole,
                            const Part& part) const {
    const bool is_wide = box_words >= warp_size;
    const int step = is_wide ? 1 : warp_size / box_words;
    const int first = is_wide ? 0 : lane() / box_words;
    if (first == step) return;  // beyond the words of whole rows
    const bool has_all_rows = y >= 0 && y + box_rows <= rows;
    const std::int64_t row_step = step * pitch;
    const int place_step = step * box_words * 16;
    for (int word = lane() - first * box_words; word < box_words; word += warp_size) {
      const std::int64_t byte = x_bytes + word * 16;
      const std::int64_t left = row_bytes - byte;
      const int bytes = byte < 0 || left <= 0 ? 0 : left < 16 ? static_cast<int>(left) : 16;
      std::uintptr_t from = address + static_cast<std::uintptr_t>((y + first) * pitch + byte);
      int place = (first * box_words + word) * 16;
      int row = first;
      if (has_all_rows && bytes == 16)
        for (; row + (AtOnce - 1) * step < box_rows; row += AtOnce * step) {
          whole(place, place_step, from, row_step);
          from += static_cast<std::uintptr_t>(AtOnce * row_step);
          place += AtOnce * place_step;
        }
#pragma unroll 1
      for (; row < box_rows; row += step) {
        part(place, from, y + row >= 0 && y + row < rows ? bytes : 0);
        from += static_cast<std::uintptr_t>(row_step);
        place += place_step;
      }
    }
  }
};

/// @brief The mover's description of an array's rows.
using TileMap = std::conditional_t<mover == Mover::Bulk, CUtensorMap, RowMap>;

namespace detail {
using EncodeTiles = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*,
                                 const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                                 const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/// @brief The driver's function, found without linking to the driver.
inline EncodeTiles encode_tiles() {
  static const EncodeTiles function = [] {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult result{};
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &address, 12000,
                                           cudaEnableDefault, &result),
          "cudaGetDriverEntryPointByVersion");
    return reinterpret_cast<EncodeTiles>(address);
  }();
  return function;
}
}  // namespace detail

/// @brief Describes rows of elements to the mover, which moves a box of them at a time. Both the
/// address and the pitch, in bytes, are multiples of 16, as are a box's rows and where they begin.
/// @param fetched at least this much of a row at a time; more than a narrow box has is faster where
///        the next box continues its rows
template <class T, class Map = TileMap>
Map describe_rows(
    std::uintptr_t address, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
    int box_rows, int box_columns,
    [[maybe_unused]] CUtensorMapL2promotion fetched = CU_TENSOR_MAP_L2_PROMOTION_L2_128B) {
  if constexpr (std::is_same_v<Map, CUtensorMap>) {
    constexpr auto type = sizeof(T) == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                          : sizeof(T) == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                          : sizeof(T) == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                           : CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
    const cuuint64_t pitches[1] = {static_cast<cuuint64_t>(pitch)};
    const cuuint32_t box[2] = {static_cast<cuuint32_t>(box_columns),
                               static_cast<cuuint32_t>(box_rows)};
    const cuuint32_t steps[2] = {1, 1};
    Map map;
    const CUresult result =
        detail::encode_tiles()(&map, type, 2, reinterpret_cast<void*>(address), sizes, pitches, box,
                               steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               fetched, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS)
      throw std::runtime_error("WaveScan: cuTensorMapEncodeTiled failed with " +
                               std::to_string(static_cast<int>(result)));
    return map;
  } else {
    constexpr auto bytes = static_cast<int>(sizeof(T));
    return Map{address, pitch, columns * bytes, rows, box_rows, box_columns * bytes / 16};
  }
}

/// @brief 16 bytes, past the first-level cache, which may have what others have overwritten.
__device__ inline uint4 load_past_cache(std::uintptr_t from) {
  uint4 word;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "l"(from)
               : "memory");
  return word;
}
/// @brief The first bytes of 16, and zeros for the others.
__device__ inline uint4 load_or_zero(std::uintptr_t from, int bytes) {
  if (bytes == 16) return load_past_cache(from);
  uint4 word{};
  for (int i = 0; i < bytes; ++i) {
    std::uint32_t byte;
    asm volatile("ld.global.cg.u8 %0, [%1];" : "=r"(byte) : "l"(from + i) : "memory");
    byte <<= i % 4 * 8;
    (i < 4 ? word.x : i < 8 ? word.y : i < 12 ? word.z : word.w) |= byte;
  }
  return word;
}
/// @brief Stores the first bytes of 16, a multiple of 4.
__device__ inline void store_part(std::uintptr_t to, int bytes, const uint4& word) {
  auto* const parts = reinterpret_cast<std::uint32_t*>(to);
  if (bytes > 0) parts[0] = word.x;
  if (bytes > 4) parts[1] = word.y;
  if (bytes > 8) parts[2] = word.z;
  if (bytes > 12) parts[3] = word.w;
}

/// @brief The number of arrivals when tiles have been loaded.
inline constexpr int tile_arrivals = mover == Mover::Bulk ? 1 : loading_arrivals;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define WAVESCAN_PTX(...) asm volatile(__VA_ARGS__)
#else
#define WAVESCAN_PTX(...) static_cast<void>(0)
#endif

/// @brief Says how many bytes will arrive, before tiles are loaded. Who loads them calls this, then
/// load_tile for each, then end_loads.
__device__ inline void begin_loads([[maybe_unused]] Barrier& arrived,
                                   [[maybe_unused]] std::uint32_t bytes) {
  if constexpr (mover == Mover::Bulk) arrived.arrive_expecting(bytes);
}
__device__ inline void end_loads([[maybe_unused]] Barrier& arrived) {
  if constexpr (mover != Mover::Bulk) arrive_with_loads(arrived);
}

/// @brief Starts loading a tile to shared memory (128-byte aligned).
template <class Place>
__device__ void load_tile(std::uint32_t shared, const Place& from,
                          [[maybe_unused]] Barrier& arrived) {
  if constexpr (mover == Mover::Bulk) {
    WAVESCAN_PTX(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared),
        "l"(from.map), "r"(from.x), "r"(from.y), "r"(shared_address(&arrived))
        : "memory");
  } else {
    constexpr int at_once = 8;
    from.map->template for_words<at_once>(
        std::int64_t(from.x) * Place::element_bytes, from.y,
        [&](int place, int place_step, std::uintptr_t word, std::int64_t pitch) {
          [[maybe_unused]] uint4 loaded[at_once];
#pragma unroll
          for (int k = 0; k < at_once; ++k) {
            const std::uintptr_t at = word + static_cast<std::uintptr_t>(k * pitch);
            if constexpr (mover == Mover::Async)
              copy_async_once(shared + place + k * place_step, at);
            else
              loaded[k] = load_past_cache(at);
          }
          if constexpr (mover == Mover::Plain)
#pragma unroll
            for (int k = 0; k < at_once; ++k)
              store_shared(shared + place + k * place_step, loaded[k]);
        },
        [&](int place, std::uintptr_t word, int bytes) {
          store_shared(shared + place, load_or_zero(word, bytes));
        });
  }
}

/// @brief Starts storing a tile from shared memory (128-byte aligned).
template <class Place>
__device__ void store_tile(const Place& to, std::uint32_t shared) {
  if constexpr (mover == Mover::Bulk) {
    WAVESCAN_PTX(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(to.map),
        "r"(to.x), "r"(to.y), "r"(shared)
        : "memory");
  } else {
    constexpr int at_once = 4;
    to.map->template for_words<at_once>(
        std::int64_t(to.x) * Place::element_bytes, to.y,
        [&](int place, int place_step, std::uintptr_t word, std::int64_t pitch) {
          uint4 stored[at_once];
#pragma unroll
          for (int k = 0; k < at_once; ++k) load_shared(stored[k], shared + place + k * place_step);
#pragma unroll
          for (int k = 0; k < at_once; ++k)
            *reinterpret_cast<uint4*>(word + static_cast<std::uintptr_t>(k * pitch)) = stored[k];
        },
        [&](int place, std::uintptr_t word, int bytes) {
          uint4 stored;
          load_shared(stored, shared + place);
          store_part(word, bytes, stored);
        });
  }
}
/// @brief Stores a rectangle with the engine's cache policy.
template <class Place>
__device__ void store_tile(const Place& to, std::uint32_t shared,
                           [[maybe_unused]] std::uint64_t policy) {
  if constexpr (mover == Mover::Bulk)
    WAVESCAN_PTX(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint "
        "[%0, {%1, %2}], [%3], %4;" ::"l"(to.map),
        "r"(to.x), "r"(to.y), "r"(shared), "l"(policy)
        : "memory");
  else
    store_tile(to, shared);
}

/// @brief Starts storing a part of a row, by the engine; addresses and size are multiples of 16
/// bytes.
__device__ inline void store_line(void* to, std::uint32_t shared, std::uint32_t bytes) {
  WAVESCAN_PTX("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared),
               "r"(bytes)
               : "memory");
  static_cast<void>(to), static_cast<void>(shared), static_cast<void>(bytes);
}

#undef WAVESCAN_PTX

}  // namespace wavescan::Impl::gpu

#endif
