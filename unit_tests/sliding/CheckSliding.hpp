// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_CHECKSLIDING_HPP
#define WAVESCAN_TEST_CHECKSLIDING_HPP

#include <gtest/gtest.h>

#include <WaveScan_Partition.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_Unique.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Compare.hpp"
#include "../support/WaveScanTest_Instances.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"

/// @file
/// @brief Elements of many sizes, and checks of whatever was selected against loops.

namespace wavescan::Test {

/// @brief A value of so many bytes, all of which matter.
template <int Bytes>
struct Blob {
  std::uint8_t bytes[Bytes];
  KOKKOS_FUNCTION friend bool operator==(const Blob& a, const Blob& b) {
    for (int k = 0; k < Bytes; ++k)
      if (a.bytes[k] != b.bytes[k]) return false;
    return true;
  }
};

/// @brief An element whose key is below 100; all else of it is as `salt` says.
template <class T>
T element_of(unsigned key, std::uint64_t salt) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(key);
  } else {
    T t;
    for (std::uint8_t& byte : t.bytes) byte = static_cast<std::uint8_t>(salt = salt * 25 + 7);
    t.bytes[0] = static_cast<std::uint8_t>(key);
    return t;
  }
}
template <class T>
KOKKOS_FUNCTION unsigned key_of(const T& t) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<unsigned>(t);
  else
    return t.bytes[0];
}

/// @brief Holds for so many per cent of random elements.
struct Below {
  unsigned limit;
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& t) const {
    return key_of(t) < limit;
  }
};
struct SameKey {
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& a, const T& b) const {
    return key_of(a) == key_of(b);
  }
};

/// @brief How elements that are kept, or rejected, are spread.
enum class Spread { Random, Runs, FrontKept, FrontDropped };

/// @brief Elements with keys from 0 to 99.
template <class T>
std::vector<T> spread_elements(Random& random, std::int64_t n, Spread spread) {
  std::vector<T> all;
  all.reserve(static_cast<std::size_t>(n));
  unsigned key = 0;
  std::int64_t left = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (spread == Spread::Random || left-- == 0) {
      key = static_cast<unsigned>(random.integer(0, 99));
      left = random.integer(0, 200);
    }
    unsigned k = key;
    if (spread == Spread::FrontKept && i < n / 2) k = 0;
    if (spread == Spread::FrontDropped && i < n / 2) k = 99;
    all.push_back(element_of<T>(k, static_cast<std::uint64_t>(random.integer(0, 1))));
  }
  return all;
}

/// @brief What a selection leaves: what is kept, and, where it was not in place, marks behind it.
template <class T>
testing::AssertionResult starts_with(const std::vector<T>& got, const std::vector<T>& expected,
                                     bool marked_behind) {
  if (got.size() < expected.size())
    return testing::AssertionFailure() << got.size() << " elements, too few";
  const auto middle = got.begin() + static_cast<std::ptrdiff_t>(expected.size());
  if (const auto same = same_bits(std::vector<T>(got.begin(), middle), expected); !same)
    return same;
  if (marked_behind)
    for (auto t = middle; t != got.end(); ++t) {
      unsigned char bytes[sizeof(T)];
      std::memcpy(bytes, &*t, sizeof(T));
      for (const unsigned char byte : bytes)
        if (byte != 0xff)
          return testing::AssertionFailure() << "element " << t - got.begin() << " behind the "
                                             << expected.size() << " kept was written";
    }
  return testing::AssertionSuccess();
}

/// @brief A rank-0 View of the execution space, and its value.
template <class Exec>
class Count {
 public:
  Count() : view_("count") { Kokkos::deep_copy(view_, -1); }
  const Kokkos::View<std::int64_t, typename Exec::memory_space>& view() const { return view_; }
  std::int64_t value() const {
    Kokkos::fence();
    std::int64_t n = 0;
    Kokkos::deep_copy(n, view_);
    return n;
  }

 private:
  Kokkos::View<std::int64_t, typename Exec::memory_space> view_;
};

/// @brief The results of loops.
template <class T>
struct Expected {
  std::vector<T> kept, rejected, unique, unique_keys;
  Expected(const std::vector<T>& in, Below predicate) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      (predicate(in[i]) ? kept : rejected).push_back(in[i]);
      if (i == 0 || !(in[i] == in[i - 1])) unique.push_back(in[i]);
      if (i == 0 || !SameKey()(in[i], in[i - 1])) unique_keys.push_back(in[i]);
    }
  }
  std::vector<T> partitioned() const {
    std::vector<T> all = kept;
    all.insert(all.end(), rejected.begin(), rejected.end());
    return all;
  }
};

