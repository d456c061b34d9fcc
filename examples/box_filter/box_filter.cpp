// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// A page with dark strokes, lit from the left: no one threshold separates strokes from paper. From
// the page's summed-area table come a blurred page (a box filter of any radius at the same cost)
// and a threshold that compares each pixel with the mean of its surroundings.
#include <Kokkos_Core.hpp>
#include <WaveScan.hpp>
#include <cstdint>
#include <cstdio>

constexpr int height = 24;
constexpr int width = 72;

using Page = Kokkos::View<std::uint8_t**>;

// A stroke is every pixel of some rings and bars.
KOKKOS_FUNCTION bool is_stroke(int i, int j) {
  const int x = j % 24 - 12, y = i - 12;
  const int distance = x * x + 2 * y * y;
  return (distance >= 60 && distance < 90) || (i == 12 && j % 24 > 8 && j % 24 < 16);
}

// Paper reflects more than strokes, but on the dark side less than strokes do on the bright one.
void draw(const Page& page) {
  Kokkos::parallel_for(
      "draw", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {height, width}),
      KOKKOS_LAMBDA(const int i, const int j) {
        const int light = 250 - 2 * j;
        page(i, j) = static_cast<std::uint8_t>(is_stroke(i, j) ? light * 6 / 10 : light);
      });
}

// Shades of gray as characters, dark to bright.
void print(const char* title, const Page& page) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), page);
  std::printf("%s\n", title);
  for (int i = 0; i < height; ++i) {
    for (int j = 0; j < width; ++j) std::putchar("@%#*+=-:. "[host(i, j) / 26]);
    std::putchar('\n');
  }
}

int wrong_pixels(const Page& binary) {
  int wrong = 0;
  Kokkos::parallel_reduce(
      "compare", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {height, width}),
      KOKKOS_LAMBDA(const int i, const int j, int& count) {
        count += binary(i, j) != (is_stroke(i, j) ? 0 : 255);
      },
      wrong);
  return wrong;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);

  Page page("page", height, width), blurred("blurred", height, width),
      binary("binary", height, width);
  draw(page);

  // The sums of all pixels above and to the left. Does the largest of them fit 32 bits?
  if (!wavescan::accumulator_suffices<std::uint32_t>(height, width, 255)) return 1;
  Kokkos::View<std::uint32_t**> table("table", height, width);
  wavescan::summed_area_table(page, table);

  wavescan::box_filter(table, 3, blurred);                    // mean over 7 x 7 pixels
  wavescan::threshold_bradley(page, table, 6, 0.15, binary);  // 15% darker than 13 x 13 pixels

  // The mean of the page's left and right third.
  Kokkos::View<wavescan::Rectangle*, Kokkos::HostSpace> thirds("thirds", 2);
  thirds(0) = {0, 0, height, width / 3};
  thirds(1) = {0, width - width / 3, height, width};
  Kokkos::View<double*> sums("sums", 2);
  wavescan::rectangle_sums(table, Kokkos::create_mirror_view_and_copy(Page::memory_space(), thirds),
                           sums);

  // Copies to the host wait for what was enqueued.
  const auto sum = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  const double area = static_cast<double>(thirds(0).area());
  print("The page:", page);
  print("\nBlurred:", blurred);
  print("\nThresholded:", binary);
  const int wrong = wrong_pixels(binary);
  std::printf("\nmean of the left third: %.1f, of the right third: %.1f\n", sum(0) / area,
              sum(1) / area);
  std::printf("pixels on the wrong side of the threshold: %d of %d\n", wrong, height * width);
  return wrong == 0 ? 0 : 1;
}
