// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// What distribution costs: mpirun -np P WaveScan_perf_mpi [SIZE [WHAT...]]. Every process has
// SIZE^2 points, or elements (by default 2048^2). WHAT is some of transport, scans, tables,
// selections, alignments, sor, sor_double, strong, iterations; by default all.
//
// A line has the time of all processes working on the whole array; that of the same distributed
// operation on one process, which all do at once with blocks of their own; that of the plan for one
// process; and the first of these over the second and third, which are efficiencies of weak scaling
// (of processes of one machine that share its memory, too).
#include <Kokkos_Core.hpp>
#include <WaveScan_Align.hpp>
#include <WaveScan_MPI.hpp>
#include <WaveScan_SOR.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
const MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
int own_rank = 0, processes = 0;

template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight>;

std::size_t extent(std::int64_t n) { return static_cast<std::size_t>(n); }

/// @brief The least of several times, each that of the slowest process.
template <class Work>
double seconds_of(const Work& work) {
  double least = std::numeric_limits<double>::max(), all = 0;
  for (int turn = 0; turn < 4 || (turn < 50 && all < 0.7); ++turn) {
    MPI_Barrier(world);
    const Kokkos::Timer timer;
    work();
    Kokkos::fence();
    double seconds = timer.seconds();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, world);
    all += seconds;
    if (turn > 0) least = std::min(least, seconds);
  }
  return least;
}

void print_header(const char* title) {
  if (own_rank == 0)
    std::printf("\n%-46s %10s %10s %10s %8s %8s %8s\n", title, "all, ms", "self, ms", "plain, ms",
                "to self", "to plain", "model");
}
void print_line(const std::string& name, double together, double on_self, double plain,
                double model) {
  if (own_rank > 0) return;
  std::printf("%-46s %10.3f %10.3f %10.3f %8.3f %8.3f", name.c_str(), 1e3 * together, 1e3 * on_self,
              1e3 * plain, on_self / together, plain / together);
  if (model > 0) std::printf(" %8.3f", model);
  std::printf("\n");
  std::fflush(stdout);
}

/// @param work does the distributed operation over a communicator
/// @param local does the operation of one process
template <class Work, class Local>
void report(const std::string& name, const Work& work, const Local& local, double model = 0) {
  const double plain = seconds_of(local);
  const double on_self = seconds_of([&] { work(self); });
  print_line(name, seconds_of([&] { work(world); }), on_self, plain, model);
}

/// @brief What messages, agreements and launches take by themselves.
void transport() {
  const auto comm = wavescan::Impl::mpi::Communicator::duplicate("perf", world);
  const wavescan::Impl::mpi::Transport<Exec> transport(Exec(), comm);
  const int next = (own_rank + 1) % processes, before = (own_rank + processes - 1) % processes;
  if (own_rank == 0)
    std::printf("\nmessages to the next process in a ring, %s\n%12s %10s %10s\n",
                transport.device().there() ? "from device to device" : "by MPI", "bytes", "us",
                "GB/s");
  for (const std::int64_t bytes : {8L, 1L << 12, 1L << 16, 1L << 20, 1L << 24, 1L << 27}) {
    const auto from = transport.buffer<char>(bytes), to = transport.buffer<char>(bytes);
    const double seconds = seconds_of([&] {
      wavescan::Impl::mpi::Exchange exchange(transport);
      exchange.receive(to, before, 1);
      exchange.send(from, next, 1);
      exchange.wait();
      Kokkos::fence();
    });
    if (own_rank == 0)
      std::printf("%12ld %10.1f %10.2f\n", static_cast<long>(bytes), 1e6 * seconds,
                  1e-9 * static_cast<double>(bytes) / seconds);
  }
  const double agreement = seconds_of([&] {
    for (int k = 0; k < 10; ++k) wavescan::Impl::mpi::together(comm, "perf", {}, [] {});
  });
  const Kokkos::View<int*> one("one", 1);
  const double launch = seconds_of([&] {
    for (int k = 0; k < 10; ++k) Kokkos::deep_copy(Exec(), one, k);
    Kokkos::fence();
  });
  if (own_rank == 0)
    std::printf("agreement %.1f us, launch %.1f us\n", 1e5 * agreement, 1e5 * launch);
}