/// @brief Negates a predicate.
struct NotBelow {
  unsigned limit;
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& t) const {
    return key_of(t) >= limit;
  }
};

/// @brief All selections of a vector, its elements so far apart, in place and not.
template <class T, class Exec>
void check_vector(const Exec& exec, const std::vector<T>& in, unsigned limit,
                  std::int64_t in_stride = 1, std::int64_t out_stride = 1) {
  const auto n = static_cast<std::int64_t>(in.size());
  const Expected<T> expected(in, {limit});
  const auto size_of = [](const std::vector<T>& v) { return static_cast<std::int64_t>(v.size()); };
  using Array = GuardedArray<T, Exec>;
  using View = decltype(std::declval<const Array&>().vector());
  using CountView = decltype(std::declval<const Count<Exec>&>().view());
  // What is removed is told from what is kept at run time.
  const Below keep{limit}, drop = keep;

  // Functions of any selection, so that each is compiled once for all of them.
  using Copy = std::function<void(const View& from, const View& to, CountView count)>;
  using InPlace = std::function<std::int64_t(const View&)>;
  const auto copied = [&](const char* what, const std::vector<T>& result, const Copy& select) {
    SCOPED_TRACE(what);
    const Array from(line(n, in_stride), in);
    const Array to(line(n, out_stride));
    const Count<Exec> count;
    select(from.vector(), to.vector(), count.view());
    EXPECT_EQ(count.value(), size_of(result));
    EXPECT_TRUE(starts_with(to.values(), result, true));
    EXPECT_TRUE(same_bits(from.values(), in)) << "the input was written";
    EXPECT_TRUE(to.guards_intact());
  };
  const auto in_place = [&](const char* what, const std::vector<T>& result, const InPlace& select) {
    SCOPED_TRACE(what);
    const Array array(line(n, in_stride), in);
    EXPECT_EQ(select(array.vector()),
              size_of(expected.kept) * (what[0] == 'p') + size_of(result) * (what[0] != 'p'));
    EXPECT_TRUE(starts_with(array.values(), result, false));
    EXPECT_TRUE(array.guards_intact());
  };
  copied("copy_if", expected.kept, [&](const View& from, const View& to, CountView count) {
    copy_if(exec, from, to, keep, count);
  });
  copied("remove_copy_if", expected.rejected,
         [&](const View& from, const View& to, CountView count) {
           remove_copy_if(exec, from, to, drop, count);
         });
  copied("unique_copy", expected.unique, [&](const View& from, const View& to, CountView count) {
    unique_copy(exec, from, to, count);
  });
  in_place("remove_if", expected.rejected,
           [&](const View& view) { return remove_if(exec, view, drop); });
  in_place("copy_if in place", expected.kept,
           [&](const View& view) { return copy_if(exec, view, view, keep); });
  in_place("unique", expected.unique, [&](const View& view) { return unique(exec, view); });
  // Keys of numbers are they themselves; one type of them will do.
  if constexpr (!std::is_arithmetic_v<T> || std::is_same_v<T, std::int32_t>)
    in_place("unique by key", expected.unique_keys,
             [&](const View& view) { return unique(exec, view, SameKey()); });
  in_place("partition", expected.partitioned(),
           [&](const View& view) { return partition(exec, view, keep); });

  SCOPED_TRACE("partition_copy");
  const Array from(line(n, in_stride), in);
  const Array first(line(n, out_stride)), second(line(n, in_stride)), both(line(n, out_stride));
  EXPECT_EQ(partition_copy(exec, from.vector(), first.vector(), second.vector(), keep),
            size_of(expected.kept));
  EXPECT_TRUE(starts_with(first.values(), expected.kept, true));
  EXPECT_TRUE(starts_with(second.values(), expected.rejected, true));
  EXPECT_TRUE(first.guards_intact());
  EXPECT_TRUE(second.guards_intact());
  EXPECT_EQ(partition(exec, from.vector(), both.vector(), keep), size_of(expected.kept));
  EXPECT_TRUE(same_bits(both.values(), expected.partitioned()));
  EXPECT_TRUE(both.guards_intact());
  // As in the source of the method: what is kept stays, what is rejected goes elsewhere.
  const Array others(line(n, out_stride));
  EXPECT_EQ(partition_copy(exec, from.vector(), from.vector(), others.vector(), keep),
            size_of(expected.kept));
  EXPECT_TRUE(starts_with(from.values(), expected.kept, false));
  EXPECT_TRUE(starts_with(others.values(), expected.rejected, true));
  EXPECT_TRUE(others.guards_intact());
  EXPECT_TRUE(from.guards_intact());
}

}  // namespace wavescan::Test

#endif
