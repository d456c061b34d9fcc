// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_PAD_PORTABLEPAD_HPP
#define WAVESCAN_IMPL_PAD_PORTABLEPAD_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/pad/WaveScan_PadProblem.hpp>

#include <algorithm>
#include <cstddef>

/// @file
/// @brief Moves of boxes on any execution space, by loops of Kokkos.
///
/// Within one piece of memory the elements move in pieces, the first or the last piece first, each
/// through a buffer: nothing is overwritten that is still to be read, since kernels of one instance
/// follow each other.

namespace wavescan::Impl::pad {

/// @brief Element number `index` of a box, in memory.
struct BoxIndex {
  Index extent1, extent2;
  Index stride0, stride1, stride2;
  KOKKOS_FUNCTION Index operator()(Index index) const {
    const Index row = index / extent2;
    return row / extent1 * stride0 + row % extent1 * stride1 + index % extent2 * stride2;
  }
};
inline BoxIndex index_of(const Box& box, const Kokkos::Array<Index, Box::rank>& stride) {
  return {std::max<Index>(box.extent[1], 1), std::max<Index>(box.extent[2], 1), stride[0],
          stride[1], stride[2]};
}

template <class T>
struct CopyKernel {
  const T* in;
  T* out;
  BoxIndex from, to;
  KOKKOS_FUNCTION void operator()(const Index k) const { out[to(k)] = in[from(k)]; }
};
template <class T>
struct LoadKernel {
  const T* in;
  T* buffer;
  BoxIndex from;
  Index begin;
  KOKKOS_FUNCTION void operator()(const Index k) const { buffer[k] = in[from(begin + k)]; }
};
template <class T>
struct StoreKernel {
  const T* buffer;
  T* out;
  BoxIndex to;
  Index begin;
  KOKKOS_FUNCTION void operator()(const Index k) const { out[to(begin + k)] = buffer[k]; }
};
template <class T>
struct FillKernel {
  Margin<T> margin;
  Index columns;
  KOKKOS_FUNCTION void operator()(const Index k) const {
    const Index row = k / columns, c = k % columns;
    const Index column = c < margin.leading ? c : c + margin.moved;
    margin.data[row / margin.extent[1] * margin.stride[0] +
                row % margin.extent[1] * margin.stride[1] + column * margin.stride[2]] =
        margin.value;
  }
};

/// @brief Fills the columns beside those that hold elements.
template <ExecutionSpace Exec, class T>
void enqueue_fill(const Exec& exec, const Margin<T>& margin) {
  if (!margin.filled || margin.elements() == 0) return;
  Kokkos::parallel_for(
      "WaveScan::pad::fill",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, margin.elements()),
      FillKernel<T>{margin, margin.columns()});
}

template <ExecutionSpace Exec>
class PortablePad {
 public:
  PortablePad() = default;
  PortablePad(const Exec& exec, Index elements, std::size_t element_bytes) {
    allocate(exec, buffer_, "WaveScan::pad::buffer",
             std::min(static_cast<std::size_t>(elements) * element_bytes,
                      std::max(most, element_bytes)));
  }

  template <class T>
  void enqueue(const Exec& exec, const Problem<T>& problem) const {
    const Box& box = problem.box;
    const Index n = box.elements();
    const BoxIndex from = index_of(box, box.in), to = index_of(box, box.out);
    const auto over = [&](Index count) {
      return Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, count);
    };
    if (problem.direction == Direction::Apart) {
      if (n > 0)
        Kokkos::parallel_for("WaveScan::pad::copy", over(n),
                             CopyKernel<T>{problem.in, problem.out, from, to});
    } else {
      const auto piece = static_cast<Index>(buffer_.size() / sizeof(T));
      T* const buffer = reinterpret_cast<T*>(buffer_.data());
      for (Index done = 0; done < n; done += piece) {
        const Index size = std::min(piece, n - done);
        const Index begin = problem.direction == Direction::Down ? done : n - done - size;
        Kokkos::parallel_for("WaveScan::pad::load", over(size),
                             LoadKernel<T>{problem.in, buffer, from, begin});
        Kokkos::parallel_for("WaveScan::pad::store", over(size),
                             StoreKernel<T>{buffer, problem.out, to, begin});
      }
    }
  }

  std::size_t bytes() const { return buffer_.size(); }

 private:
  static constexpr std::size_t most = std::size_t(32) << 20;
  Kokkos::View<std::byte*, typename Exec::memory_space> buffer_;
};

}  // namespace wavescan::Impl::pad

#endif
