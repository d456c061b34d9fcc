// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_Align.hpp>
#include <WaveScan_AlignMany.hpp>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "AlignReference.hpp"
#include "Reference.hpp"

namespace {

namespace ws = wavescan;
namespace wt = wavescan::Test;
using Mode = ws::AlignmentMode;

/// @brief A file's name in a folder of its own, which is removed afterwards.
class TemporaryFile {
 public:
  TemporaryFile() {
    folder_ = std::filesystem::temp_directory_path() /
              ("wavescan_checkpoints_" + std::to_string(std::random_device()()));
    std::filesystem::create_directory(folder_);
  }
  ~TemporaryFile() { std::filesystem::remove_all(folder_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string name() const { return (folder_ / "alignment").string(); }
  bool exists() const { return std::filesystem::exists(name()); }
  bool folder_is_empty() const { return std::filesystem::is_empty(folder_); }

 private:
  std::filesystem::path folder_;
};

struct Stopped {};

/// @brief Options with a checkpoint that is written as often as can be, and calls that are stopped
/// at their `reports`-th report. What is too little to be kept takes up to four, on a GPU seven.
ws::AlignOptions stopping_after(int reports, const std::string& file) {
  ws::AlignOptions options;
  options.progress = [=](double) mutable {
    if (--reports == 0) throw Stopped();
  };
  options.checkpoint = file;
  options.checkpoint_seconds = 0;
  return options;
}

void expect_equal(const ws::Alignment& x, const ws::Alignment& y) {
  EXPECT_EQ(x.score, y.score);
  EXPECT_EQ(x.begin_a, y.begin_a);
  EXPECT_EQ(x.end_a, y.end_a);
  EXPECT_EQ(x.begin_b, y.begin_b);
  EXPECT_EQ(x.end_b, y.end_b);
  EXPECT_EQ(x.cigar, y.cigar);
}

struct Pair {
  wt::Letters a, b;
};
Pair related_pair(wt::Random& random, int length) {
  const std::string a = wt::random_text(random, length, "ACGT");
  return {wt::letters(a),
          wt::letters(wt::random_text(random, 50, "ACGT") + wt::mutated(random, a, "ACGT"))};
}

// A call is stopped again and again, and its successors go on: the result is that of one call.
TEST(AlignCheckpoints, StoppedAlignmentsGoOn) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const auto [a, b] = related_pair(random, 3500);
  const int reports = std::same_as<wt::Exec, Kokkos::DefaultHostExecutionSpace> ? 5 : 8;
  wt::WantedCases wanted;
  for (const Mode mode : {Mode::Local, Mode::Global, Mode::SemiGlobal})
    for (const ws::AffineGap gap : {ws::AffineGap{0, 2}, ws::AffineGap{8, 1}}) {
      if (!wanted.next()) continue;
      SCOPED_TRACE("mode " + std::to_string(static_cast<int>(mode)) + ", gap " +
                   std::to_string(gap.open));
      const ws::Scoring<> scoring{{3, -2}, gap, mode};
      const ws::Alignment expected = ws::align(wt::Exec(), a, b, scoring);
      const TemporaryFile file;
      int stops = 0;
      for (bool done = false; !done && stops < 200;) {
        try {
          expect_equal(ws::align(wt::Exec(), a, b, scoring, stopping_after(reports, file.name())),
                       expected);
          done = true;
        } catch (const Stopped&) {
          ++stops;
        }
      }
      EXPECT_GE(stops, 1);
      EXPECT_LT(stops, 200) << "it never ends";
      EXPECT_TRUE(file.folder_is_empty());
    }
}

TEST(AlignCheckpoints, GoldenPaths) {
  const TemporaryFile file;
  for (const auto& [a, b, scoring, cigar] : wt::golden_paths())
    EXPECT_EQ(ws::align(wt::letters(a), wt::letters(b), scoring, {{}, file.name(), 0}).cigar, cigar)
        << a.substr(0, 9) << ", " << b.substr(0, 9);
}

// On however few threads: parts that one thread divides, while others divide others, are large,
// too.
TEST(AlignCheckpoints, HoldWhereThePathCrossesAllLargeParts) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const std::string a = wt::random_text(random, 10000, "ACGT"), b = wt::mutated(random, a, "ACGT");
  const auto letters = [](const std::string& text) {
    return Kokkos::View<const char*, Kokkos::HostSpace>(text.data(), text.size());
  };
  const TemporaryFile file;
  std::uint64_t results = 0;
  const auto count_results = [&](double done) {
    if (done < 1) return;
    std::ifstream stream(file.name(), std::ios::binary);
    stream.seekg(4 * sizeof results);  // behind the kind of file, and hashes of a, b and scores
    stream.read(reinterpret_cast<char*>(&results), sizeof results);
  };
  const ws::Scoring<> scoring{{3, -2}, ws::AffineGap{8, 1}, Mode::Global};
  ws::align(Kokkos::DefaultHostExecutionSpace(), letters(a), letters(b), scoring,
            {count_results, file.name(), 0});
  // The end; and of 100 million entries, of halves of the rows and columns, and so on to a million.
  EXPECT_GE(results, 1u + 1 + 2 + 4 + 8);
}

TEST(AlignCheckpoints, StoppedScoresGoOn) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const auto [a, b] = related_pair(random, 7000);
  const ws::Scoring<> scoring{
      {2, -3}, ws::AffineGap{4, 1}, Mode::SemiGlobal, {true, true, false, true}};
  const ws::AlignmentScore expected = ws::align_score(wt::Exec(), a, b, scoring);
  const TemporaryFile file;
  EXPECT_THROW(ws::align_score(wt::Exec(), a, b, scoring, stopping_after(3, file.name())), Stopped);
  ASSERT_TRUE(file.exists());
  const ws::AlignmentScore score =
      ws::align_score(wt::Exec(), a, b, scoring, {{}, file.name(), 1000});
  EXPECT_EQ(score.score, expected.score);
  EXPECT_EQ(score.end_a, expected.end_a);
  EXPECT_EQ(score.end_b, expected.end_b);
  EXPECT_FALSE(file.exists());
}

