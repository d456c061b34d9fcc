// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SOR_HOST_HPP
#define WAVESCAN_TEST_SOR_HOST_HPP

#include <WaveScan_SOR.hpp>
#include <impl/sor/host/WaveScan_HostSweeps.hpp>

#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Random.hpp>

#include <gtest/gtest.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "CompiledKernels.hpp"
#include "Reference.hpp"
#include "RunSweeps.hpp"
#include "Variable.hpp"

/// @file
/// @brief Problems for the host's passes of several sweeps, for each set of instructions.

namespace wavescan::Test {

using Host = Kokkos::DefaultHostExecutionSpace;

/// @brief Numbers of type T in the registers of a target.
template <class T, class Most>
struct Kind {
  using value_type = T;
  using most = Most;
};

/// @brief A Kind as the parameter of a test, so that only what depends on the types is compiled for
/// each of them.
struct HostKind {
  bool in_double;
  bool wide;  ///< the widest registers there are code for, or the narrower ones

  std::string name() const {
    return std::string(in_double ? "double" : "float") + (wide ? "_wide" : "_narrow");
  }
  friend std::ostream& operator<<(std::ostream& stream, const HostKind& kind) {
    return stream << kind.name();
  }
};

/// @brief Calls use(Kind).
template <class Use>
void with_kind(const HostKind& kind, const Use& use) {
#if defined(WAVESCAN_HAS_TARGETS)
  if (kind.wide)
    return kind.in_double ? use(Kind<double, Impl::Avx512>()) : use(Kind<float, Impl::Avx512>());
  using Narrow = Impl::Avx2;
#else
  using Narrow = Impl::Baseline;
#endif
  kind.in_double ? use(Kind<double, Narrow>()) : use(Kind<float, Narrow>());
}

/// @brief Skipped where the processor lacks the instructions.
class HostTest : public testing::TestWithParam<HostKind> {
 public:
  static std::vector<HostKind> kinds() {
#if defined(WAVESCAN_HAS_TARGETS)
    return {{false, false}, {true, false}, {false, true}, { true, true }};
#else
    return {{false, false}, {true, false}};
#endif
  }
  static std::string name(const testing::TestParamInfo<HostKind>& kind) {
    return kind.param.name();
  }

 protected:
  void SetUp() override {
    with_kind(GetParam(), [](auto kind) {
      using Most = typename decltype(kind)::most;
      if (!Impl::dispatch([](auto target) { return std::same_as<decltype(target), Most>; }, Most{}))
        GTEST_SKIP() << "the processor does not have these instructions";
    });
  }
};

/// @brief A problem, and how it lies in memory.
struct Case {
  std::int64_t m;
  std::int64_t n;
  int count = 1;
  SweepOrder order = SweepOrder::Forward;
  double omega = 1.5;
  bool with_rhs = true;
  Placement (*place)(std::int64_t rows, std::int64_t columns) = row_major;
  Placement (*place_others)(std::int64_t rows, std::int64_t columns) = row_major;
  int mask_bytes = 0;        ///< of an entry; 0: no mask
  unsigned constant = 0x3f;  ///< bit k not set: coefficient k differs from point to point

  bool forward() const { return order != SweepOrder::Backward; }
  bool backward() const { return order != SweepOrder::Forward; }
  bool varies() const { return constant != 0x3f; }

  std::string name() const {
    std::ostringstream text;
    text << m << " x " << n << ", " << count << " sweeps " << to_string(order) << ", omega "
         << omega << (with_rhs ? ", rhs" : "") << ", mask of " << mask_bytes
         << " bytes, constant coefficients " << constant;
    return text.str();
  }
};

/// @brief Rows that begin anywhere, apart from each other.
inline Placement padded(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, columns + 13, 1, 3};
}
inline Placement padded_columns(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, 1, rows + 5, 1};
}

template <class T>
void sweep_plainly(PlainSOR<T>& p, SweepOrder order, int count) {
  for (int k = 0; k < count; ++k) {
    if (order != SweepOrder::Backward) p.forward_pass();
    if (order != SweepOrder::Forward) p.backward_pass();
  }
}

/// @brief A case with random data, as plain arrays and in host memory.
template <class T, class Exec = Host>
class HostProblem {
 public:
  explicit HostProblem(const Case& c) : plain(make(c)), x(c.place(c.m + 2, c.n + 2), plain.x) {
    const Placement place = c.place_others(c.m + 2, c.n + 2);
    if (c.with_rhs) rhs_ = array(place, plain.rhs);
    if (c.varies())
      for (std::size_t k = 0; k < 6; ++k) {
        if (c.constant >> k & 1) continue;
        std::vector<T> values;
        for (const auto& each : plain.each) values.push_back(each.*members_of_coefficients<T>[k]);
        fields_[k] = array(place, values);
      }
    set_mask(c.mask_bytes, place);
  }

