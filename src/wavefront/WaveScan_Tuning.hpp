// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TUNING_HPP
#define WAVESCAN_TUNING_HPP

#include <WaveScan_Schedule.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// @brief The knowledge of a machine by which the library chooses a schedule and a tile size.
///
/// Source: Hou et al., IPDPS 2018, section V-C: an offline tuner fits a logistic regression to
/// measurements; it tells which schedule is likely to be the faster one for a shape.

namespace wavescan {

/// @brief The properties of a loop on which a choice depends.
struct LoopShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int value_bytes = 4;  ///< size of an entry
  /// Arithmetic operations for an entry: the member `operations` of a loop, or 10 for each number.
  int operations = 10;
  bool entry_weights = false;  ///< weights that differ from entry to entry
  int inputs = 0;              ///< arrays that the loop reads besides its own
};

/// @brief Rows and columns of a tile.
struct TileExtents {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  friend bool operator==(const TileExtents&, const TileExtents&) = default;
};

/// @brief A fitted model of one kind of machine: which schedule for which shape, and tile sizes.
///
/// A text of a few lines, so that it can be measured anew (`wavescan tune`), read and compared:
///
///     wavescan-tuning 1
///     [cuda] NVIDIA H200
///     schedule tile-compensated 0.5 -1.25 ...      (as many numbers as there are features)
///     schedule row-sweep 0 2.5 ...
///     tile tile-compensated 4 16 1024              (bytes of a value, rows, columns)
///
/// Lines that begin with # and empty lines are skipped. A file may have several sections.
class Tuning {
 public:
  static constexpr int features = 10;
  using Features = std::array<double, features>;

  /// @brief A schedule that may be chosen, and how its score follows from the features.
  struct Candidate {
    Schedule schedule;
    Features coefficients;
  };
  /// @brief A tile size that was the fastest for values of this size.
  struct Tile {
    Schedule schedule;
    int value_bytes;
    TileExtents size;
  };
  /// @brief A schedule and the probability that it is the fastest.
  struct Likelihood {
    Schedule schedule;
    double probability;
  };

  /// @param machine what was measured, for people
  Tuning(std::string machine, std::vector<Candidate> candidates, std::vector<Tile> tiles)
      : machine_(std::move(machine)),
        candidates_(std::move(candidates)),
        tiles_(std::move(tiles)) {}

  /// @brief A section of a text of the form above.
  /// @param text    the whole text
  /// @param section its name without brackets: host, cuda, hip
  /// @param source  the text's name in error messages
  /// @return nothing if the text has no such section
  /// @throws std::invalid_argument that names source and line if the text has another form
  static std::optional<Tuning> parse(std::string_view text, std::string_view section,
                                     std::string_view source = "tuning");

  /// @brief The text of a section. parse of the whole text gives the same model, bit for bit.
  std::string to_string(std::string_view section) const;

  /// @brief Returns the features that the model looks at: logarithms of rows, columns, bytes and
  /// operations, squares and a product of the first two, whether weights differ, and how many
  /// inputs there are.
  static Features features_of(const LoopShape& shape);

  /// @brief The schedules and their probabilities, which add up to 1; the likeliest one first.
  std::vector<Likelihood> likelihoods(const LoopShape& shape) const;

  /// @brief The likeliest schedule.
  Schedule choose(const LoopShape& shape) const { return likelihoods(shape).front().schedule; }

  /// @brief The likeliest of those that give the bits of Serial; TileSkewed if the model has none.
  Schedule choose_exact(const LoopShape& shape) const;

  /// @brief The tile size measured for values of this size, or of the nearest; nothing if none was.
  std::optional<TileExtents> tile(Schedule schedule, int value_bytes) const;

  const std::string& machine() const { return machine_; }
  const std::vector<Candidate>& candidates() const { return candidates_; }
  const std::vector<Tile>& tiles() const { return tiles_; }

 private:
  std::string machine_;
  std::vector<Candidate> candidates_;  ///< at least one
  std::vector<Tile> tiles_;
};

}  // namespace wavescan

#include <impl/tuning/WaveScan_TuningModel.hpp>
#include <impl/tuning/WaveScan_TuningText.hpp>

#endif
