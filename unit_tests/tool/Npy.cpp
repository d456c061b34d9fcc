// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "WaveScanIO_Npy.hpp"

#include <cstring>
#include <limits>

#include "TemporaryFolder.hpp"

using namespace wavescan_io;

namespace {

class Npy : public TemporaryFolder {
 protected:
  // A file as numpy would write it, from its header and its data.
  std::filesystem::path npy(const std::string& header, const std::string& data,
                            int version = 1) const {
    std::string bytes("\x93NUMPY", 6);
    bytes += static_cast<char>(version);
    bytes += '\0';
    bytes += static_cast<char>(header.size() & 0xff);
    bytes += static_cast<char>(header.size() >> 8);
    if (version > 1) bytes += std::string(2, '\0');
    return file("array.npy", bytes + header + data);
  }

  static std::string header(const std::string& descr, const std::string& shape,
                            const std::string& fortran = "False") {
    return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape +
           ", }\n";
  }

  template <class T>
  static std::string bytes_of(const std::vector<T>& values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }

  void expect_refused(const std::filesystem::path& array, const std::string& what) const {
    expect_file_error([&] { read_npy(array); }, array, what);
  }
};

template <class T>
class NpyOfType : public Npy {};
using Types = testing::Types<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                             std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(NpyOfType, Types);

TYPED_TEST(NpyOfType, ComesBackAsItWas) {
  using T = TypeParam;
  const std::vector<T> values{
      T(1), std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(), T(0), T(7), T(100)};
  for (const auto& shape : std::vector<std::vector<std::size_t>>{{6}, {2, 3}, {6, 1}}) {
    write_npy(OutputFile(this->path("array.npy")), {shape, values});
    const NpyArray back = read_npy(this->path("array.npy"));
    EXPECT_EQ(back.shape, shape);
    EXPECT_EQ(std::get<std::vector<T>>(back.entries), values);
  }
}

TYPED_TEST(NpyOfType, MayBeEmpty) {
  using T = TypeParam;
  for (const auto& shape : std::vector<std::vector<std::size_t>>{{0}, {0, 3}, {5, 0}}) {
    write_npy(OutputFile(this->path("array.npy")), {shape, std::vector<T>{}});
    EXPECT_EQ(read_npy(this->path("array.npy")).shape, shape);
  }
}

TEST_F(Npy, WritesWhatNumpyWrites) {
  write_npy(OutputFile(path("array.npy")), {{2}, std::vector<double>{1, 2}});
  const std::string bytes = read_bytes(path("array.npy"));
  EXPECT_EQ(bytes.size(), 128 + 16u);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes.substr(10, 60), "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }   ");
  EXPECT_EQ(bytes[127], '\n');
}

TEST_F(Npy, TypeHasNumpysName) {
  EXPECT_EQ((NpyArray{{0}, std::vector<float>{}}.type_name()), "float32");
  EXPECT_EQ((NpyArray{{0}, std::vector<std::uint8_t>{}}.type_name()), "uint8");
  EXPECT_EQ((NpyArray{{0}, std::vector<std::int64_t>{}}.type_name()), "int64");
}

TEST_F(Npy, ReadsFormatTwoAndOtherSpellings) {
  const auto data = bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6});
  const std::vector<std::int32_t> values{1, 2, 3, 4, 5, 6};
  for (const char* text : {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)}",
                           "{\"shape\": (2,3), \"fortran_order\": False, \"descr\": \"<i4\"}   \n",
                           "{'shape':( 2 , 3, ),'descr':'=i4','fortran_order':False}"})
    for (const int version : {1, 2}) {
      const NpyArray array = read_npy(npy(text, data, version));
      EXPECT_EQ(array.shape, (std::vector<std::size_t>{2, 3}));
      EXPECT_EQ(std::get<std::vector<std::int32_t>>(array.entries), values);
    }
}

