// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Arrays that are divided into segments: the entries of a sparse matrix into rows, particles into
// cells, rewards into episodes, equal values into runs, measurements into groups. Results are
// compared with serial loops.
//
//   usage: WaveScan_example_segments [ELEMENTS]
#include <Kokkos_Core.hpp>
#include <WaveScan.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

template <class T>
using Array = Kokkos::View<T*>;

/// A copy for the host, once all that was enqueued before is done.
template <class T>
auto host(const Array<T>& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// Any number below `bound`, always the same one for an index.
KOKKOS_FUNCTION std::uint32_t hash(std::int64_t i, std::uint32_t bound) {
  const auto bits = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15;
  return static_cast<std::uint32_t>((bits ^ (bits >> 29)) >> 32) % bound;
}

template <class T>
Array<T> array_of(const std::vector<T>& values) {
  const Array<T> view("array", values.size());
  Kokkos::deep_copy(view, Kokkos::View<const T*, Kokkos::HostSpace>(values.data(), values.size()));
  return view;
}

bool agree(const char* what, std::int64_t at, double got, double expected) {
  if (std::abs(got - expected) <= 1e-9 * (1 + std::abs(expected))) return true;
  std::printf("%s: %g at %lld, expected %g\n", what, got, static_cast<long long>(at), expected);
  return false;
}

/// The sums of a matrix' rows, and in each row the sums up to every entry. Rows have any length,
/// many are empty; how many entries a thread takes does not depend on it.
bool rows_of_a_matrix(std::int64_t entries) {
  std::vector<std::int64_t> offsets{0};
  for (std::int64_t row = 0; offsets.back() < entries; ++row) {
    const std::uint32_t kind = hash(row, 8);
    const std::int64_t length = kind < 2 ? 0 : kind < 7 ? hash(row + 5, 9) : hash(row + 7, 2000);
    offsets.push_back(std::min(entries, offsets.back() + length));
  }
  const Array<std::int64_t> row_map = array_of(offsets);
  const auto rows = static_cast<std::int64_t>(offsets.size()) - 1;
  const Array<double> values("values", static_cast<std::size_t>(entries)),
      prefix("prefix", static_cast<std::size_t>(entries)),
      sums("sums", static_cast<std::size_t>(rows));
  Kokkos::parallel_for(
      "values", entries, KOKKOS_LAMBDA(const std::int64_t j) { values(j) = hash(j, 10); });

  const auto segments = wavescan::segment_offsets(row_map);
  wavescan::check_segments(segments, entries);
  wavescan::segmented_reduce(values, segments, sums);
  wavescan::segmented_inclusive_scan(values, segments, prefix);

  const auto values_h = host(values), prefix_h = host(prefix), sums_h = host(sums);
  bool right = true;
  std::int64_t longest = 0;
  for (std::int64_t row = 0; row < rows && right; ++row) {
    const auto s = static_cast<std::size_t>(row);
    double sum = 0;
    for (std::int64_t j = offsets[s]; j < offsets[s + 1] && right; ++j)
      right = agree("prefix", j, prefix_h(j), sum += values_h(j));
    right = right && agree("sum of row", row, sums_h(row), sum);
    longest = std::max(longest, offsets[s + 1] - offsets[s]);
  }
  std::printf("%lld entries in %lld rows, the longest of %lld\n", static_cast<long long>(entries),
              static_cast<long long>(rows), static_cast<long long>(longest));
  return right;
}

/// How many particles each cell has that has some, and the place of each particle in its cell, of
/// particles that are sorted by cell.
bool particles_in_cells(std::int64_t particles) {
  const auto size = static_cast<std::size_t>(particles);
  std::vector<int> sorted(size);
  for (std::int64_t j = 0; j < particles; ++j)
    sorted[static_cast<std::size_t>(j)] =
        static_cast<int>(hash(j, static_cast<std::uint32_t>(particles / 4 + 1)));
  std::sort(sorted.begin(), sorted.end());
  const Array<int> cells = array_of(sorted), cell("cell", size), count("count", size),
                   place("place", size);

  const auto one = wavescan::computed_input(
      particles, KOKKOS_LAMBDA(std::int64_t) { return 1; });
  const std::int64_t occupied = wavescan::reduce_by_key(cells, one, cell, count);
  wavescan::exclusive_scan_by_key(cells, one, place);

  const auto cell_h = host(cell), count_h = host(count), place_h = host(place);
  bool right = true;
  std::int64_t found = 0;
  for (std::int64_t j = 0, first = 0; j < particles && right; ++j) {
    const auto k = static_cast<std::size_t>(j);
    if (k > 0 && sorted[k] != sorted[k - 1]) first = j;
    right = agree("place of particle", j, place_h(j), static_cast<double>(j - first));
    if (k + 1 == size || sorted[k] != sorted[k + 1]) {
      right = right && agree("cell", found, cell_h(found), sorted[k]) &&
              agree("particles", found, count_h(found), static_cast<double>(j - first + 1));
      ++found;
    }
  }
  std::printf("%lld particles in %lld cells\n", static_cast<long long>(particles),
              static_cast<long long>(occupied));
  return right && occupied == found;
}

/// What each action of an episode earns from then on, where rewards count less the later they come:
/// a recurrence backwards, that begins anew with the last action of every episode.
bool discounted_returns(std::int64_t actions) {
  constexpr double discount = .99;
  const auto size = static_cast<std::size_t>(actions);
  const Array<bool> begins("begins", size);
  const Array<double> rewards("rewards", size), returns("returns", size);
  Kokkos::parallel_for(
      "episodes", actions, KOKKOS_LAMBDA(const std::int64_t j) {
        begins(j) = hash(j, 50) == 0;
        rewards(j) = hash(j + 3, 3) - 1.;
      });

  wavescan::segmented_weighted_scan(rewards, discount, wavescan::segment_heads(begins), returns,
                                    wavescan::PlusTimes{}, {}, {.reverse = true});

  const auto begins_h = host(begins);
  const auto rewards_h = host(rewards), returns_h = host(returns);
  bool right = true;
  std::int64_t episodes = 0;
  double expected = 0;
  for (std::int64_t j = actions - 1; j >= 0 && right; --j) {
    expected = discount * expected + rewards_h(j);
    right = agree("return of action", j, returns_h(j), expected);
    if (begins_h(j) || j == 0) {
      expected = 0;
      ++episodes;
    }
  }
  std::printf("%lld actions in %lld episodes\n", static_cast<long long>(actions),
              static_cast<long long>(episodes));
  return right;
}

/// Equal neighbours as a value and a length each, and back. To go back, runs begin with their
/// values, behind which there are zeros, and are summed up.
bool runs_of_equal_values(std::int64_t elements) {
  const auto size = static_cast<std::size_t>(elements);
  std::vector<int> pixels(size);
  for (std::int64_t j = 0, run = 0; j < elements; ++j) {
    if (hash(j, 12) == 0) ++run;
    pixels[static_cast<std::size_t>(j)] = static_cast<int>(hash(run, 4));
  }
  const Array<int> plain = array_of(pixels), values("values", size), lengths("lengths", size),
                   again("again", size);
  const auto one = wavescan::computed_input(
      elements, KOKKOS_LAMBDA(std::int64_t) { return 1; });
  const auto runs = static_cast<std::size_t>(wavescan::reduce_by_key(plain, one, values, lengths));

  const auto first = [](const Array<int>& view, std::size_t count) {
    return Kokkos::subview(view, std::pair<std::size_t, std::size_t>(0, count));
  };
  const Array<int> ends("ends", runs + 1);  // of runs, behind the begin of the first one
  wavescan::inclusive_scan(first(lengths, runs),
                           Kokkos::subview(ends, std::pair<std::size_t, std::size_t>(1, runs + 1)));
  Kokkos::parallel_for(
      "values", static_cast<std::int64_t>(runs),
      KOKKOS_LAMBDA(const std::int64_t run) { again(ends(run)) = values(run); });
  wavescan::segmented_inclusive_scan(again, wavescan::segment_offsets(ends), again);

  const auto values_h = host(values), lengths_h = host(lengths), again_h = host(again);
  bool right = true;
  std::size_t run = 0;
  for (std::size_t j = 0; j < size && right; ++run) {
    std::size_t end = j;
    while (end < size && pixels[end] == pixels[j]) ++end;
    const auto at = static_cast<std::int64_t>(run);
    right = agree("value of run", at, values_h(run), pixels[j]) &&
            agree("length of run", at, lengths_h(run), static_cast<double>(end - j));
    for (; j < end && right; ++j)
      right = agree("decoded", static_cast<std::int64_t>(j), again_h(j), pixels[j]);
  }
  std::printf("%lld values in %lld runs\n", static_cast<long long>(elements),
              static_cast<long long>(runs));
  return right && run == runs;
}

/// The largest measurement so far in every group: a maximum by key.
bool records_of_groups(std::int64_t measurements) {
  const auto size = static_cast<std::size_t>(measurements);
  const Array<int> groups("groups", size);
  const Array<double> level("level", size), record("record", size);
  Kokkos::parallel_for(
      "measurements", measurements, KOKKOS_LAMBDA(const std::int64_t j) {
        groups(j) = static_cast<int>(j / 77);
        level(j) = hash(j, 1000);
      });

  wavescan::inclusive_scan_by_key(groups, level, record, wavescan::Max{});

  const auto groups_h = host(groups);
  const auto level_h = host(level), record_h = host(record);
  bool right = true;
  std::int64_t records = 0;
  double most = 0;
  for (std::int64_t j = 0; j < measurements && right; ++j) {
    if (j == 0 || groups_h(j) != groups_h(j - 1) || level_h(j) > most) {
      most = level_h(j);
      ++records;
    }
    right = agree("record", j, record_h(j), most);
  }
  std::printf("%lld measurements, %lld of them records of their group\n",
              static_cast<long long>(measurements), static_cast<long long>(records));
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const std::int64_t elements = argc > 1 ? std::atoll(argv[1]) : 100000;
  const bool rows = rows_of_a_matrix(elements), cells = particles_in_cells(elements),
             episodes = discounted_returns(elements), runs = runs_of_equal_values(elements),
             groups = records_of_groups(elements);
  return rows && cells && episodes && runs && groups ? 0 : 1;
}