/// @brief Scans of a line.
template <class T>
void scans(const char* type, std::int64_t n) {
  using Plus = wavescan::Plus<T>;
  const Kokkos::View<T*> in("in", extent(n)), out("out", in.size());
  const wavescan::mpi::Scan<Exec, Plus> on_world(world, Exec(), 1, n), on_self(self, Exec(), 1, n);
  const wavescan::Scan<Exec, Plus> plain(Exec(), 1, n);
  // The block is read once more, of three times that it goes through memory.
  report(
      std::string("inclusive scan, ") + type,
      [&](MPI_Comm comm) { (comm == world ? on_world : on_self).inclusive(in, out); },
      [&] { plain.inclusive(in, out); }, processes > 1 ? 2.0 / 3 : 1);
}

template <class Pixel, class T>
void tables(const char* type, std::int64_t n) {
  const Matrix<Pixel> image("image", extent(n), extent(n));
  const Matrix<T> table("table", extent(n), extent(n));
  const wavescan::mpi::SummedAreaTable<Exec, Pixel, T> on_world(world, Exec(), n, n),
      on_self(self, Exec(), n, n);
  const wavescan::SummedAreaTable<Exec, Pixel, T> plain(Exec(), n, n);
  // The table is read and written once more.
  constexpr double bytes = sizeof(Pixel) + sizeof(T), more = 2 * sizeof(T);
  report(
      std::string("summed-area table, ") + type,
      [&](MPI_Comm comm) {
        (comm == world ? on_world : on_self)(image, table);
        Kokkos::fence();
      },
      [&] { plain(image, table); }, processes > 1 ? bytes / (bytes + more) : 1);
}

struct IsPositive {
  KOKKOS_FUNCTION bool operator()(float x) const { return x > 0; }
};
struct Fill {
  Kokkos::View<float*> in;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    in(k) = k * 7919 % 13 < 6 ? 1.0F : -1.0F;
  }
};

void selections(std::int64_t n) {
  const Kokkos::View<float*> in("in", extent(n)), out("out", in.size());
  Kokkos::parallel_for("fill", Kokkos::RangePolicy<Kokkos::IndexType<std::int64_t>>(0, n),
                       Fill{in});
  report(
      "copy_if of half the elements, float",
      [&](MPI_Comm comm) { wavescan::mpi::copy_if(comm, in, out, IsPositive()); },
      [&] { wavescan::copy_if(in, out, IsPositive()); });
  // Of what the first half of the processes have, everybody gets a part.
  report(
      "rebalance of what half the processes have",
      [&](MPI_Comm comm) {
        const bool has = comm == self || own_rank < (processes + 1) / 2;
        wavescan::mpi::rebalance(comm, in, has ? n : 0, out);
      },
      [&] { Kokkos::deep_copy(out, in); });
}

/// @brief Scores of two sequences, of which every process has `n` letters of the second one and all
/// of the first one, which is as long.
void alignments(std::int64_t n) {
  using Letters = Kokkos::View<char*, Kokkos::HostSpace>;
  const Letters a("a", extent(n)), b("b", extent(n));
  std::uint32_t state = 1;
  const auto fill = [&](const Letters& letters) {
    for (std::size_t k = 0; k < letters.size(); ++k) {
      state = state * 1664525 + 1013904223;
      letters(k) = "ACGT"[state >> 30];
    }
  };
  fill(a);
  state += static_cast<std::uint32_t>(own_rank);
  fill(b);
  for (const auto& [name, gap] : {std::pair{"linear gaps", wavescan::AffineGap(0, 2)},
                                  {"affine gaps", wavescan::AffineGap(3, 1)}}) {
    const wavescan::Scoring<> scoring{.substitution = {1, -2}, .gap = gap};
    report(
        std::string("Smith-Waterman, ") + name,
        [&](MPI_Comm comm) { wavescan::mpi::align_score(comm, a, b, scoring); },
        [&] { wavescan::align_score(a, b, scoring); }, processes > 1 ? 32.0 / 33 : 1);
  }
}

/// @brief The fraction of a pass in which a process relaxes rows of its own for the first time:
/// rows that are relaxed twice for speculation, or a pipeline of so many processes that fills, and
/// pass by pass.
template <class T>
double model_of_sor(double omega, std::int64_t rows, int sweeps, bool pipeline) {
  const int depth = 8;
  if (processes == 1) return 1;
  if (pipeline) return static_cast<double>(sweeps) / (sweeps + depth * (processes - 1));
  const int overlap = wavescan::Impl::sor::speculation_overlap<T>(-omega / 4, -omega / 4, depth);
  return static_cast<double>(rows) / static_cast<double>(rows + overlap + depth);
}

