// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "Problems.hpp"

// The applications by scans, and by loops of one thread.

namespace wavescan::Perf::Applications {
namespace {

template <class Key>
void add_sort(const std::string& name) {
  add(name, "wavescan", 2 * (sizeof(Key) + 4), [](const Exec& exec, int64_t n) -> Work {
    const Keys<Key> data(exec, n);
    return {[=] { radix_sort(exec, data.keys, data.values); }, last(data.keys, n),
            data.prepare(exec)};
  });
}

void add_sorting() {
  add("compaction", "wavescan", 6, [](const Exec& exec, int64_t n) -> Work {
    const auto x = made<float>(exec, n, Fraction());
    const auto kept = array<float>(exec, n);
    const Kokkos::View<int64_t, Exec> count("count");
    const auto plan = wavescan::Selection<Exec>::like(exec, x);
    return {[=] { compact(plan, x, 0.25f, kept, count); }, number(count)};
  });
  add_sort<uint32_t>("sort<32>");
  add_sort<uint64_t>("sort<64>");
  add("run_length_encode", "wavescan", 4.8, [](const Exec& exec, int64_t n) -> Work {
    const auto x = made<uint32_t>(exec, n, Runs());
    const auto values = array<uint32_t>(exec, n), starts = array<uint32_t>(exec, n);
    const Kokkos::View<int64_t, Exec> count("count");
    const auto plan = wavescan::Selection<Exec>::like(exec, wavescan::zip(values, starts));
    return {[=] { run_length_encode(plan, x, values, starts, count); }, last(values, n / 10)};
  });
  add("run_length_decode", "wavescan", 4.8, [](const Exec& exec, int64_t n) -> Work {
    const auto values = made<uint32_t>(exec, n / 8, Bits()), lengths = array<uint32_t>(exec, n / 8);
    const auto x = array<uint32_t>(exec, n);
    Kokkos::deep_copy(lengths, 8u);
    return {[=] { run_length_decode(exec, values, lengths, x); }, last(x, n)};
  });
}

void add_recurrences() {
  add("polynomial", "wavescan", 16, [](const Exec& exec, int64_t n) -> Work {
    const auto c = made<double>(exec, n, Fraction()), y = array<double>(exec, n);
    const Scan<wavescan::PlusTimes<double>> scan(exec, 1, n);
    return {[=] { polynomial(scan, c, 0.999, y); }, last(y, n)};
  });
  add("recurrence<1>", "wavescan", 24, [](const Exec& exec, int64_t n) -> Work {
    const auto x = made<double>(exec, n, Fraction()), y = array<double>(exec, n);
    const auto a = made<double>(exec, n, Fraction());
    const Scan<wavescan::PlusTimes<double>> scan(exec, 1, n);
    return {[=] { first_order(scan, x, a, y); }, last(y, n)};
  });
  add("recurrence<2>", "wavescan", 32, [](const Exec& exec, int64_t n) -> Work {
    const auto x = made<double>(exec, n, Fraction()), y = array<double>(exec, n);
    const auto a = made<double>(exec, n, Fraction()), b = made<double>(exec, n, Fraction());
    const Scan<MapComposition> scan(exec, 1, n);
    return {[=] { second_order(scan, x, a, b, y); }, last(y, n)};
  });
  add("fibonacci", "wavescan", 4, [](const Exec& exec, int64_t n) -> Work {
    const auto f = array<uint32_t>(exec, n);
    const Scan<MatrixProduct<fibonacci_modulus>> scan(exec, 1, n);
    return {[=] { fibonacci(scan, f); }, last(f, n)};
  });
  add("add", "wavescan", 24, [](const Exec& exec, int64_t n) -> Work {
    const auto a = made<uint64_t>(exec, n, Bits()), b = made<uint64_t>(exec, n, Addend{a});
    const auto sum = array<uint64_t>(exec, n + 1);
    const Scan<Carries> scan(exec, 1, n + 1);
    return {[=] { applications::add(scan, a, b, sum); }, last(sum, n)};
  });
}

void add_texts() {
  add("csv_states", "wavescan", 2, [](const Exec& exec, int64_t n) -> Work {
    const auto text = made<char>(exec, n, Csv());
    const auto states = array<uint8_t>(exec, n);
    const Scan<Composition<uint8_t, 2>> scan(exec, 1, n);
    return {[=] { csv_states(scan, text, states); }, last(states, n)};
  });
  add("csv_field_ends", "wavescan", 1.8, [](const Exec& exec, int64_t n) -> Work {
    const auto text = made<char>(exec, n, Csv());
    const auto states = array<uint8_t>(exec, n);
    const auto ends = array<uint32_t>(exec, n / 5);
    csv_states(Scan<Composition<uint8_t, 2>>(exec, 1, n), text, states);
    return {[=] { csv_field_ends(exec, states, ends); }, last(ends, n / 6)};
  });
  add("nesting_depth", "wavescan", 5, [](const Exec& exec, int64_t n) -> Work {
    const auto text = made<char>(exec, n, Bracket());
    const auto depth = array<int>(exec, n);
    const Scan<wavescan::Plus<int>> scan(exec, 1, n);
    return {[=] { nesting_depth(scan, text, depth); }, last(depth, n)};
  });
  // A square of so many pairs of letters; the floor is that of a row's scans.
  add("alignment", "wavescan", 8, [](const Exec& exec, int64_t n) -> Work {
    int64_t letters = 1;
    while (4 * letters * letters <= n) letters *= 2;
    const auto a = made<char>(exec, letters, Bracket()),
               b = made<char>(exec, n / letters, Bracket());
    return {[=] { alignment_score(exec, a, b, {}); },
            [=] { return double(alignment_score(exec, a, b, {})); }};
  });
}

// ---- loops of one thread, on hosts

template <class Key>
void add_std_sort(const std::string& name) {
  add(name, "std", 2 * (sizeof(Key) + 4), [](const Exec& exec, int64_t n) -> Work {
    const Keys<Key> data(exec, n);
    const auto pairs = std::make_shared<std::vector<std::pair<Key, uint32_t>>>(n);
    return {[=] {
              std::stable_sort(pairs->begin(), pairs->end(),
                               [](const auto& a, const auto& b) { return a.first < b.first; });
            },
            [=] { return static_cast<double>(pairs->back().first); },
            [=] {
              for (int64_t i = 0; i < n; ++i)
                (*pairs)[static_cast<std::size_t>(i)] = {data.unsorted(i), data.values(i)};
            }};
  });
}

void add_loops() {
  add_std_sort<uint32_t>("sort<32>");
  add_std_sort<uint64_t>("sort<64>");
  add("compaction", "std", 6, [](const Exec& exec, int64_t n) -> Work {
    const auto x = made<float>(exec, n, Fraction()), kept = array<float>(exec, n);
    const auto count = std::make_shared<double>();
    return {[=] {
              const float* const begin = x.data();
              *count = static_cast<double>(
                  std::copy_if(begin, begin + n, kept.data(),
                               [](float s) { return s >= 0.25f || -s >= 0.25f; }) -
                  kept.data());
            },
            [=] { return *count; }};
  });
  add("polynomial", "loop", 16, [](const Exec& exec, int64_t n) -> Work {
    const auto c = made<double>(exec, n, Fraction()), y = array<double>(exec, n);
    return {[=] {
              double value = 0;
              for (int64_t j = 0; j < n; ++j) y(j) = value = value * 0.999 + c(j);
            },
            last(y, n)};
  });
  add("recurrence<2>", "loop", 32, [](const Exec& exec, int64_t n) -> Work {
    const auto x = made<double>(exec, n, Fraction()), y = array<double>(exec, n);
    const auto a = made<double>(exec, n, Fraction()), b = made<double>(exec, n, Fraction());
    return {[=] {
              double y1 = 0, y2 = 0;
              for (int64_t j = 0; j < n; ++j) {
                y(j) = x(j) + a(j) * y1 + b(j) * y2;
                y2 = y1;
                y1 = y(j);
              }
            },
            last(y, n)};
  });
  add("fibonacci", "loop", 4, [](const Exec& exec, int64_t n) -> Work {
    const auto f = array<uint32_t>(exec, n);
    return {[=] {
              uint64_t now = 1, before = 0;
              for (int64_t j = 0; j < n; ++j) {
                f(j) = static_cast<uint32_t>(now);
                now += std::exchange(before, now);
                if (now >= fibonacci_modulus) now -= fibonacci_modulus;
              }
            },
            last(f, n)};
  });
  add("add", "loop", 24, [](const Exec& exec, int64_t n) -> Work {
    const auto a = made<uint64_t>(exec, n, Bits()), b = made<uint64_t>(exec, n, Addend{a});
    const auto sum = array<uint64_t>(exec, n + 1);
    return {[=] {
              uint64_t carry = 0;
              for (int64_t j = 0; j < n; ++j) {
                const uint64_t both = a(j) + b(j);
                sum(j) = both + carry;
                carry = both < a(j) || sum(j) < both;
              }
              sum(n) = carry;
            },
            last(sum, n)};
  });
  add("csv_states", "loop", 2, [](const Exec& exec, int64_t n) -> Work {
    const auto text = made<char>(exec, n, Csv());
    const auto states = array<uint8_t>(exec, n);
    return {[=] {
              static constexpr uint8_t next[3][4] = {
                  {plain, plain, quoted, plain},
                  {quoted, plain, quote, quoted},
                  {field_start, field_start, quoted, field_start}};
              uint8_t state = field_start;
              for (int64_t j = 0; j < n; ++j) {
                const char c = text(j);
                states(j) = state = next[c == '"' ? 1 : c == ',' || c == '\n' ? 2 : 0][state];
              }
            },
            last(states, n)};
  });
}

[[maybe_unused]] const bool registered = [] {
  add_sorting();
  add_recurrences();
  add_texts();
  if constexpr (!on_device) add_loops();
  return true;
}();

}  // namespace
}  // namespace wavescan::Perf::Applications
