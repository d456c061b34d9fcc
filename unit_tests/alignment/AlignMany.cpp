// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_AlignMany.hpp>
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "AlignReference.hpp"
#include "Reference.hpp"

namespace {

namespace ws = wavescan;
namespace wt = wavescan::Test;
using Mode = ws::AlignmentMode;
using Host = Kokkos::DefaultHostExecutionSpace;

using Device = Kokkos::DefaultExecutionSpace;

template <class Set>
auto on_device(const Set& set) {
  const auto letters = Kokkos::create_mirror_view_and_copy(Device::memory_space(), set.letters);
  const auto offsets = Kokkos::create_mirror_view_and_copy(Device::memory_space(), set.offsets);
  return ws::SequenceSet{letters, offsets};
}

void expect_same(const ws::AlignmentScore& found, const ws::AlignmentScore& expected) {
  EXPECT_EQ(found.score, expected.score);
  EXPECT_EQ(found.end_a, expected.end_a);
  EXPECT_EQ(found.end_b, expected.end_b);
}

// The device's kernels find what the host finds, where there is another device.
template <class SetA, class SetB, class S>
void check_device(const SetA& a, const SetB& b, const ws::Scoring<S>& scoring,
                  const std::vector<ws::AlignmentScore>& scores,
                  const std::vector<ws::Alignment>& alignments) {
  if constexpr (!std::same_as<Device, Host>) {
    const auto set_a = on_device(a), set_b = on_device(b);
    const auto found = ws::align_scores(Device(), set_a, set_b, scoring);
    ASSERT_EQ(found.size(), scores.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      SCOPED_TRACE("pair " + std::to_string(k) + " on the device");
      expect_same(found[k], scores[k]);
      if (testing::Test::HasFailure()) return;
    }
    if (alignments.empty()) return;
    const auto paths = ws::align_many(Device(), set_a, set_b, scoring);
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(paths[k].cigar, alignments[k].cigar);
      EXPECT_EQ(paths[k].begin_a, alignments[k].begin_a);
      EXPECT_EQ(paths[k].begin_b, alignments[k].begin_b);
    }
  }
}

template <class S>
void check_sets(const std::vector<std::string>& a, const std::vector<std::string>& b,
                const ws::Scoring<S>& scoring, bool paths = true) {
  const auto set_a = ws::sequence_set(a), set_b = ws::sequence_set(b);
  const auto scores = ws::align_scores(Host(), set_a, set_b, scoring);
  const std::size_t count = std::max(a.size(), b.size());
  ASSERT_EQ(scores.size(), count);
  const auto alignments =
      paths ? ws::align_many(Host(), set_a, set_b, scoring) : std::vector<ws::Alignment>();
  ASSERT_EQ(alignments.size(), paths ? count : 0);
  for (std::size_t k = 0; k < count; ++k) {
    const wt::AlignReference<S> reference(a[a.size() == 1 ? 0 : k], b[b.size() == 1 ? 0 : k],
                                          scoring);
    const ws::AlignmentScore expected = reference.end();
    SCOPED_TRACE("pair " + std::to_string(k));
    expect_same(scores[k], expected);
    if (paths) reference.expect(alignments[k]);
    if (testing::Test::HasFailure()) return;
  }
  check_device(set_a, set_b, scoring, scores, alignments);
}

std::vector<std::string> random_texts(wt::Random& random, int count, int least, int most,
                                      const std::string& alphabet) {
  std::vector<std::string> texts;
  for (int k = 0; k < count; ++k)
    texts.push_back(wt::random_text(random, random.integer(least, most), alphabet));
  return texts;
}

TEST(AlignMany, Pairs) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  for (const int count : {1, 2, 31, 32, 33, 100}) {
    auto a = random_texts(random, count, 0, 120, "ACGT");
    auto b = random_texts(random, count, 0, 120, "ACGT");
    for (std::size_t k = 0; k < b.size(); k += 2) b[k] = wt::mutated(random, a[k], "ACGT");
    check_sets(a, b, ws::Scoring<>{{2, -1}, ws::LinearGap{2}});
    check_sets(a, b, ws::Scoring<>{{5, -4}, ws::AffineGap{8, 2}});
    check_sets(a, b, ws::Scoring<wt::LetterTable>{{9}, ws::AffineGap{8, 2}}, false);
    check_sets(a, b, ws::Scoring<wt::LetterTable>{{30}, ws::LinearGap{12}}, false);
  }
}