/// @param rows   of this process
/// @param copies whether an array is measured, too, that is not the plan's
template <class T>
void sor(const std::string& name, double omega, std::int64_t rows, std::int64_t columns,
         const wavescan::mpi::SOROptions& options, bool copies = false) {
  constexpr int sweeps = 16;
  const bool pipeline = options.scheme == wavescan::mpi::SORScheme::Pipeline;
  const double model = model_of_sor<T>(omega, rows, sweeps, pipeline);
  if (!pipeline && model < 0.5) return;
  const Matrix<T> x("x", extent(rows + 2), extent(columns + 2));
  Kokkos::deep_copy(x, T(1));
  wavescan::SOR<Exec, T> plain(Exec(), rows + 2, columns + 2);
  wavescan::mpi::SOROptions alone = options;
  alone.process_columns = 1;
  wavescan::mpi::SOR<Exec, T> on_world(world, Exec(), rows + 2, columns + 2, options),
      on_self(self, Exec(), rows + 2, columns + 2, alone);
  const auto c = wavescan::poisson<T>(omega, 1);
  report(
      name,
      [&](MPI_Comm comm) {
        if (comm == world)
          on_world.sweeps(on_world.array(), c, sweeps);
        else
          on_self.sweeps(x, c, sweeps);
      },
      [&] { plain.sweeps(x, c, sweeps); }, model);
  if (processes > 1 && copies)
    report(
        name + ", copied",
        [&](MPI_Comm comm) { (comm == world ? on_world : on_self).sweeps(x, c, sweeps); },
        [&] { plain.sweeps(x, c, sweeps); }, model);
  if (own_rank == 0 && on_world.repeated_passes() > 0)
    std::printf("%46s %ld passes repeated\n", "", static_cast<long>(on_world.repeated_passes()));
}

template <class T>
void relaxations(const std::string& type, std::int64_t n) {
  using wavescan::mpi::SORScheme;
  for (const double omega : {1.0, 1.5, 1.9, 1.99})
    for (const auto scheme : {SORScheme::Speculation, SORScheme::Pipeline}) {
      if (scheme == SORScheme::Pipeline && omega != 1.5 && omega != 1.99) continue;
      char name[80];
      std::snprintf(name, sizeof name, "SOR, %s, omega %.2f, %s", type.c_str(), omega,
                    scheme == SORScheme::Pipeline ? "pipeline" : "speculation");
      sor<T>(name, omega, n, n, {.scheme = scheme},
             omega == 1.0 && scheme == SORScheme::Speculation);
    }
  if (processes > 1)
    sor<T>("SOR, " + type + ", omega 1.50, blocks of columns", 1.5, n, n,
           {.process_columns = processes});
}

/// @brief A grid of (2 n)^2 on all processes, and on each of them by itself: times of the latter
/// over those of the former are speed-ups.
void strong(std::int64_t n) {
  const std::int64_t m = 2 * n;
  for (const double omega : {1.0, 1.5}) {
    double together = 0, plain = 0;
    const auto c = wavescan::poisson<float>(omega, 1);
    const auto time = [&](std::int64_t rows, const auto& make) {
      const Matrix<float> x("x", extent(rows + 2), extent(m + 2));
      Kokkos::deep_copy(x, 1);
      auto plan = make(rows);
      return seconds_of([&] { plan.sweeps(x, c, 16); });
    };
    together = time(wavescan::mpi::even_block(m, world).count, [&](std::int64_t rows) {
      return wavescan::mpi::SOR<Exec, float>(world, Exec(), rows + 2, m + 2);
    });
    const double on_self = time(m, [&](std::int64_t rows) {
      return wavescan::mpi::SOR<Exec, float>(self, Exec(), rows + 2, m + 2);
    });
    plain = time(
        m, [&](std::int64_t rows) { return wavescan::SOR<Exec, float>(Exec(), rows + 2, m + 2); });
    char name[80];
    std::snprintf(name, sizeof name, "strong: SOR, float, omega %.2f, %ld^2", omega,
                  static_cast<long>(m));
    print_line(name, together, on_self, plain, 0);
  }
}

