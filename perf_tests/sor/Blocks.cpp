// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// One sweep of SOR with several unknowns a point and blocks that vary, forward and in place, with a
// right-hand side: "blocks" is BlockSOR. Beside it loops that a user of Kokkos would write, of the
// same blocks: "red_black", a launch for each colour, "diagonals", a launch for each anti-diagonal,
// which gives the same results, and "serial", a loop of one thread. "points" is SOR with one
// unknown a point, of a square that has about as many bytes. "of_copy" is the share of a copy of as
// many bytes as x, read and written, b and the blocks have.
// Arguments: unknown points a side.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_BlockSOR.hpp>
#include <WaveScan_SOR.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <support/WaveScanPerf_Arrays.hpp>
#include <support/WaveScanPerf_Timing.hpp>
#include <type_traits>

namespace blocks_benchmarks {
namespace {

namespace ws = wavescan;
using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Points = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

constexpr double omega = 1.2;

/// @brief Relaxes the point with this place in memory, of arrays that lie like x.
template <class T, int B, int Rank>
struct Relax {
  using Vector = ws::SmallVector<T, B>;
  using Block = ws::SmallMatrix<T, B>;
  using Blocks = Kokkos::View<Block*, Exec>;

  Kokkos::Array<Blocks, std::size_t(2 * Rank)> neighbours;
  Blocks rhs;
  Kokkos::View<Vector*, Exec> x;
  Kokkos::View<const Vector*, Exec> b;
  std::int64_t side;  ///< with the halo

  KOKKOS_FUNCTION static void add(const Block& block, const Vector& vector, Vector& sum) {
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < B; ++c) sum[r] += block(r, c) * vector[c];
  }
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    Vector sum = x(k);
    for (int r = 0; r < B; ++r) sum[r] *= T(1 - omega);
    add(rhs(k), b(k), sum);
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < Rank; ++d, stride *= side) {
      add(neighbours[2 * d](k), x(k - stride), sum);
      add(neighbours[2 * d + 1](k), x(k + stride), sum);
    }
    x(k) = sum;
  }
};

/// @brief Points k of a colour: those whose indices' sum is even or odd.
template <class Relaxation, int Rank>
struct RelaxColour {
  Relaxation relax;
  std::int64_t colour, unknowns;  ///< unknowns a side, an even number

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::int64_t half = unknowns / 2, column = k % half;
    std::int64_t line = k / half, sum = colour, place = 0;
    std::int64_t stride = relax.side;
    for (int d = 1; d < Rank; ++d, stride *= relax.side, line /= unknowns) {
      place += (1 + line % unknowns) * stride;
      sum += line % unknowns;
    }
    relax(place + 1 + 2 * column + sum % 2);
  }
};

template <class Relaxation>
struct RelaxDiagonal {
  Relaxation relax;
  std::int64_t diagonal;  ///< sum of both indices
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { relax(i * relax.side + diagonal - i); }
};

template <class T, int B, int Rank>
struct Problem {
  using number = T;
  using Vector = ws::SmallVector<T, B>;
  using Block = ws::SmallMatrix<T, B>;
  using Vectors =
      Kokkos::View<std::conditional_t<Rank == 2, Vector**, Vector***>, Kokkos::LayoutRight, Exec>;
  using Matrix = std::conditional_t<Rank == 2, ws::FivePointMatrix<Block, Space>,
                                    ws::SevenPointMatrix<Block, Space>>;

  std::int64_t unknowns;  ///< a side
  std::size_t side = static_cast<std::size_t>(unknowns) + 2;
  Vectors x = vectors("x"), b = vectors("b");

  explicit Problem(const benchmark::State& state) : unknowns(state.range(0)) {
    using Numbers = Kokkos::View<T*, Exec>;
    const auto size = x.size() * B;
    Kokkos::deep_copy(Numbers(reinterpret_cast<T*>(x.data()), size),
                      ws::Perf::random_array<T>(Exec(), static_cast<std::int64_t>(size), 1));
    Kokkos::deep_copy(Numbers(reinterpret_cast<T*>(b.data()), size), T(1));
  }
  std::int64_t points() const {
    return Rank == 2 ? unknowns * unknowns : unknowns * unknowns * unknowns;
  }
  static constexpr std::int64_t numbers_a_point = (2 * Rank + 1) * B * B + 3 * B;

  /// @brief Diagonal blocks are multiples of the identity, others couple all unknowns.
  static Block multiple(T diagonal, T other) {
    Block block;
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < B; ++c) block(r, c) = r == c ? diagonal : other;
    return block;
  }
  static constexpr T center = 2 * Rank + 1;
  static Block neighbour(T factor) { return multiple(-factor, T(0.1) * factor); }

  Matrix matrix() const {
    const auto blocks = [&](const Block& value) {
      const auto s = side;
      typename Matrix::view_type view;
      if constexpr (Rank == 2)
        view = typename Matrix::view_type("blocks", Kokkos::LayoutStride(s, s, s, 1));
      else
        view = typename Matrix::view_type("blocks", Kokkos::LayoutStride(s, s * s, s, s, s, 1));
      Kokkos::deep_copy(view, value);
      return view;
    };
    Matrix a;
    a.center = blocks(multiple(center, 0));
    for (auto* view : {&a.left, &a.up, &a.right, &a.down}) *view = blocks(neighbour(1));
    if constexpr (Rank == 3)
      for (auto* view : {&a.front, &a.back}) *view = blocks(neighbour(1));
    return a;
  }
  Relax<T, B, Rank> loop() const {
    Relax<T, B, Rank> relax;
    const auto blocks = [&](const Block& value) {
      const Kokkos::View<Block*, Exec> view("blocks", x.size());
      Kokkos::deep_copy(view, value);
      return view;
    };
    for (std::size_t k = 0; k < relax.neighbours.size(); ++k)
      relax.neighbours[k] = blocks(neighbour(T(-omega) / center));
    relax.rhs = blocks(multiple(T(omega) / center, 0));
    relax.x = Kokkos::View<Vector*, Exec>(x.data(), x.size());
    relax.b = Kokkos::View<const Vector*, Exec>(b.data(), b.size());
    relax.side = static_cast<std::int64_t>(side);
    return relax;
  }

 private:
  Vectors vectors(const char* label) const {
    if constexpr (Rank == 2)
      return Vectors(label, side, side);
    else
      return Vectors(label, side, side, side);
  }
};

