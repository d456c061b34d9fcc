// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR_HOST_HOSTWINDOW_HPP
#define WAVESCAN_IMPL_SOR_HOST_HOSTWINDOW_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor/host/WaveScan_HostPass.hpp>

#include <algorithm>
#include <type_traits>

namespace wavescan::Impl::sor {

/// @brief Rows of a grid, skewed: in step t, row l is at column `column - Lag l + t`. The entries
/// of a block of W steps are one vector of a row; in memory that runs backwards its last element is
/// the first step.
template <class Element, int W, int Rows, int Lag>
class HostRows {
 public:
  HostRows() = default;
  WAVESCAN_NOT_INLINED HostRows(const Grid<Element>& grid, Index row, Index first_row,
                                Index last_row, Index column)
      : stride_(grid.column_stride) {
    for (int l = 0; l < Rows; ++l) {
      starts_[l] = grid.data + (std::clamp(row + l, first_row, last_row) * grid.row_stride +
                                (column - Lag * l + (stride_ < 0 ? W - 1 : 0)) * stride_);
      for (Index t = 0; t < ahead; t += line) __builtin_prefetch(starts_[l] + t * stride_, 0, 2);
    }
  }
  bool exists() const { return stride_ != 0; }
  Element* block(int l, Index t) const { return starts_[l] + t * stride_; }
  /// @brief The element of the block's vectors that is its step k.
  int element(int k) const { return stride_ < 0 ? W - 1 - k : k; }
  /// @brief Asks for what is needed some blocks later; in the second cache, as rows of some lengths
  /// compete for places in the first.
  void prefetch(int l, Index t) const { __builtin_prefetch(block(l, t + ahead), 0, 2); }

 private:
  static constexpr Index line = 64 / static_cast<Index>(sizeof(Element));
  static constexpr Index ahead = 12 * line;
  Index stride_ = 0;
  Element* starts_[Rows] = {};
};

template <class Target, class V, int Lanes, int Fields, int Lag>
class HostWindow;

}  // namespace wavescan::Impl::sor

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sor/host/WaveScan_HostWindow.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::sor {

/// @brief The inputs of a band's stages besides x: fields of numbers, in the order of steps.
///
/// Stage s looks at a point 2 Lag steps after stage s - 1 did, one lane lower. Blocks are fetched
/// one ahead, as most loads straddle two stores, and moved to the front when the window's end is
/// reached. Any number of stages for which so many lanes are enough has the same code.
/// @tparam Lanes a multiple of W
template <class V, int Lanes, int Fields, int Lag>
class HostWindow<WAVESCAN_TARGET, V, Lanes, Fields, Lag> {
  using Vector = TargetVector<WAVESCAN_TARGET, V>;
  static constexpr int W = Vector::lanes;

 public:
  static constexpr int max_stages = Lanes - W + 1;
  static constexpr int pitch = Fields * Lanes;  ///< between two steps
  template <class Element>
  using rows_type = HostRows<Element, W, Lanes, Lag>;

  explicit HostWindow(int stages)
      : stages_(stages), past_steps_(past_steps(stages)), position_(past_steps_) {}

  /// @brief The number of steps that stages look back, in whole blocks.
  static constexpr int past_steps(int stages) { return (2 * Lag * stages + W - 1) / W * W; }
  /// @brief The number of steps by which the top rows are ahead of t = 0 at the first column, in
  /// whole blocks.
  static constexpr int early_steps(int stages) { return (Lag * (stages - 1) + W - 2) / W * W; }
  /// @brief The distance of stage s behind the front.
  static constexpr int behind(int s) { return s * (2 * Lag * pitch + 1); }
  static constexpr int field(int f) { return f * Lanes; }

  /// @brief The rows of a grid that the window shows.
  template <class Element>
  rows_type<Element> rows_of(const Grid<Element>& grid, const HostPlace& place) const {
    return {grid, place.first - stages_, 1, place.rows, Lag * (stages_ - 1)};
  }

  /// @brief The values that stage 0 would read in the first step of the block: a vector for each
  /// field.
  const V* front() const { return entries_ + position_ * pitch + stages_; }

  /// @brief Sets a field everywhere.
  void fill(int f, V value) {
    for (int k = 0; k < past_steps_ + 4 * W; ++k)
      std::fill_n(entries_ + k * pitch + field(f), Lanes, value);
  }

  /// @brief Goes on to the next block.
  void advance() {
    position_ += W;
    if (position_ > past_steps_ + 2 * W) {
      std::copy_n(entries_ + (position_ - past_steps_) * pitch, (past_steps_ + W) * pitch,
                  entries_);
      position_ = past_steps_;
    }
  }

  /// @brief True if the block of steps from t on has no column but those of unknowns.
  bool is_inside(const HostPlace& place, Index t) const {
    return place.columns_inside(t + Lag * (stages_ - Lanes), t + W - 1 + Lag * (stages_ - 1));
  }

  /// @brief Brings a block from t on, `ahead` steps after the present one, that is inside.
  /// @param factor what values are multiplied with, if they are scaled
  template <bool Scaled = false, class Element>
  WAVESCAN_TARGET_FUNCTION void fetch(int f, const rows_type<Element>& from, Index t, int ahead,
                                      V factor = V(1)) {
    V* const window = entries_ + (position_ + ahead) * pitch + field(f);
    for (int row = 0; row < Lanes; row += W) {
      Vector block[W];
#pragma GCC unroll 16
      for (int l = 0; l < W; ++l) {
        from.prefetch(row + l, t);
        block[l] = load(from.block(row + l, t));
      }
      Vector::transpose(block);
#pragma GCC unroll 16
      for (int k = 0; k < W; ++k)
        (Scaled ? block[k] * Vector::all(factor) : block[k])
            .store(window + row + from.element(k) * pitch);
    }
  }

  /// @brief Brings any block, with value(i, j) for the points and `outside` elsewhere.
  template <class Value>
  void fetch_each(int f, const HostPlace& place, Index t, int ahead, V outside,
                  const Value& value) {
    V* const window = entries_ + (position_ + ahead) * pitch + field(f);
    for (Index k = 0; k < W; ++k)
      for (Index l = 0; l < W + stages_ - 1; ++l) {
        const Index i = place.first - stages_ + l;
        const Index j = t + k + Lag * (stages_ - 1 - l);
        window[k * pitch + l] =
            place.row_inside(i) && place.columns_inside(j, j) ? value(i, j) : outside;
      }
  }

 private:
  WAVESCAN_TARGET_FUNCTION static Vector load(const V* p) { return Vector::load(p); }
  /// @brief Marks where a mask is not zero.
  template <class Word>
  requires std::is_integral_v<Word> WAVESCAN_TARGET_FUNCTION static Vector load(const Word* p) {
    alignas(64) V marks[W];
    for (int k = 0; k < W; ++k) marks[k] = p[k] != 0 ? V(-1) : V(0);
    return Vector::load(marks);
  }

  const int stages_;
  const int past_steps_;
  int position_;  ///< of the block's first step
  alignas(64) V entries_[(past_steps(max_stages) + 4 * W) * pitch];
};

}  // namespace wavescan::Impl::sor

#endif