// A device goes on where a host was stopped, and the reverse, again and again.
TEST(AlignCheckpoints, DevicesTakeTurns) {
  using HostExec = Kokkos::DefaultHostExecutionSpace;
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const auto [a, b] = related_pair(random, 5200);
  const auto host_a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a),
             host_b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  wt::WantedCases wanted;
  for (const Mode mode : {Mode::Local, Mode::Global, Mode::SemiGlobal})
    for (const ws::AffineGap gap : {ws::AffineGap{0, 2}, ws::AffineGap{6, 1}})
      for (const int match : {5, 3000}) {
        if (!wanted.next()) continue;
        SCOPED_TRACE("mode " + std::to_string(static_cast<int>(mode)) + ", gap " +
                     std::to_string(gap.open) + ", match " + std::to_string(match));
        const ws::Scoring<> scoring{{match, -4}, gap, mode};
        const ws::Alignment expected = ws::align(HostExec(), host_a, host_b, scoring);
        const TemporaryFile file;
        ws::Alignment found;
        int calls = 0;
        for (bool done = false; !done && calls < 200; ++calls) {
          const auto options = stopping_after(static_cast<int>(random.integer(2, 9)), file.name());
          try {
            found = calls % 2 == 0 ? ws::align(wt::Exec(), a, b, scoring, options)
                                   : ws::align(HostExec(), host_a, host_b, scoring, options);
            done = true;
          } catch (const Stopped&) {
          }
        }
        EXPECT_GE(calls, 2);
        EXPECT_LT(calls, 200) << "it never ends";
        expect_equal(found, expected);
        EXPECT_FALSE(file.exists());
      }
}

TEST(AlignCheckpoints, OthersAreRefused) {
  wt::Random random;
  const auto [a, b] = related_pair(random, 3000);
  const auto [other_a, other_b] = related_pair(random, 3000);
  const ws::Scoring<> scoring{{2, -1}, ws::LinearGap{2}};
  const TemporaryFile file;
  EXPECT_THROW(ws::align(wt::Exec(), a, b, scoring, stopping_after(3, file.name())), Stopped);
  ASSERT_TRUE(file.exists());
  const ws::AlignOptions resume{{}, file.name(), 60};
  const auto begins = [&](const std::string& expectation) {
    return "WaveScan::align: argument 'checkpoint' must " + expectation + ", got " + file.name();
  };
  EXPECT_EQ(wt::error_of([&] { ws::align(wt::Exec(), other_a, b, scoring, resume); }),
            begins("be a checkpoint of the same sequence 'a'"));
  EXPECT_EQ(wt::error_of([&] { ws::align(wt::Exec(), a, other_b, scoring, resume); }),
            begins("be a checkpoint of the same sequence 'b'"));
  for (const ws::Scoring<>& other :
       {ws::Scoring<>{{2, -2}, ws::LinearGap{2}}, ws::Scoring<>{{2, -1}, ws::AffineGap{1, 1}},
        ws::Scoring<>{{2, -1}, ws::LinearGap{2}, Mode::Global}})
    EXPECT_EQ(wt::error_of([&] { ws::align(wt::Exec(), a, b, other, resume); }),
              begins("be a checkpoint of the same scoring"));

  const std::string whole = begins("name a whole checkpoint, or a file that is not there yet");
  const auto size = std::filesystem::file_size(file.name());
  std::filesystem::resize_file(file.name(), size - 8);
  EXPECT_EQ(wt::error_of([&] { ws::align(wt::Exec(), a, b, scoring, resume); }), whole);
  std::filesystem::resize_file(file.name(), size);
  EXPECT_EQ(wt::error_of([&] { ws::align(wt::Exec(), a, b, scoring, resume); }), whole);
  std::ofstream(file.name()) << "something else";
  EXPECT_EQ(wt::error_of([&] { ws::align(wt::Exec(), a, b, scoring, resume); }), whole);
  EXPECT_TRUE(file.exists()) << "what is refused stays";
}

TEST(AlignCheckpoints, WhatCannotBeWrittenIsSaid) {
  const auto letters = wt::letters(std::string(2000, 'A'));
  const TemporaryFile file;
  EXPECT_THROW(ws::align(wt::Exec(), letters, letters, ws::Scoring<>{},
                         {{}, file.name() + "/there/is/no/such/folder", 0}),
               std::runtime_error);
  EXPECT_EQ(wt::error_of([&] {
              ws::align(wt::Exec(), letters, letters, ws::Scoring<>{}, {{}, file.name(), -1});
            }),
            "WaveScan::align: argument 'checkpoint_seconds' must not be negative, got -1");
  const auto set = ws::sequence_set({"ACGT"});
  const Kokkos::DefaultHostExecutionSpace host;
  const ws::AlignOptions options{{}, file.name()};
  const std::string refused = ": argument 'checkpoint' must be empty: one is for one pair, got ";
  EXPECT_EQ(wt::error_of([&] { ws::align_scores(host, set, set, ws::Scoring<>{}, options); }),
            "WaveScan::align_scores" + refused + file.name());
  EXPECT_EQ(wt::error_of([&] { ws::align_many(host, set, set, ws::Scoring<>{}, options); }),
            "WaveScan::align_many" + refused + file.name());
}

}  // namespace