template <class Problem>
void report(benchmark::State& state, const Problem& p, double seconds) {
  ws::Perf::report_rate(state, p.points(), seconds);
  ws::Perf::report_bandwidth(
      state, Exec(),
      p.points() * p.numbers_a_point * static_cast<std::int64_t>(sizeof(typename Problem::number)),
      seconds);
}

template <class T, int B, int Rank>
void blocks(benchmark::State& state) {
  const Problem<T, B, Rank> p(state);
  const Exec exec;
  const ws::BlockSOR plan(exec, p.matrix(), omega);
  report(state, p, ws::Perf::time(state, exec, [&] { plan.sweeps(p.x, p.b, 1); }));
}

template <class T, int B, int Rank>
void red_black(benchmark::State& state) {
  const Problem<T, B, Rank> p(state);
  const Exec exec;
  const auto relax = p.loop();
  report(state, p, ws::Perf::time(state, exec, [&] {
           for (const std::int64_t colour : {0, 1})
             Kokkos::parallel_for("red_black", Points(exec, 0, p.points() / 2),
                                  RelaxColour<Relax<T, B, Rank>, Rank>{relax, colour, p.unknowns});
         }));
}

template <class T, int B>
void diagonals(benchmark::State& state) {
  const Problem<T, B, 2> p(state);
  const Exec exec;
  const auto relax = p.loop();
  const std::int64_t n = p.unknowns;
  report(state, p, ws::Perf::time(state, exec, [&] {
           for (std::int64_t d = 2; d <= 2 * n; ++d)
             Kokkos::parallel_for(
                 "diagonal",
                 Points(exec, Kokkos::max<std::int64_t>(1, d - n), Kokkos::min(n, d - 1) + 1),
                 RelaxDiagonal<Relax<T, B, 2>>{relax, d});
         }));
}

template <class T, int B>
void serial(benchmark::State& state) {
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space>::accessible) {
    const Problem<T, B, 2> p(state);
    const auto relax = p.loop();
    report(state, p, ws::Perf::time(state, Exec(), [&] {
             for (std::int64_t i = 1; i <= p.unknowns; ++i)
               for (std::int64_t j = 1; j <= p.unknowns; ++j) relax(i * relax.side + j);
           }));
  } else {
    state.SkipWithError("the host cannot reach the memory of the device");
  }
}

/// @brief As many bytes as blocks of B move in two dimensions, of four coefficients, x and b.
template <class T, int B>
void points(benchmark::State& state) {
  constexpr int numbers_a_point = 7;
  const double more = double(Problem<T, B, 2>::numbers_a_point) / numbers_a_point;
  const auto n = static_cast<std::int64_t>(std::sqrt(more) * static_cast<double>(state.range(0)));
  const auto filled = [&](T value) {
    const Kokkos::View<T**, Kokkos::LayoutRight, Exec> x("array", std::size_t(n) + 2,
                                                         std::size_t(n) + 2);
    Kokkos::deep_copy(x, value);
    return x;
  };
  const auto x = filled(0);
  Kokkos::deep_copy(Kokkos::View<T*, Exec>(x.data(), x.size()),
                    ws::Perf::random_array<T>(Exec(), static_cast<std::int64_t>(x.size()), 1));
  const ws::VariableCoefficients<T> c{.center = T(1 - omega),
                                      .left = filled(T(0.24)),
                                      .up = filled(T(0.24)),
                                      .right = filled(T(0.24)),
                                      .down = filled(T(0.24)),
                                      .rhs = T(0.24)};
  const auto inputs = ws::SORInputs().rhs(filled(1));
  const double seconds =
      ws::Perf::time(state, Exec(), [&] { ws::sor_sweeps(Exec(), x, c, 1, inputs); });
  ws::Perf::report_rate(state, n * n, seconds);
  ws::Perf::report_bandwidth(
      state, Exec(), numbers_a_point * n * n * static_cast<std::int64_t>(sizeof(T)), seconds);
}

template <int B>
void register_size() {
  using T = double;
  const auto add = [](int rank, const std::string& name, auto function) {
    auto* const b = benchmark::RegisterBenchmark(
        ("sor_blocks/" + std::to_string(B) + "/" + std::to_string(rank) + "d/" + name).c_str(),
        function);
    b->UseManualTime()->Unit(benchmark::kMillisecond);
    if (rank == 2)
      b->Arg(256)->Arg(1024)->Arg(2048);
    else
      b->Arg(32)->Arg(128);
  };
  add(2, "blocks", blocks<T, B, 2>);
  add(2, "red_black", red_black<T, B, 2>);
  add(2, "diagonals", diagonals<T, B>);
  add(2, "serial", serial<T, B>);
  add(2, "points", points<T, B>);
  if constexpr (B == 3) {
    add(3, "blocks", blocks<T, B, 3>);
    add(3, "red_black", red_black<T, B, 3>);
  }
}

const bool registered = [] {
  register_size<2>();
  register_size<3>();
  register_size<5>();
  return true;
}();

}  // namespace
}  // namespace blocks_benchmarks
