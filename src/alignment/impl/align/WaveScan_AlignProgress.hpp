// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_ALIGNPROGRESS_HPP
#define WAVESCAN_IMPL_ALIGN_ALIGNPROGRESS_HPP

#include <functional>
#include <utility>

namespace wavescan::Impl {

class Checkpoint;

/// @brief Tells a caller which share of the entries is computed.
///
/// How much remains is only bounded until the alignment's extent is known; the bound falls, so the
/// share never does.
class Progress {
 public:
  /// @param checkpoint where results are kept, if they are
  explicit Progress(std::function<void(double)> report, Checkpoint* checkpoint = nullptr)
      : report_(std::move(report)), checkpoint_(checkpoint) {}
  bool wanted() const { return static_cast<bool>(report_); }
  Checkpoint* checkpoint() const { return checkpoint_; }
  /// @brief Corrects the number of entries still to be computed, at most.
  void remaining(double entries) { total_ = done_ + entries; }
  /// @brief Counts entries as computed and reports.
  void add(double entries) {
    done_ += entries;
    if (report_ && done_ < total_) report_(done_ / total_);
  }
  /// @brief Counts entries that need not be computed.
  void skip(double entries) { done_ += entries; }
  /// @brief Reports that all is done.
  void finish() {
    if (report_) report_(1.0);
  }

 private:
  std::function<void(double)> report_;
  Checkpoint* checkpoint_;
  double done_ = 0;
  double total_ = 0;
};

}  // namespace wavescan::Impl

#endif
