// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Runs all applications and prints what comes out and how long it took, the second time.
//
//   usage: WaveScan_example_applications [ELEMENTS [FILE.csv]]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "applications.hpp"

namespace {

using namespace applications;
using std::uint32_t;
using std::uint64_t;

/// Any number, always the same one for an index.
KOKKOS_FUNCTION uint64_t hash(std::int64_t i) {
  uint64_t bits = static_cast<uint64_t>(i + 1) * 0x9E3779B97F4A7C15;
  bits = (bits ^ (bits >> 31)) * 0xBF58476D1CE4E5B9;
  return bits ^ (bits >> 30);
}

/// f(0), f(1), ..., f(n - 1)
template <class T, class F>
Array<T> array(std::int64_t n, const F& f) {
  const Array<T> filled("array", n);
  Kokkos::parallel_for(
      "fill", Range(0, n), KOKKOS_LAMBDA(std::int64_t i) { filled(i) = static_cast<T>(f(i)); });
  return filled;
}

/// The last of n elements, when it is asked for.
template <class T>
auto last(const Array<T>& view, std::int64_t n) {
  return [=] {
    T value{};
    if (n > 0) Kokkos::deep_copy(value, Kokkos::subview(view, n - 1));
    return value;
  };
}

template <class Work, class Result>
void report(const char* what, std::int64_t n, const Work& work, const char* name,
            const Result& result) {
  work();
  Kokkos::fence();
  Kokkos::Timer timer;
  work();
  Kokkos::fence();
  const double seconds = timer.seconds();
  std::printf("%-30s %11lld %10.3f   %s %.10g\n", what, static_cast<long long>(n), 1e3 * seconds,
              name, static_cast<double>(result()));
}

Array<char> table(std::int64_t n, const char* file) {
  std::string text;
  if (file) {
    std::ifstream in(file, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(in), {});
  } else {
    const std::string line = "1,plain,\"with, comma\",\"\"\"quoted\"\" and\na second line\",2.5\n";
    while (static_cast<std::int64_t>(text.size()) < n) text += line;
  }
  const Array<char> on_device("text", text.size());
  Kokkos::deep_copy(on_device,
                    Kokkos::View<const char*, Kokkos::HostSpace>(text.data(), text.size()));
  return on_device;
}

void sorting(const Exec& exec, std::int64_t n) {
  const Kokkos::View<std::int64_t, Exec> count("count");
  const auto samples = array<float>(
      n, KOKKOS_LAMBDA(std::int64_t i) { return static_cast<double>(hash(i) >> 11) * 0x1p-53; });
  const Array<float> kept("kept", n);
  const auto plan = wavescan::Selection<Exec>::like(exec, samples);
  const auto counted = [&] {
    std::int64_t number = 0;
    Kokkos::deep_copy(number, count);
    return number;
  };
  report(
      "stream compaction", n, [&] { compact(plan, samples, 0.75f, kept, count); }, "kept", counted);

  const Array<uint32_t> keys("keys", n), values("values", n), starts("starts", n);
  const auto random = array<uint32_t>(
      n, KOKKOS_LAMBDA(std::int64_t i) { return hash(i); });
  const auto sort = [&] {
    Kokkos::deep_copy(exec, keys, random);
    radix_sort(exec, keys, values);
  };
  report("radix sort", n, sort, "largest", last(keys, n));

  const auto runs = array<uint32_t>(
      n, KOKKOS_LAMBDA(std::int64_t i) { return i / 10; });
  const auto pairs = wavescan::Selection<Exec>::like(exec, wavescan::zip(values, starts));
  report(
      "run-length encoding", n, [&] { run_length_encode(pairs, runs, values, starts, count); },
      "runs", counted);
}

void recurrences(const Exec& exec, std::int64_t n) {
  const auto c = array<double>(
      n, KOKKOS_LAMBDA(std::int64_t i) { return i % 3 - 1.0; });
  const auto a = array<double>(
      n, KOKKOS_LAMBDA(std::int64_t i) { return 0.4 + 0.1 * (i % 2); });
  const Array<double> y("y", n);
  const Scan<wavescan::PlusTimes<double>> scan(exec, 1, n);
  const Scan<MapComposition> maps(exec, 1, n);
  const auto y_last = last(y, n);
  report(
      "polynomial", n, [&] { polynomial(scan, c, 0.999, y); }, "value", y_last);
  report(
      "recurrence of order 1", n, [&] { first_order(scan, c, a, y); }, "last", y_last);
  report(
      "recurrence of order 2", n, [&] { second_order(maps, c, a, a, y); }, "last", y_last);

  const Array<uint32_t> numbers("numbers", n);
  const Scan<MatrixProduct<fibonacci_modulus>> products(exec, 1, n);
  report(
      "Fibonacci numbers", n, [&] { fibonacci(products, numbers); }, "last", last(numbers, n));

  const auto limbs = array<uint64_t>(
      n, KOKKOS_LAMBDA(std::int64_t i) { return hash(i); });
  const auto others = array<uint64_t>(
      n, KOKKOS_LAMBDA(std::int64_t i) { return ~hash(i) + (i == 0); });
  const Array<uint64_t> sum("sum", n + 1);
  const Scan<Carries> carries(exec, 1, n + 1);
  const auto carry = last(sum, n + 1);
  report(
      "sum of integers of n limbs", n, [&] { add(carries, limbs, others, sum); }, "carry", carry);
}

void texts(const Exec& exec, std::int64_t n, const char* file) {
  const Array<char> text = table(n, file);
  const auto characters = static_cast<std::int64_t>(text.extent(0));
  const Array<std::uint8_t> states("states", characters);
  const Scan<Composition<std::uint8_t, 2>> automaton(exec, 1, characters);
  report(
      "states of a CSV file", characters, [&] { csv_states(automaton, text, states); }, "last",
      last(states, characters));
  std::int64_t fields = 0;
  const auto count = [&] { fields = csv_field_ends(exec, states, Array<uint32_t>()); };
  report("fields of a CSV file", characters, count, "fields", [&] { return fields; });

  const auto brackets = array<char>(
      n, KOKKOS_LAMBDA(std::int64_t i) {
        return hash(i / 2) % 2 == static_cast<uint64_t>(i % 2) ? '(' : ')';
      });
  const Array<int> depth("depth", n);
  const Array<std::int32_t> partner("partner", n);
  const Scan<wavescan::Plus<int>> sums(exec, 1, n);
  report(
      "depth of parentheses", n, [&] { nesting_depth(sums, brackets, depth); }, "last",
      last(depth, n));
  const auto match = [&] { match_parentheses(exec, brackets, depth, partner); };
  report("partners of parentheses", n, match, "of the last", last(partner, n));

  const auto letters = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  const auto a = array<char>(
      letters, KOKKOS_LAMBDA(std::int64_t i) { return "ACGT"[hash(i) % 4]; });
  const auto b = array<char>(
      letters, KOKKOS_LAMBDA(std::int64_t i) { return "ACGT"[hash(i + i / 9) % 4]; });
  int score = 0;
  const auto align = [&] { score = alignment_score(exec, a, b, {}); };
  report("sequence alignment, pairs", letters * letters, align, "score", [&] { return score; });
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : std::int64_t(1) << 20;
  if (n < 1) {
    std::fprintf(stderr, "usage: %s [ELEMENTS [FILE.csv]]\n", argv[0]);
    return 1;
  }
  const Exec exec;
  std::printf("%-30s %11s %10s\n", "", "elements", "ms");
  sorting(exec, n);
  recurrences(exec, n);
  texts(exec, n, argc > 2 ? argv[2] : nullptr);
  return 0;
}
