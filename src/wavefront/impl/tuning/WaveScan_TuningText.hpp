// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TUNING_TUNINGTEXT_HPP
#define WAVESCAN_IMPL_TUNING_TUNINGTEXT_HPP

#include <WaveScan_Tuning.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Require.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <sstream>

/// @file
/// @brief The text form of a Tuning.

namespace wavescan {
namespace Impl {

/// @brief Words and numbers of a line, with errors that tell where they stand.
class TuningLine {
 public:
  TuningLine(std::string_view text, std::string_view source, int number)
      : rest_(text), source_(source), number_(number) {}

  std::string_view word() {
    skip_blanks();
    const std::size_t length = std::min(rest_.find_first_of(" \t"), rest_.size());
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }
  template <class Number>
  Number number() {
    const std::string_view text = word();
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      refuse("must have a number here", text);
    if constexpr (std::floating_point<Number>)
      if (!std::isfinite(value)) refuse("must have a finite number here", text);
    return value;
  }
  std::int64_t positive() {
    const auto value = number<std::int64_t>();
    if (value <= 0) refuse("must have a positive number here", std::to_string(value));
    return value;
  }
  Schedule schedule() {
    const std::string_view name = word();
    for (const Schedule schedule : schedules)
      if (schedule != Schedule::Auto && name == to_string(schedule)) return schedule;
    refuse("must name a schedule here", name);
  }
  /// @brief The rest of the line.
  std::string_view rest() {
    skip_blanks();
    return rest_;
  }
  void end() {
    if (!rest().empty()) refuse("must end here", rest());
  }
  [[noreturn]] WAVESCAN_SELDOM void refuse(const char* expectation, std::string_view actual) const {
    reject("Tuning::parse", std::string(source_) + ", line " + std::to_string(number_), expectation,
           actual.empty() ? std::string_view("the end of the line") : actual);
  }

 private:
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
  }

  std::string_view rest_;
  std::string_view source_;
  int number_;
};

}  // namespace Impl

WAVESCAN_SELDOM inline std::optional<Tuning> Tuning::parse(std::string_view text,
                                                           std::string_view section,
                                                           std::string_view source) {
  std::optional<Tuning> found;
  bool headed = false, wanted = false;
  int number = 0;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    Impl::TuningLine line(text.substr(0, length), source, ++number);
    text.remove_prefix(std::min(length + 1, text.size()));
    const std::string_view key = line.word();
    if (key.empty() || key.front() == '#') continue;
    if (!headed) {
      if (key != "wavescan-tuning" || line.word() != "1")
        line.refuse("must begin with 'wavescan-tuning 1'", key);
      headed = true;
    } else if (key.front() == '[') {
      wanted = key.size() > 2 && key.back() == ']' && key.substr(1, key.size() - 2) == section;
      if (wanted) found = Tuning(std::string(line.rest()), {}, {});
    } else if (key == "schedule") {
      Candidate candidate{line.schedule(), {}};
      for (double& coefficient : candidate.coefficients) coefficient = line.number<double>();
      line.end();
      if (wanted) found->candidates_.push_back(candidate);
    } else if (key == "tile") {
      const Schedule schedule = line.schedule();
      const auto bytes = static_cast<int>(line.positive());
      const std::int64_t rows = line.positive();
      const Tile tile{schedule, bytes, {rows, line.positive()}};
      line.end();
      if (wanted) found->tiles_.push_back(tile);
    } else {
      line.refuse("must be a section, a schedule or a tile", key);
    }
  }
  const Impl::TuningLine last({}, source, number);
  if (!headed) last.refuse("must begin with 'wavescan-tuning 1'", {});
  if (found && found->candidates_.empty())
    last.refuse("must have a schedule in its section", section);
  return found;
}

inline std::string Tuning::to_string(std::string_view section) const {
  std::ostringstream text;
  text << '[' << section << "] " << machine_ << '\n';
  for (const auto& [schedule, coefficients] : candidates_) {
    text << "schedule " << wavescan::to_string(schedule);
    for (const double coefficient : coefficients) {
      char digits[32];  // the shortest that reads as the same number
      const auto end = std::to_chars(std::begin(digits), std::end(digits), coefficient).ptr;
      text << ' ' << std::string_view(digits, static_cast<std::size_t>(end - digits));
    }
    text << '\n';
  }
  for (const auto& [schedule, bytes, size] : tiles_)
    text << "tile " << wavescan::to_string(schedule) << ' ' << bytes << ' ' << size.rows << ' '
         << size.columns << '\n';
  return text.str();
}

}  // namespace wavescan

#endif