  /// @brief Calls use(problem) with the problem as the library knows it.
  template <class Use>
  auto with(const Use& use) const {
    if (plain.each.empty() && fixed_.word == Impl::sor::FixedPoints::Word::None)
      return use(filled(Impl::sor::Problem<T>{plain.c, grid_of(x.matrix())}));
    if (plain.each.empty())
      return use(filled(Impl::sor::MaskedProblem<T>{plain.c, grid_of(x.matrix())}));
    Impl::sor::CoefficientFields<T> c;
    for (std::size_t k = 0; k < 6; ++k)
      c.*members_of_coefficients<Impl::sor::CoefficientField<T>>[k] = {
          fields_[k] ? read(*fields_[k]) : Grid<const T>{}, plain.c.*members_of_coefficients<T>[k]};
    return use(filled(Impl::sor::VariableProblem<T>{c, grid_of(x.matrix())}));
  }

  PlainSOR<T> plain;
  GuardedArray<T, Exec> x;

 private:
  using array_type = GuardedArray<T, Exec>;

  static PlainSOR<T> make(const Case& c) {
    Random random;
    PlainSOR<T> p =
        random_sor<T>(c.m, c.n, poisson<T>(c.omega, 0.1), c.with_rhs, c.mask_bytes > 0, random);
    if (c.varies()) vary_coefficients(p, random, c.constant);
    return p;
  }
  static std::unique_ptr<array_type> array(const Placement& place, const std::vector<T>& values) {
    return std::make_unique<array_type>(place, values);
  }
  template <class U>
  static Grid<const U> read(const GuardedArray<U, Exec>& array) {
    return Impl::sor::read_only(grid_of(array.matrix()));
  }

  void set_mask(int bytes, const Placement& place) {
    if (bytes == 1) mask_of<unsigned char>(char_mask_, place, 0x80);
    if (bytes == 4) mask_of<int>(int_mask_, place, 256);
    if (bytes == 8) mask_of<long long>(long_mask_, place, 1LL << 40);
  }
  template <class M>
  void mask_of(std::unique_ptr<GuardedArray<M, Exec>>& mask, const Placement& place, M nonzero) {
    std::vector<M> values;
    for (const int entry : plain.mask) values.push_back(entry != 0 ? nonzero : M(0));
    mask = std::make_unique<GuardedArray<M, Exec>>(place, values);
    fixed_ = Impl::sor::FixedPoints::of(grid_of(mask->matrix()));
  }

  template <class Problem>
  Problem filled(Problem problem) const {
    if (rhs_) problem.rhs = read(*rhs_);
    if constexpr (requires { problem.fixed.word; }) problem.fixed = fixed_;
    return problem;
  }

  std::unique_ptr<array_type> rhs_;
  std::array<std::unique_ptr<array_type>, 6> fields_;
  std::unique_ptr<GuardedArray<unsigned char, Exec>> char_mask_;
  std::unique_ptr<GuardedArray<int, Exec>> int_mask_;
  std::unique_ptr<GuardedArray<long long, Exec>> long_mask_;
  Impl::sor::FixedPoints fixed_{};
};

/// @brief Enqueues a case's sweeps of a problem in place, whatever its type.
template <class K, class Exec>
struct SweepsInPlace {
  const Impl::sor::HostSweeps<Exec, typename K::value_type, typename K::most>& sweeps;
  const Exec& exec;
  const Case& given;
  template <class Problem>
  bool operator()(const Problem& problem) const {
    return run_sweeps(sweeps, exec, problem, problem.x,
                      {given.count, given.forward(), given.backward()});
  }
};

/// @brief Sweeps in place give the bits of the plain loops.
template <class K, class Exec = Host>
void check(const Case& c, const Exec& exec = Exec()) {
  using T = typename K::value_type;
  SCOPED_TRACE(c.name());
  HostProblem<T, Exec> p(c);
  Impl::sor::HostSweeps<Exec, T, typename K::most> sor(exec, c.m + 2, c.n + 2);
  sor.choose = false;
  ASSERT_TRUE(p.with(SweepsInPlace<K, Exec>{sor, exec, c}));
  exec.fence();
  sweep_plainly(p.plain, c.order, c.count);
  ASSERT_TRUE(same_bits(p.x.values(), p.plain.x));
  ASSERT_TRUE(p.x.guards_intact());
}

inline void check_all(const HostKind& kind, const std::vector<Case>& cases) {
  with_kind(kind, [&](auto k) {
    for (const Case& c : cases) {
      check<decltype(k)>(c);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

}  // namespace wavescan::Test

#endif
