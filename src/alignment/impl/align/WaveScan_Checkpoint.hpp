// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_CHECKPOINT_HPP
#define WAVESCAN_IMPL_ALIGN_CHECKPOINT_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_File.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/align/WaveScan_AlignProgress.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// @file
/// @brief Checkpoints: what a long alignment has found so far, in a file from which another call
/// goes on.
///
/// An alignment consists of steps: two passes that find its ends, and divisions of its path. A step
/// is known by the part of the matrix that it looks at, and its result is three numbers, whatever
/// the device and the number of threads. So the file holds the results of all steps that took
/// long, and, of the step that was under way, the last row of its passes. A call that resumes takes
/// the steps in its own order and leaves out what it finds in the file.
///
/// The file is written beside its place and renamed, so there is always a whole one.

namespace wavescan::Impl {

/// @brief A hash of 64-bit words (FNV-1a, of words rather than bytes, with the upper bits mixed
/// in).
class WordHash {
 public:
  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x100000001b3ull;
    value_ ^= value_ >> 29;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ull;
};

/// @brief Numbers that tell alignments from each other.
struct AlignmentFingerprint {
  std::uint64_t a = 0, b = 0, scoring = 0;
};

class Checkpoint {
 public:
  /// Kind of step, part of the matrix, and what gaps cost at its corners.
  enum Step : Index { end, beginning, division };
  using Key = std::array<Index, 7>;
  using Result = std::array<Index, 3>;

  /// @brief The progress of a pass.
  struct Pass {
    Index rows = 0;                  ///< that are computed
    BestEntry best;                  ///< of a local alignment
    std::vector<BoundaryEntry> row;  ///< the last of these rows
    std::vector<Index> column;       ///< the last column, if it is wanted
  };

  /// @brief Goes on with what is in the file, if there is one.
  /// @throws std::invalid_argument if it is not one of this alignment
  WAVESCAN_SELDOM Checkpoint(const char* operation, const std::string& file, double seconds,
                             const AlignmentFingerprint& fingerprint)
      : operation_(operation), file_(file), seconds_(seconds), fingerprint_(fingerprint) {
    require(seconds >= 0, operation, "checkpoint_seconds", "must not be negative", seconds);
    bool absent = false;
    const auto bytes = read_file(file, &absent);
    if (!absent) read(bytes.value_or(std::string()));
  }

  /// @brief The number of entries that a pass computes between two chances to write the file.
  double entries_at_once(double entries_a_second) const { return seconds_ / 4 * entries_a_second; }
  /// @brief Whether a step of so many entries is worth being kept.
  bool is_worth_keeping(double entries) const { return entries >= std::max(seconds_ * 1e9, 1e6); }

