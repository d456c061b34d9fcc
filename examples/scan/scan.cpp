// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Three scans of a month of rainfall: its running total, a weighted scan that models how fast soil
// dries, and a scan with an operator of one's own that starts afresh every week.
#include <Kokkos_Core.hpp>
#include <WaveScan.hpp>
#include <cmath>
#include <cstdio>

constexpr int days = 28;

// A value, and whether a new segment begins with it.
struct Marked {
  double value;
  bool begins;
};

// Sums that start afresh wherever a segment begins. Associative, so a scan can run in parallel; it
// does not commute, which scans do not ask for: they keep the order of their operands.
struct SegmentedSum {
  using value_type = Marked;
  KOKKOS_FUNCTION Marked operator()(const Marked& a, const Marked& b) const {
    return {b.begins ? b.value : a.value + b.value, a.begins || b.begins};
  }
  KOKKOS_FUNCTION Marked identity() const { return {0, false}; }
};

// Some weather, in mm a day, and the same with every Monday marked.
void rain(const Kokkos::View<double*>& mm, const Kokkos::View<Marked*>& marked) {
  Kokkos::parallel_for(
      "rain", days, KOKKOS_LAMBDA(const int day) {
        mm(day) = day % 5 == 0 ? 12.5 : (day * 7 % 4) * 0.5;
        marked(day) = {mm(day), day % 7 == 0};
      });
}

bool agree(const char* what, int day, double got, double expected) {
  if (std::abs(got - expected) <= 1e-12 * (1 + std::abs(expected))) return true;
  std::printf("%s of day %d is %g, expected %g\n", what, day, got, expected);
  return false;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);

  Kokkos::View<double*> mm("mm", days), total("total", days), moisture("moisture", days);
  Kokkos::View<Marked*> weekly("weekly", days);
  rain(mm, weekly);

  // total(j) = mm(0) + ... + mm(j)
  wavescan::inclusive_scan(mm, total);
  // moisture(j) = 0.8 * moisture(j-1) + mm(j), and 20 mm were there before the first day
  wavescan::weighted_scan(mm, 0.8, moisture, wavescan::PlusTimes<double>{},
                          wavescan::ScanOptions().carry_in(20.0));
  // In place, with our own operator.
  wavescan::inclusive_scan(weekly, weekly, SegmentedSum{});

  // Copies to the host wait for the scans, which were only enqueued.
  const auto host = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  const auto mm_h = host(mm), total_h = host(total), moisture_h = host(moisture);
  const auto weekly_h = host(weekly);

  std::printf("day  rain  total  this week  in the soil\n");
  double sum = 0, week = 0, soil = 20;
  bool right = true;
  for (int day = 0; day < days; ++day) {
    std::printf("%3d %5.1f %6.1f %10.1f %12.2f\n", day + 1, mm_h(day), total_h(day),
                weekly_h(day).value, moisture_h(day));
    sum += mm_h(day);
    week = (day % 7 == 0 ? 0 : week) + mm_h(day);
    soil = 0.8 * soil + mm_h(day);
    right &= agree("total", day, total_h(day), sum);
    right &= agree("this week", day, weekly_h(day).value, week);
    right &= agree("in the soil", day, moisture_h(day), soil);
  }
  return right ? 0 : 1;
}
