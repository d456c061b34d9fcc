// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <algorithm>
#include <numeric>
#include <utility>

#include "Data.hpp"

namespace applications_test {
namespace {

std::int64_t count_on_host(const Kokkos::View<std::int64_t, Exec>& count) {
  std::int64_t result = -1;
  Kokkos::fence();
  Kokkos::deep_copy(result, count);
  return result;
}

TEST(Compaction, KeepsLoudSamples) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Kokkos::View<std::int64_t, Exec> count("count");
  for (const std::int64_t n : sizes)
    for (const float threshold : {0.f, 0.7f, 2.f}) {
      const auto x = random.values<float>(n);
      std::vector<float> expected;
      for (const float s : x)
        if (s >= threshold || -s >= threshold) expected.push_back(s);
      const Data<float> samples(x), kept(expected.size());
      compact(wavescan::Selection<Exec>::like(Exec(), samples.view()), samples.view(), threshold,
              kept.view(), count);
      EXPECT_EQ(count_on_host(count), static_cast<std::int64_t>(expected.size())) << n;
      EXPECT_EQ(kept.values(), expected) << n;
    }
}

/// @param digits of random bits at random places of keys
template <class Key>
void check_sort(Random& random, std::int64_t n, Key mask) {
  std::vector<Key> keys = random.values<Key>(n);
  for (Key& key : keys) key &= mask;
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  const Data<Key> sorted(keys);
  const Data<std::uint32_t> values(order);
  radix_sort(Exec(), sorted.view(), values.view());
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  std::vector<Key> expected;
  for (const std::uint32_t k : order) expected.push_back(keys[k]);
  EXPECT_EQ(sorted.values(), expected) << n << " keys";
  EXPECT_EQ(values.values(), order) << n << " keys";
}

TEST(RadixSort, SortsKeysWithValues) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : sizes) {
    if (n <= 65537) check_sort<std::uint32_t>(random, n, ~0u);
    check_sort<std::uint32_t>(random, n, 0x80000005);  // few keys, an odd number of passes
    check_sort<std::uint32_t>(random, n, 0);
    if (n <= 8192) check_sort<std::uint64_t>(random, n, ~0ull);
    check_sort<std::uint64_t>(random, n, 0x8000000100000200);
  }
}

std::vector<std::uint32_t> random_runs(Random& random, std::int64_t n, std::int64_t longest) {
  std::vector<std::uint32_t> x;
  while (static_cast<std::int64_t>(x.size()) < n)
    x.insert(x.end(), static_cast<std::size_t>(random.integer(1, longest)),
             random.value<std::uint32_t>() % 3);
  x.resize(static_cast<std::size_t>(n));
  return x;
}

TEST(RunLength, EncodesAndDecodes) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Kokkos::View<std::int64_t, Exec> count("count");
  for (const std::int64_t n : sizes)
    for (const std::int64_t longest : {std::int64_t(1), std::int64_t(40), 3 * n + 1}) {
      const auto x = random_runs(random, n, longest);
      std::vector<std::uint32_t> starts, values, lengths;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (i == 0 || x[i] != x[i - 1]) starts.push_back(static_cast<std::uint32_t>(i));
      for (std::size_t k = 0; k < starts.size(); ++k) {
        values.push_back(x[starts[k]]);
        lengths.push_back((k + 1 < starts.size() ? starts[k + 1] : static_cast<std::uint32_t>(n)) -
                          starts[k]);
      }
      const Data<std::uint32_t> in(x), got_values(starts.size()), got_starts(starts.size());
      const auto plan =
          wavescan::Selection<Exec>::like(Exec(), wavescan::zip(in.view(), in.view()));
      run_length_encode(plan, in.view(), got_values.view(), got_starts.view(), count);
      EXPECT_EQ(count_on_host(count), static_cast<std::int64_t>(starts.size())) << n;
      EXPECT_EQ(got_values.values(), values) << n;
      EXPECT_EQ(got_starts.values(), starts) << n;
      if (n > 1) {  // empty runs change nothing, wherever they are
        for (const std::size_t k : {values.size(), std::size_t(1), std::size_t(0)}) {
          values.insert(values.begin() + static_cast<std::ptrdiff_t>(k), 77u);
          lengths.insert(lengths.begin() + static_cast<std::ptrdiff_t>(k), 0u);
        }
      }
      const Data<std::uint32_t> decoded(x.size());
      run_length_decode(Exec(), Data(values).view(), Data(lengths).view(), decoded.view());
      EXPECT_EQ(decoded.values(), x) << n;
    }
}

void check_parentheses(const std::vector<char>& text) {
  std::vector<int> depth;
  std::vector<std::int32_t> partner(text.size(), -1), open;
  int now = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto at = static_cast<std::int32_t>(i);
    now += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    depth.push_back(now);
    if (text[i] == '(') open.push_back(at);
    if (text[i] == ')' && !open.empty()) {
      partner[i] = open.back();
      partner[static_cast<std::size_t>(open.back())] = at;
      open.pop_back();
    }
  }
  const Data<char> in(text);
  const Data<int> got(text.size());
  const Data<std::int32_t> partners(text.size());
  const auto n = static_cast<std::int64_t>(text.size());
  nesting_depth(Scan<wavescan::Plus<int>>(Exec(), 1, n), in.view(), got.view());
  EXPECT_EQ(got.values(), depth) << n;
  match_parentheses(Exec(), in.view(), got.view(), partners.view());
  EXPECT_EQ(partners.values(), partner) << n;
}

TEST(Parentheses, DepthAndPartners) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : sizes) {
    check_parentheses(random_text(random, n, "()"));
    check_parentheses(random_text(random, n, "(ab)c))"));  // many without a partner
  }
  std::vector<char> nested(5000, '(');
  nested.insert(nested.end(), 5000, ')');
  check_parentheses(nested);
}

}  // namespace
}  // namespace applications_test