  /// @name Steps; any thread may call these
  /// @{
  std::optional<Result> find(const Key& key) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [step, result] : results_)
      if (step == key) return result;
    return {};
  }
  void remember(const Key& key, const Result& result) {
    const std::lock_guard lock(mutex_);
    results_.emplace_back(key, result);
    if (step_ == key) {
      step_.reset();
      passes_.clear();
    }
    write_if_due();
  }
  /// @}

  /// @name The passes of a step, which come one after the other
  /// @{
  /// @brief Begins a step, until its result is remembered.
  void begin(const Key& key) {
    step_ = key;
    passes_.clear();
  }
  /// @brief Whether the passes to come are those of a step.
  bool has_step() const { return step_.has_value(); }
  /// @brief Begins the step's next pass, where the file left off.
  /// @param rows of the last column; 0: it is not wanted
  WAVESCAN_SELDOM Pass& next_pass(Index columns, Index rows, Progress& progress) {
    const std::size_t number = passes_.size();
    Pass& pass = passes_.emplace_back();
    if (restored_step_ == step_ && number < restored_.size())
      pass = std::exchange(restored_[number], {});
    pass.row.resize(static_cast<std::size_t>(columns));
    pass.column.resize(static_cast<std::size_t>(rows));
    progress.skip(static_cast<double>(pass.rows) * static_cast<double>(columns));
    return pass;
  }
  /// @brief Computes what is left of a pass, `at_once` rows at a time.
  /// @param target  no entry of a local alignment is larger
  /// @param compute of a number of rows: computes them, with the pass's row and column, and returns
  ///                their best entry
  template <class Compute>
  void run(Pass& pass, Index rows, Index at_once, Index target, const Compute& compute) {
    while (pass.rows < rows && pass.best.score < target) {
      const Index count = std::min(at_once, rows - pass.rows);
      const BestEntry found = compute(count);
      if (found.precedes(pass.best)) pass.best = found;
      pass.rows += count;
      const std::lock_guard lock(mutex_);
      write_if_due();
    }
  }
  /// @}

  /// @brief Removes the file, which is not needed any more when the alignment is done.
  void finish() { std::remove(file_.c_str()); }

 private:
  static constexpr std::uint64_t magic = 0x316e67696c415357ull;  // "WSAlign1"

  /// @brief Writes words to a file, with their hash behind them.
  class Writer {
   public:
    explicit Writer(const std::string& file) : file_(std::fopen(file.c_str(), "wb")) {}
    void put(std::uint64_t word) {
      hash_.add(word);
      put_word(word);
    }
    void put(Index number) { put(static_cast<std::uint64_t>(number)); }
    template <std::size_t N>
    void put(const std::array<Index, N>& numbers) {
      for (const Index number : numbers) put(number);
    }
    bool finish() {
      put_word(hash_.value());
      const bool written = file_ && std::ferror(file_.get()) == 0;
      return file_ && std::fclose(file_.release()) == 0 && written;
    }

   private:
    void put_word(std::uint64_t word) {
      if (file_) std::fwrite(&word, sizeof word, 1, file_.get());
    }
    File file_;
    WordHash hash_;
  };

  /// @brief The words of a file.
  class Reader {
   public:
    explicit Reader(std::vector<std::uint64_t> words) : words_(std::move(words)) {}
    /// @brief Whether the file is whole.
    bool check() {
      if (words_.size() < 2 || words_.front() != magic) return false;
      WordHash hash;
      for (std::size_t k = 0; k + 1 < words_.size(); ++k) hash.add(words_[k]);
      if (hash.value() != words_.back()) return false;
      words_.pop_back();
      next_ = 1;
      return true;
    }
    std::uint64_t word() { return words_.at(next_++); }
    Index number() { return static_cast<Index>(word()); }
    template <std::size_t N>
    std::array<Index, N> numbers() {
      std::array<Index, N> result;
      for (Index& number : result) number = this->number();
      return result;
    }

   private:
    std::vector<std::uint64_t> words_;
    std::size_t next_ = 0;
  };

  void write_if_due() {
    const auto now = std::chrono::steady_clock::now();
    if (std::chrono::duration<double>(now - written_).count() < seconds_) return;
    write();
    written_ = now;
  }

  WAVESCAN_SELDOM void write() const {
    const std::string part = file_ + ".part";
    Writer to(part);
    to.put(magic);
    for (const std::uint64_t word : {fingerprint_.a, fingerprint_.b, fingerprint_.scoring})
      to.put(word);
    to.put(static_cast<Index>(results_.size()));
    for (const auto& [key, result] : results_) {
      to.put(key);
      to.put(result);
    }
    to.put(static_cast<Index>(passes_.size()));
    to.put(step_.value_or(Key{}));
    for (const Pass& pass : passes_) {
      to.put(pass.rows);
      to.put(Result{pass.best.score, pass.best.row, pass.best.column});
      const auto columns = pass.rows > 0 ? pass.row.size() : 0,
                 rows = pass.column.empty() ? 0 : static_cast<std::size_t>(pass.rows);
      to.put(static_cast<Index>(columns));
      for (std::size_t j = 0; j < columns; ++j) {
        to.put(pass.row[j].h);
        to.put(pass.row[j].e);
      }
      to.put(static_cast<Index>(rows));
      for (std::size_t i = 0; i < rows; ++i) to.put(pass.column[i]);
    }
    if (!to.finish() || !replace_file(part, file_))
      throw std::runtime_error("WaveScan::" + std::string(operation_) +
                               ": cannot write the checkpoint '" + file_ + "'");
  }

  WAVESCAN_SELDOM void read(const std::string& bytes) {
    std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
    if (!bytes.empty() && bytes.size() % sizeof(std::uint64_t) == 0)
      std::memcpy(words.data(), bytes.data(), bytes.size());
    else
      words.clear();
    Reader from(std::move(words));
    const auto expect = [&](bool holds, const char* expectation) {
      require(holds, operation_, "checkpoint", expectation, file_);
    };
    expect(from.check(), "must name a whole checkpoint, or a file that is not there yet");
    expect(from.word() == fingerprint_.a, "must be a checkpoint of the same sequence 'a'");
    expect(from.word() == fingerprint_.b, "must be a checkpoint of the same sequence 'b'");
    expect(from.word() == fingerprint_.scoring, "must be a checkpoint of the same scoring");
    for (Index count = from.number(); count > 0; --count) {
      const Key key = from.numbers<std::tuple_size_v<Key>>();
      results_.emplace_back(key, from.numbers<std::tuple_size_v<Result>>());
    }
    restored_.resize(static_cast<std::size_t>(from.number()));
    restored_step_ = from.numbers<std::tuple_size_v<Key>>();
    for (Pass& pass : restored_) {
      pass.rows = from.number();
      const auto [score, row, column] = from.numbers<std::tuple_size_v<Result>>();
      pass.best = {score, row, column};
      pass.row.resize(static_cast<std::size_t>(from.number()));
      for (BoundaryEntry& entry : pass.row) {
        entry.h = from.number();
        entry.e = from.number();
      }
      pass.column.resize(static_cast<std::size_t>(from.number()));
      for (Index& number : pass.column) number = from.number();
    }
  }

  const char* operation_;
  std::string file_;
  double seconds_;
  AlignmentFingerprint fingerprint_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();

  mutable std::mutex mutex_;
  std::vector<std::pair<Key, Result>> results_;  ///< few: only steps that took long
  std::optional<Key> step_;                      ///< under way
  std::vector<Pass> passes_;
  std::optional<Key> restored_step_;
  std::vector<Pass> restored_;
};

}  // namespace wavescan::Impl

#endif