// As many letters as the lookup of a vector holds, one less and one more; what is no letter of the
// one set is in the other.
TEST(AlignMany, AlphabetsAsLargeAsALookup) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const std::string letters = "ABCDEFGHIJKLMNOPQ";
  for (const std::size_t count : {13, 14, 15, 16}) {
    const auto a = random_texts(random, 33, 40, 60, letters.substr(0, count));
    const auto b = random_texts(random, 33, 40, 60, letters.substr(0, count + 1));
    check_sets(a, b, ws::Scoring<>{{2, -1}, ws::LinearGap{2}}, false);
    check_sets(b, a, ws::Scoring<>{{2, -1}, ws::LinearGap{2}}, false);
  }
}

TEST(AlignMany, ThreadsSortAsOneDoes) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  ws::Impl::HostThreads threads;
  threads.count = 5;
  for (const int count : {0, 2047, 2048, 9999}) {
    std::vector<std::pair<int, int>> found;
    for (int k = 0; k < count; ++k) found.push_back({random.integer(0, 50), k});
    auto expected = found;
    std::sort(expected.begin(), expected.end());
    ws::Impl::sort(threads, found, std::less<>());
    EXPECT_EQ(found, expected);
  }
}

TEST(AlignMany, OneWithMany) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const std::string letters = "ACDEFGHIKLMNPQRSTVWY";
  const std::string query = wt::random_text(random, 157, letters);
  auto targets = random_texts(random, 90, 1, 300, letters);
  targets.push_back("");
  targets.push_back(query);
  for (int k = 0; k < 40; ++k) targets.push_back(wt::mutated(random, query, letters));
  for (const ws::AffineGap gap : {ws::AffineGap{11, 1}, ws::AffineGap{0, 3}}) {
    check_sets({query}, targets, ws::Scoring<wt::LetterTable>{{9}, gap}, false);
    check_sets(targets, {query}, ws::Scoring<wt::LetterTable>{{9}, gap}, false);
    check_sets({query}, targets, ws::Scoring<>{{3, -2}, gap}, false);
  }
}

TEST(AlignMany, GoldenPaths) {
  for (const auto& [a, b, scoring, cigar] : wt::golden_paths()) {
    const auto set_a = on_device(ws::sequence_set({a, b})),
               set_b = on_device(ws::sequence_set({b, b}));
    const auto found = ws::align_many(Device(), set_a, set_b, scoring);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].cigar, cigar) << a.substr(0, 9) << ", " << b.substr(0, 9);
    EXPECT_EQ(found[1].cigar, std::to_string(b.size()) + "=");
  }
}

// Equal entries all over the place: where the first of them lies decides.
TEST(AlignMany, ManyEqualEnds) {
  std::vector<std::string> a, b;
  for (int k = 1; k < 70; ++k) {
    a.push_back(std::string(static_cast<std::size_t>(k), 'A'));
    b.push_back("CC" + std::string(static_cast<std::size_t>(70 - k), 'A') + "CAAACAAC");
  }
  check_sets(a, b, ws::Scoring<>{{2, -3}, ws::LinearGap{5}});
  check_sets(b, a, ws::Scoring<>{{2, -3}, ws::AffineGap{3, 1}});
}

TEST(AlignMany, LargeScoresAndOtherModes) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  const auto a = random_texts(random, 40, 1, 80, "ACGT"),
             b = random_texts(random, 40, 1, 80, "ACGT");
  check_sets(a, b, ws::Scoring<>{{1000, -700}, ws::AffineGap{900, 200}});
  check_sets(a, b, ws::Scoring<>{{1 << 22, -700}, ws::AffineGap{900, 1 << 20}});
  check_sets(a, b, ws::Scoring<>{{2, -1}, ws::AffineGap{2, 1}, Mode::Global});
  for (const bool begin_a : {false, true})
    for (const bool end_a : {false, true})
      for (const bool begin_b : {false, true})
        for (const bool end_b : {false, true})
          check_sets({a.begin(), a.begin() + 9}, {b.begin(), b.begin() + 9},
                     ws::Scoring<>{{2, -1},
                                   ws::AffineGap{2, 1},
                                   Mode::SemiGlobal,
                                   {begin_a, end_a, begin_b, end_b}});
}