TEST_F(Npy, FortranOrderIsTransposed) {
  const auto data = bytes_of<std::int16_t>({1, 4, 2, 5, 3, 6});
  const NpyArray array = read_npy(npy(header("<i2", "(2, 3)", "True"), data));
  EXPECT_EQ(array.as<int>(), (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Npy, EmptyArraysMayHaveAHugeExtent) {
  constexpr std::size_t huge = std::size_t(1) << 60;
  for (const char* fortran : {"False", "True"}) {
    const NpyArray array = read_npy(npy(header("|u1", "(1152921504606846976, 0)", fortran), ""));
    EXPECT_EQ(array.shape, (std::vector<std::size_t>{huge, 0}));
    EXPECT_TRUE(array.as<int>().empty());
    EXPECT_EQ(read_npy(npy(header("|u1", "(0, 1152921504606846976)", fortran), "")).shape,
              (std::vector<std::size_t>{0, huge}));
    // These would be too many bytes if the other extent were 1.
    expect_refused(npy(header("<f8", "(1152921504606846976, 0)", fortran), ""), "damaged");
    expect_refused(npy(header("|u1", "(0, 18446744073709551615)", fortran), ""), "damaged");
  }
}

TEST_F(Npy, BoolRemainsBool) {
  const NpyArray array = read_npy(npy(header("|b1", "(3,)"), std::string("\x01\x00\xff", 3)));
  EXPECT_EQ(array.as<int>(), (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(array.type_name(), "bool");
  write_npy(OutputFile(path("array.npy")), array);
  EXPECT_EQ(read_bytes(path("array.npy")).substr(10, 16), "{'descr': '|b1',");
  EXPECT_FALSE(read_npy(npy(header("|u1", "(1,)"), "\x02")).is_bool);
}

TEST_F(Npy, OtherByteOrdersTypesAndRanksAreRefused) {
  const std::string eight(8, '\0');
  expect_refused(npy(header(">f8", "(1,)"), eight), "big-endian");
  expect_refused(npy(header("<c8", "(1,)"), eight), "of type '<c8'");
  expect_refused(npy(header("<f2", "(4,)"), eight), "of type '<f2'");
  expect_refused(npy(header("|O", "(1,)"), eight), "of type '|O'");
  expect_refused(npy(header("<U2", "(1,)"), eight), "of type '<U2'");
  expect_refused(npy("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,), }", eight),
                 "structured");
  expect_refused(npy(header("<f8", "()"), eight), "has rank 0");
  expect_refused(npy(header("<f8", "(1, 1, 1)"), eight), "has rank 3");
  expect_refused(npy(header("<f8", "(1,)"), eight, 3), "format 3");
}

TEST_F(Npy, MissingAndSurplusDataAreRefused) {
  expect_refused(npy(header("<f8", "(2,)"), std::string(8, '\0')), "8 bytes of data, expected 16");
  expect_refused(npy(header("<f8", "(1,)"), std::string(9, '\0')), "9 bytes of data, expected 8");
  expect_refused(npy(header("<f8", "(4000000000, 4000000000)"), ""), "damaged");
  expect_refused(npy(header("<f8", "(99999999999999999999999,)"), ""), "damaged");
}

TEST_F(Npy, DamagedHeadersAreRefused) {
  const std::string eight(8, '\0');
  expect_refused(npy("", eight), "damaged");
  expect_refused(npy("{'descr': '<f8', 'shape': (1,)}", eight), "damaged");
  expect_refused(npy("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,)}", eight), "damaged");
  expect_refused(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", eight), "damaged");
  expect_refused(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1", eight), "damaged");
  expect_refused(npy("{'descr': '<f8", eight), "damaged");
  const std::string good = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)";
  EXPECT_NO_THROW(read_npy(npy(good + "}", eight)));
  for (const char* end : {"", ", ", "} x", "}}", ", 'descr': '<f8'}", ", 'more': 1}", " 'x': 1}"})
    expect_refused(npy(good + end, eight), "damaged");
  for (const char* shape : {"(1,,)", "(,)", "(1 1)", "(1,-1)", "(1.0,)", "(1x,)", "((1,),)", "1,"})
    expect_refused(npy(header("<f8", shape), eight), "damaged");
  for (const char* order : {"Falsehood", "True'", "1", "'False'"})
    expect_refused(npy(header("<f8", "(1,)", order), eight), "damaged");
  expect_refused(npy(header("", "(1,)"), eight), "of type ''");
  const std::string whole = read_bytes(npy(header("<f8", "(1,)"), eight));
  for (std::size_t length = 6; length + 8 < whole.size(); ++length)
    EXPECT_THROW(read_npy(file("cut.npy", whole.substr(0, length))), FileError) << length;
}

TEST_F(Npy, OtherFilesAreRefused) {
  expect_refused(file("text.npy", "1 2 3 4"), "is not a .npy file");
  expect_refused(file("empty.npy", ""), "is not a .npy file");
  expect_refused(path("none.npy"), "cannot be read");
}

}  // namespace
