// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_CheckLaws.hpp>
#include <algorithm>
#include <utility>

#include "Data.hpp"

namespace applications_test {
namespace {

template <class Word, int Bits>
void check_composition(Random& random) {
  using Maps = Composition<Word, Bits>;
  const Maps then;
  std::vector<Word> maps = {then.identity()};
  while (maps.size() < 30)
    maps.push_back(Maps::map_of([&](unsigned) { return random.integer(0, Maps::states - 1); }));
  EXPECT_TRUE(wavescan::check_laws(then, maps).scannable());
  for (const Word first : maps)
    for (unsigned s = 0; s < Maps::states; ++s)
      EXPECT_EQ(Maps::image(then(first, maps[7]), s), Maps::image(maps[7], Maps::image(first, s)));
}

TEST(Composition, OfMaps) {
  Random random;
  SCOPED_TRACE(random.trace());
  check_composition<std::uint8_t, 2>(random);
  check_composition<std::uint64_t, 4>(random);
}

// A number's remainder by 13, digit by digit.
TEST(Composition, OfThirteenStates) {
  using Maps = Composition<std::uint64_t, 4>;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {1, 257, 65537}) {
    const auto digits = random.integers<std::uint64_t>(n, 0, 9);
    std::vector<std::uint64_t> maps, expected;
    unsigned remainder = 0;
    for (const std::uint64_t digit : digits) {
      const auto next = [=](unsigned r) { return (10 * r + static_cast<unsigned>(digit)) % 13; };
      maps.push_back(Maps::map_of([=](unsigned r) { return r < 13 ? next(r) : r; }));
      expected.push_back(remainder = next(remainder));
    }
    const Data<std::uint64_t> data(maps);
    wavescan::inclusive_scan(Exec(), data.view(), data.view(), Maps{});
    auto got = data.values();
    for (std::uint64_t& map : got) map = Maps::image(map, 0);
    EXPECT_EQ(got, expected) << n;
  }
}

void check_csv(const std::vector<char>& text) {
  std::vector<std::uint8_t> expected;
  std::vector<std::uint32_t> ends;
  CsvState state = field_start;
  for (const char c : text) {
    const bool separates = c == ',' || c == '\n';
    switch (state) {
      case field_start:
        state = c == '"' ? quoted : separates ? field_start : plain;
        break;
      case plain:
        state = separates ? field_start : plain;
        break;
      case quoted:
        state = c == '"' ? quote : quoted;
        break;
      case quote:
        state = c == '"' ? quoted : separates ? field_start : plain;
        break;
    }
    if (state == field_start) ends.push_back(static_cast<std::uint32_t>(expected.size()));
    expected.push_back(state);
  }
  const auto n = static_cast<std::int64_t>(text.size());
  const Data<char> in(text);
  const Data<std::uint8_t> states(text.size());
  csv_states(Scan<Composition<std::uint8_t, 2>>(Exec(), 1, n), in.view(), states.view());
  EXPECT_EQ(states.values(), expected) << n;
  // Again where neither array begins at a boundary of words: behind the end of a line.
  auto later = text;
  later.insert(later.begin(), '\n');
  const Data<char> moved(later);
  const Data<std::uint8_t> moved_states(later.size());
  const std::pair<std::size_t, std::size_t> behind(1, later.size());
  csv_states(Scan<Composition<std::uint8_t, 2>>(Exec(), 1, n), Array<char>(moved.view(), behind),
             Array<std::uint8_t>(moved_states.view(), behind));
  auto again = moved_states.values();
  again.erase(again.begin());
  EXPECT_EQ(again, expected) << n;
  const Data<std::uint32_t> none(std::size_t(0)), all(ends.size());
  const auto fields = static_cast<std::int64_t>(ends.size());
  EXPECT_EQ(csv_field_ends(Exec(), states.view(), none.view()), fields) << n;
  EXPECT_EQ(csv_field_ends(Exec(), states.view(), all.view()), fields) << n;
  EXPECT_EQ(all.values(), ends) << n;
}

TEST(Csv, StatesAndFields) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : sizes) {
    check_csv(random_text(random, n, "\",\na"));
    check_csv(random_text(random, n, "\"abcdefghijklmnopqrstuvwxyz, \n"));
  }
  // Long fields in quotes, full of commas.
  std::vector<char> text;
  for (int field = 0; field < 20; ++field) {
    const bool in_quotes = field % 3 > 0;
    if (in_quotes) text.push_back('"');
    text.insert(text.end(), 5000, in_quotes ? ',' : 'x');
    if (in_quotes) text.push_back('"');
    text.push_back(field % 4 == 3 ? '\n' : ',');
  }
  check_csv(text);
}

int score_by_rows(const std::vector<char>& a, const std::vector<char>& b,
                  const AlignmentScores& scores) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = -scores.gap * static_cast<int>(j);
  for (const char letter : a) {
    int diagonal = row[0];
    row[0] -= scores.gap;
    for (std::size_t j = 1; j < row.size(); ++j) {
      const int pair = diagonal + (letter == b[j - 1] ? scores.match : scores.mismatch);
      diagonal = row[j];
      row[j] = std::max({pair, row[j] - scores.gap, row[j - 1] - scores.gap});
    }
  }
  return row.back();
}

TEST(SequenceAlignment, Scores) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t m : {0, 1, 37})
    for (const std::int64_t n : {0, 1, 31, 1021, 8192})
      for (const AlignmentScores& scores : {AlignmentScores(), AlignmentScores{5, -4, 7}}) {
        const auto a = random_text(random, m, "ACGT"), b = random_text(random, n, "ACGT");
        EXPECT_EQ(alignment_score(Exec(), Data(a).view(), Data(b).view(), scores),
                  score_by_rows(a, b, scores))
            << m << " and " << n;
      }
}

}  // namespace
}  // namespace applications_test