// More rows than the lanes of a warp hold, and scores of more than 11 bits, which GPUs find in two
// attempts.
TEST(AlignMany, LongOnes) {
  if constexpr (std::same_as<Device, Host>) GTEST_SKIP() << "a test of GPUs";
  wt::Random random;
  SCOPED_TRACE(random.trace());
  auto a = random_texts(random, 24, 900, 2500, "ACGT"), b = a;
  for (std::size_t k = 0; k < b.size(); k += 2) b[k] = wt::mutated(random, a[k], "ACGT");
  const auto compare = [&](const auto& x, const auto& y, const auto& scoring) {
    const auto set_x = ws::sequence_set(x), set_y = ws::sequence_set(y);
    check_device(set_x, set_y, scoring, ws::align_scores(Host(), set_x, set_y, scoring), {});
  };
  for (const Mode mode : {Mode::Local, Mode::Global, Mode::SemiGlobal})
    compare(a, b, ws::Scoring<>{{2, -3}, ws::AffineGap{5, 2}, mode});
  const ws::Scoring<wt::LetterTable> table{{9}, ws::AffineGap{8, 2}};
  compare(std::vector<std::string>{a[0]}, b, table);
  compare(b, std::vector<std::string>{a[0]}, table);
}

TEST(AlignMany, NothingToAlign) {
  const auto none = ws::sequence_set({}), one = ws::sequence_set({"ACGT"});
  EXPECT_TRUE(ws::align_scores(Host(), none, none).empty());
  EXPECT_TRUE(ws::align_scores(Host(), one, none).empty());
  EXPECT_TRUE(ws::align_many(Host(), none, one).empty());
  const std::remove_const_t<decltype(one)> without_offsets{one.letters, {}};
  EXPECT_EQ(without_offsets.size(), 0);
  EXPECT_TRUE(ws::align_scores(Host(), without_offsets, without_offsets).empty());
}

TEST(AlignMany, ScoresInAView) {
  const auto set = ws::sequence_set({"GATTACA", "", "CCCC"});
  const auto a = on_device(set);
  const Kokkos::View<ws::AlignmentScore*, Device::memory_space> scores("scores", 3);
  ws::align_scores(Device(), a, a, scores);
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), scores);
  const auto expected = ws::align_scores(Host(), set, set);
  for (std::size_t k = 0; k < 3; ++k) expect_same(found(k), expected[k]);
  const Kokkos::View<ws::AlignmentScore*, Device::memory_space> few("few", 2), six("six", 6);
  EXPECT_TRUE(
      wt::rejects("align_scores", "scores", [&] { ws::align_scores(Device(), a, a, few); }));
  const Kokkos::View<ws::AlignmentScore*, Kokkos::LayoutStride, Device::memory_space> apart(
      six.data(), Kokkos::LayoutStride(3, 2));
  EXPECT_TRUE(
      wt::rejects("align_scores", "scores", [&] { ws::align_scores(Device(), a, a, apart); }));
}

TEST(AlignMany, ReportsProgress) {
  wt::Random random;
  const auto set = ws::sequence_set(random_texts(random, 40, 10, 80, "ACGT"));
  double done = 0;
  ws::AlignOptions options{[&](double share) {
    EXPECT_GE(share, done);
    done = share;
  }};
  ws::align_scores(Host(), set, set, ws::Scoring<>{}, options);
  EXPECT_EQ(done, 1);
  done = 0;
  ws::align_many(Host(), set, set, ws::Scoring<>{}, options);
  EXPECT_EQ(done, 1);
  struct Cancelled {};
  options.progress = [](double) { throw Cancelled(); };
  EXPECT_THROW(ws::align_scores(Host(), set, set, ws::Scoring<>{}, options), Cancelled);
  EXPECT_THROW(ws::align_many(Host(), set, set, ws::Scoring<>{}, options), Cancelled);
}

TEST(AlignMany, RejectsSetsThatDoNotBelongTogether) {
  const auto two = ws::sequence_set({"A", "C"}), three = ws::sequence_set({"A", "C", "G"});
  EXPECT_TRUE(wt::rejects("align_scores", "b", [&] { ws::align_scores(Host(), two, three); }));
  EXPECT_TRUE(wt::rejects("align_many", "b", [&] { ws::align_many(Host(), three, two); }));
  const auto with_offsets = [](std::int64_t first, std::int64_t second, std::int64_t end) {
    auto set = ws::sequence_set({"A", "C"});
    set.offsets(0) = first;
    set.offsets(1) = second;
    set.offsets(2) = end;
    return set;
  };
  const auto falling = with_offsets(0, 2, 1), negative = with_offsets(-1, 1, 2),
             beyond = with_offsets(0, 1, 3);
  for (const auto& wrong : {falling, negative, beyond}) {
    EXPECT_TRUE(wt::rejects("align_scores", "a", [&] { ws::align_scores(Host(), wrong, two); }));
    EXPECT_TRUE(wt::rejects("align_many", "b", [&] { ws::align_many(Host(), two, wrong); }));
  }
  EXPECT_NO_THROW(ws::align_scores(Host(), with_offsets(1, 1, 2), two));
}

}  // namespace
