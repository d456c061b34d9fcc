// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_SECONDARRAY_HPP
#define WAVESCAN_IMPL_SOR3D_SECONDARRAY_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/sor3d/WaveScan_Box.hpp>
#include <impl/sor3d/WaveScan_Problem.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace wavescan::Impl::sor3d {

/// @brief A second array with the extents and the order of x, made when it is first needed.
template <ExecutionSpace Exec, class T>
class SecondArray {
 public:
  Box<T> like(const Exec& exec, const Box<T>& x) const {
    allocate(exec, values_, "WaveScan::sor3d::second", x.planes * x.rows * x.columns);
    Box<T> box{values_.data(), x.planes, x.rows, x.columns, x.rows * x.columns, x.columns, 1};
    if (has_closer_planes(x)) {
      box.plane_stride = 1;
      box.row_stride = x.planes;
      box.column_stride = x.planes * x.rows;
    }
    return box;
  }

 private:
  mutable Kokkos::View<T*, typename Exec::memory_space> values_;
};

}  // namespace wavescan::Impl::sor3d

#endif
