// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Summed-area tables beside the copy of the same bytes, the paper's wavefront loop, and what one
// would write down: a loop, and two passes along rows and columns.
#include <Kokkos_Core.hpp>
#include <WaveScan_ImageLoops.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <WaveScan_Wavefront.hpp>
#include <cstdint>
#include <string>

#include "Images.hpp"

namespace {

namespace ws = wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class Pixel, class T>
void add_tables(const std::string& type, const std::string& program, Shapes shapes,
                const ws::SummedAreaTableOptions& options) {
  add_images("sat<" + type + ">", program, sizeof(Pixel) + sizeof(T), shapes,
             [=](const Exec& exec, const Shape& s) -> Work {
               const auto image = random_images<Pixel>(exec, s);
               const auto table = random_images<T>(exec, s);
               return {[=] { ws::summed_area_table(exec, image, table, options); },
                       [=] { return last_entry(table); }};
             });
}

/// @brief The paper's wavefront loop, one image after the other.
template <class Pixel, class T>
void add_wavefront(const std::string& type) {
  using Loop = ws::SummedAreaTableLoop<Pixel, T>;
  add_images("sat<" + type + ">", "wavefront", sizeof(Pixel) + sizeof(T), Shapes::Usual,
             [=](const Exec& exec, const Shape& s) -> Work {
               const ImageArray<const Pixel, Exec> image = random_images<Pixel>(exec, s);
               const auto table = random_images<T>(exec, s);
               return {
                   [=] {
                     for (std::int64_t m = 0; m < s.images; ++m)
                       ws::wavefront(
                           exec,
                           Loop{ws::grid_of(Kokkos::subview(image, m, Kokkos::ALL, Kokkos::ALL))},
                           Kokkos::subview(table, m, Kokkos::ALL, Kokkos::ALL),
                           {.schedule = ws::Schedule::TileCompensated});
                   },
                   [=] { return last_entry(table); }};
             });
}

/// @brief Tables of the image and of its squares in one pass.
template <class Pixel, class T, class S>
void add_tables_with_squares(const std::string& type) {
  add_images("sat_with_squares<" + type + ">", "wavescan", sizeof(Pixel) + sizeof(T) + sizeof(S),
             Shapes::All, [=](const Exec& exec, const Shape& s) -> Work {
               const auto image = random_images<Pixel>(exec, s);
               const auto table = random_images<T>(exec, s);
               const auto squares = random_images<S>(exec, s);
               return {[=] { ws::summed_area_table(exec, image, table, squares); },
                       [=] { return last_entry(squares); }};
             });
}

/// @brief Two kernels, each with a thread for a line.
template <class Pixel, class T>
struct RowPass {
  ImageArray<Pixel, Exec> image;
  ImageArray<T, Exec> table;
  KOKKOS_FUNCTION void operator()(const std::int64_t m, const std::int64_t i) const {
    T sum = 0;
    for (std::int64_t j = 0; j < static_cast<std::int64_t>(image.extent(2)); ++j)
      table(m, i, j) = sum += static_cast<T>(image(m, i, j));
  }
};
template <class T>
struct ColumnPass {
  ImageArray<T, Exec> table;
  KOKKOS_FUNCTION void operator()(const std::int64_t m, const std::int64_t j) const {
    T sum = 0;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(table.extent(1)); ++i)
      table(m, i, j) = sum += table(m, i, j);
  }
};

template <class Pixel, class T>
void add_two_passes(const std::string& type) {
  using Lines = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
  add_images("sat<" + type + ">", "two_passes", sizeof(Pixel) + sizeof(T), Shapes::Usual,
             [](const Exec& exec, const Shape& s) -> Work {
               const auto image = random_images<Pixel>(exec, s);
               const auto table = random_images<T>(exec, s);
               return {[=] {
                         Kokkos::parallel_for(Lines(exec, {0, 0}, {s.images, s.rows}),
                                              RowPass<Pixel, T>{image, table});
                         Kokkos::parallel_for(Lines(exec, {0, 0}, {s.images, s.columns}),
                                              ColumnPass<T>{table});
                       },
                       [=] { return last_entry(table); }};
             });
}

/// @brief The paper's formula and the usual loop with a sum for the row, on one thread of the host.
template <class Pixel, class T>
void add_loops(const std::string& type) {
  const auto add = [&](const std::string& program, const auto& loop) {
    add_images<Host>("sat<" + type + ">", program, sizeof(Pixel) + sizeof(T), Shapes::Usual,
                     [=](const Host& host, const Shape& s) -> Work {
                       const auto image = random_images<Pixel>(host, s);
                       const auto table = random_images<T>(host, s);
                       return {[=] {
                                 for (std::int64_t m = 0; m < s.images; ++m)
                                   loop(&image(m, 0, 0), &table(m, 0, 0), s.rows, s.columns);
                                 benchmark::ClobberMemory();
                               },
                               [=] { return last_entry(table); }};
                     });
  };
  add("formula", [](const Pixel* image, T* table, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        const std::int64_t k = i * columns + j;
        table[k] = static_cast<T>(image[k]) + (j > 0 ? table[k - 1] : T(0)) +
                   (i > 0 ? table[k - columns] : T(0)) -
                   (i > 0 && j > 0 ? table[k - columns - 1] : T(0));
      }
  });
  add("loop", [](const Pixel* image, T* table, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t i = 0; i < rows; ++i) {
      T sum = 0;
      for (std::int64_t j = 0; j < columns; ++j) {
        const std::int64_t k = i * columns + j;
        sum += static_cast<T>(image[k]);
        table[k] = sum + (i > 0 ? table[k - columns] : T(0));
      }
    }
  });
}

template <class Pixel, class T>
void add_all(const std::string& type) {
  add_tables<Pixel, T>(type, "wavescan", Shapes::All, {});
  add_wavefront<Pixel, T>(type);
  add_two_passes<Pixel, T>(type);
  add_loops<Pixel, T>(type);
}

const bool registered = [] {
  add_all<float, float>("float");
  add_all<std::uint8_t, std::uint32_t>("uint8,uint32");
  add_tables<std::int32_t, std::int32_t>("int32", "wavescan", Shapes::All, {});
  add_tables<double, double>("double", "wavescan", Shapes::All, {});
  add_tables<float, float>("float", "wavescan_sums_in_double", Shapes::All,
                           {.sums_in_double = true});
  add_tables_with_squares<std::uint8_t, std::uint32_t, std::uint64_t>("uint8,uint32,uint64");
  return true;
}();

}  // namespace
