// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_TWOSCANS_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_TWOSCANS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_Scan.hpp>

namespace wavescan::Impl {

/// @brief A summed-area table as two scans: along the rows, with conversion, then along the columns
/// in place. The portable way.
///
/// Nothing is subtracted, so nothing cancels. The image is read once or twice, the table written
/// twice and read once or twice.
template <ExecutionSpace Exec, class T>
class TwoScanTable {
 public:
  TwoScanTable(const Exec& exec, Index rows, Index columns)
      : along_rows_(exec, rows, columns), along_columns_(exec, columns, rows) {}

  template <class Image, class Table>
  void operator()(const Image& image, const Table& table) const {
    along_rows_.inclusive(image, table, ScanOptions<>().axis(1));
    along_columns_.inclusive(table, table, ScanOptions<>().axis(0));
  }

  std::size_t workspace_bytes() const {
    return along_rows_.workspace_bytes() + along_columns_.workspace_bytes();
  }

 private:
  Scan<Exec, Plus<T>> along_rows_;
  Scan<Exec, Plus<T>> along_columns_;
};

}  // namespace wavescan::Impl

#endif