/// @brief What others do on several processes: each relaxes its block, in natural order, with
/// values of its neighbours from before the sweep (PETSc's SOR, hypre's hybrid Gauss-Seidel, which
/// then sets a factor of its own for each block). Here blocks are blocks of rows, and a loop visits
/// them.
struct BlockSor {
  int n;
  Kokkos::View<double**, Kokkos::HostSpace> x, old, b;

  explicit BlockSor(int points)
      : n(points),
        x("x", static_cast<std::size_t>(n) + 2, static_cast<std::size_t>(n) + 2),
        old("old", x.extent(0), x.extent(1)),
        b("b", x.extent(0), x.extent(1)) {
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j) b(i, j) = 1;
  }
  void sweep(double omega, int blocks) {
    Kokkos::deep_copy(old, x);
    for (int block = 0; block < blocks; ++block) {
      const int first = 1 + n * block / blocks, last = n * (block + 1) / blocks;
      for (int i = first; i <= last; ++i)
        for (int j = 1; j <= n; ++j) {
          const double up = i == first ? old(i - 1, j) : x(i - 1, j);
          x(i, j) +=
              omega * (0.25 * (b(i, j) + up + x(i, j - 1) + x(i, j + 1) + x(i + 1, j)) - x(i, j));
        }
    }
  }
  double residual() const {
    double sum = 0;
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j) {
        const double r =
            b(i, j) + x(i - 1, j) + x(i + 1, j) + x(i, j - 1) + x(i, j + 1) - 4 * x(i, j);
        sum += r * r;
      }
    return std::sqrt(sum);
  }
  /// @brief Sweeps until the residual is 10^-6 of the first one; -1 if it is not after `most`.
  int solve(double omega, int blocks, int most) {
    Kokkos::deep_copy(x, 0);
    const double goal = 1e-6 * residual();
    for (int sweeps = 1; sweeps <= most; ++sweeps) {
      sweep(omega, blocks);
      const double left = residual();
      if (left < goal) return sweeps;
      if (!(left < 1e12 * goal)) return -1;
    }
    return -1;
  }
};

/// @brief Sweeps to a solution over processes: blocks that forget their neighbours, and natural
/// order, whose sweeps are those of one process whatever their number.
void iterations() {
  if (own_rank > 0) return;
  const int n = 128, most = 40000;
  const double best = wavescan::optimal_omega(n, n);
  BlockSor problem(n);
  std::printf("\nsweeps until the residual is 1e-6 of the first one, Poisson %d x %d\n", n, n);
  std::printf("%10s %12s %15s %22s\n", "processes", "omega", "natural order",
              "each block by itself");
  for (const double omega : {1.0, best}) {
    const int natural = problem.solve(omega, 1, most);
    for (const int blocks : {1, 2, 4, 16, 64, 128}) {
      const int sweeps = problem.solve(omega, blocks, most);
      std::printf("%10d %12.4f %15d ", blocks, omega, natural);
      if (sweeps < 0)
        std::printf("%22s\n", "diverges");
      else
        std::printf("%22d\n", sweeps);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &own_rank);
  MPI_Comm_size(world, &processes);
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    const std::int64_t n = argc > 1 ? std::atoi(argv[1]) : 2048;
    const std::set<std::string> chosen(argv + std::min(argc, 2), argv + argc);
    const auto is_chosen = [&](const char* what) {
      return chosen.empty() || chosen.count(what) > 0;
    };
    char title[80];
    std::snprintf(title, sizeof title, "%d processes, %ld^2 each, %s", processes,
                  static_cast<long>(n), Exec::name());
    if (is_chosen("transport")) transport();
    print_header(title);
    if (is_chosen("sor")) relaxations<float>("float", n);
    if (is_chosen("sor_double")) relaxations<double>("double", n);
    if (is_chosen("strong")) strong(n);
    if (is_chosen("scans")) {
      scans<float>("float", n * n);
      scans<double>("double", n * n);
    }
    if (is_chosen("tables")) {
      tables<std::uint8_t, std::uint32_t>("8 to 32 bits", n);
      tables<float, float>("float", n);
    }
    if (is_chosen("selections")) selections(n * n);
    if (is_chosen("alignments")) alignments(16 * n);
    if (is_chosen("iterations")) iterations();
  }
  MPI_Finalize();
  return 0;
}
