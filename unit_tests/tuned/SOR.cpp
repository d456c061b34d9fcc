// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>
#include <WaveScan_Wavefront.hpp>

#include <WaveScanTest_Types.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "../sor/Exact.hpp"

/// @file
/// @brief SOR in a program whose machine is said to be the fastest with compensated schedules
/// everywhere. A program reads its tuning once, so these tests have one of their own.

namespace wavescan::Test {

/// @brief A loop that has nothing to do with SOR.
struct Sums {
  using algebra_type = PlusTimes<float>;
  KOKKOS_FUNCTION float weight() const { return 1; }
  KOKKOS_FUNCTION float partial(std::int64_t, std::int64_t, float up, float, const auto&) const {
    return up;
  }
};

namespace {

/// @brief A tuning file that this program reads, from before its first test until its end.
class TuningFile {
 public:
  TuningFile()
      : path_(std::filesystem::temp_directory_path() /
              ("wavescan-test-tuning-" + std::to_string(std::rand()) + "-" +
               std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".txt")) {
    std::ofstream file(path_);
    file << "wavescan-tuning 1\n";
    for (const char* section : {"host", "cuda", "hip"})
      file << '[' << section << "] a machine for compensation\n"
           << "schedule row-sweep 100 0 0 0 0 0 0 0 0 0\n"
           << "schedule tile-compensated 99 0 0 0 0 0 0 0 0 0\n"
           << "tile tile-skewed 4 3 64\n";
    setenv("WAVESCAN_TUNING", path_.c_str(), 1);
  }
  ~TuningFile() { std::filesystem::remove(path_); }
  TuningFile(const TuningFile&) = delete;
  TuningFile& operator=(const TuningFile&) = delete;

 private:
  std::filesystem::path path_;
};
const TuningFile tuning_file;

TEST(Tuned, TheFileIsRead) {
  const Exec exec;
  if (exec.concurrency() == 1) GTEST_SKIP() << "one thread: always serial";
  EXPECT_EQ((Wavefront<Exec, Sums>(exec, 1000, 1000)).schedule(), Schedule::RowSweep);
  EXPECT_EQ((Wavefront<Exec, Sums>(exec, 1000, 1000, {.exact = true})).schedule(),
            Schedule::TileSkewed);
}

template <class T>
class TunedSOR : public testing::Test {};
TYPED_TEST_SUITE(TunedSOR, FloatingPointTypes, );

TYPED_TEST(TunedSOR, IsExactNevertheless) {
  for (const Extents& extents : {Extents{3, 1000}, {9, 98}, {27, 260}})
    for (const bool varies : {false, true}) {
      check_exact<TypeParam>(extents, varies);
      if (testing::Test::HasFatalFailure()) return;
    }
}

// Hosts only divide rows as long as these into pieces, and of arrays that lie like these there are
// no kernels of SOR's own.
TYPED_TEST(TunedSOR, IsExactForLongRows) {
  WantedCases wanted;
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward})
    if (wanted.next()) check_exact<TypeParam>({{2, 400'001}, order, spread, spread, true});
}

TYPED_TEST(TunedSOR, PlansChooseAnExactSchedule) {
  for (const Extents& extents : {Extents{3, 30000}, {9, 98}, {27, 260}, {1000, 1000}, {30000, 3}})
    EXPECT_TRUE(
        is_exact(SOR<Exec, TypeParam>(Exec(), extents.first + 2, extents.second + 2).schedule()));
}

}  // namespace
}  // namespace wavescan::Test
