// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// A wavefront loop of one's own: dynamic time warping, the least total distance between two
// signals of which each may be stretched in time (Sakoe and Chiba, 1978):
//
//     D(i,j) = |a(i) - b(j)| + min(D(i,j-1), D(i-1,j), D(i-1,j-1))
//
// The description below is all that WaveScan needs to run the loop in any schedule.
#include <Kokkos_Core.hpp>
#include <WaveScan.hpp>
#include <cstdint>
#include <cstdio>

struct TimeWarping {
  // min accumulates, + distributes: min(x, y) + w == min(x + w, y + w), as theorem 1 wants it.
  using algebra_type = wavescan::MinPlus<float>;
  Kokkos::View<const float*> a, b;

  KOKKOS_FUNCTION float cost(std::int64_t i, std::int64_t j) const {
    return Kokkos::abs(a(i) - b(j));
  }
  // What the left neighbour's value gains on its way into entry (i, j).
  KOKKOS_FUNCTION float weight(std::int64_t i, std::int64_t j) const { return cost(i, j); }
  // Everything else: the shares of the upper and the upper-left neighbour.
  KOKKOS_FUNCTION float partial(std::int64_t i, std::int64_t j, float up, float up_left,
                                const auto& /*old*/) const {
    return Kokkos::min(up, up_left) + cost(i, j);
  }
  // Neighbours outside the array: paths start at the corner and nowhere else.
  KOKKOS_FUNCTION float boundary(std::int64_t i, std::int64_t j) const {
    return i == -1 && j == -1 ? 0 : Kokkos::Experimental::infinity_v<float>;
  }
};

// The distance of two signals: the last entry of D.
float warped_distance(const Kokkos::View<const float*>& a, const Kokkos::View<const float*>& b,
                      wavescan::Schedule schedule) {
  const Kokkos::View<float**> d("d", a.extent(0), b.extent(0));
  wavescan::wavefront(TimeWarping{a, b}, d, wavescan::WavefrontOptions{.schedule = schedule});
  float distance = 0;
  Kokkos::deep_copy(distance, Kokkos::subview(d, d.extent(0) - 1, d.extent(1) - 1));
  return distance;
}

// Two turns of a sine, every sample repeated; values are multiples of 1/64, so that sums are exact.
Kokkos::View<float*> sine(int samples, int repeats, float height) {
  const Kokkos::View<float*> signal("signal", samples * repeats);
  Kokkos::parallel_for(
      "sine", samples * repeats, KOKKOS_LAMBDA(const int i) {
        const float turns = 2.0f * static_cast<float>(i / repeats) / static_cast<float>(samples);
        signal(i) =
            Kokkos::round(64 * height * Kokkos::sin(2 * Kokkos::numbers::pi_v<float> * turns)) / 64;
      });
  return signal;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);

  const auto signal = sine(100, 1, 1), slower = sine(100, 3, 1), louder = sine(100, 3, 2);
  const float reference = warped_distance(signal, louder, wavescan::Schedule::Serial);
  bool right = reference > 0;

  std::printf("%-18s %15s %15s\n", "schedule", "a slower copy", "a louder one");
  for (const auto schedule : wavescan::schedules) {
    const float same = warped_distance(signal, slower, schedule);
    const float different = warped_distance(signal, louder, schedule);
    std::printf("%-18s %15g %15g\n", to_string(schedule), same, different);
    right &= same == 0 && different == reference;
  }
  return right ? 0 : 1;
}
