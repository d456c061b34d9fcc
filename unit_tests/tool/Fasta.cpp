// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "WaveScanIO_Fasta.hpp"

#include "TemporaryFolder.hpp"

using namespace wavescan_io;

namespace {

class Fasta : public TemporaryFolder {
 protected:
  std::vector<FastaRecord> read(const std::string& text,
                                Alphabet alphabet = Alphabet::Nucleotide) const {
    return read_fasta(file("some.fa", text), alphabet);
  }
  void expect_refused(const std::string& text, const std::string& what,
                      Alphabet alphabet = Alphabet::Nucleotide) const {
    expect_file_error([&] { read(text, alphabet); }, path("some.fa"), what);
  }
};

TEST_F(Fasta, OneRecord) {
  const auto records = read(">human mitochondrion, whole\nGATC\nACA\n");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].name, "human");
  EXPECT_EQ(records[0].description, "mitochondrion, whole");
  EXPECT_EQ(records[0].sequence, "GATCACA");
}

TEST_F(Fasta, SeveralRecordsBlankLinesAndWindowsLineEnds) {
  const auto records = read("\r\n>a\r\nAC\r\n\r\nGT\r\n> b  two\r\n  T\t\r\n>\nA");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].sequence, "ACGT");
  EXPECT_EQ(records[1].name, "b");
  EXPECT_EQ(records[1].description, "two");
  EXPECT_EQ(records[1].sequence, "T");
  EXPECT_EQ(records[2].name, "");
  EXPECT_EQ(records[2].sequence, "A");
}

TEST_F(Fasta, LowerCaseBecomesUpperCase) {
  EXPECT_EQ(read(">a\nacgtunryswkmbdhv\n")[0].sequence, "ACGTUNRYSWKMBDHV");
}

TEST_F(Fasta, ProteinsHaveMoreLetters) {
  const std::string text = ">p\nMKLVE*\n";
  EXPECT_EQ(read(text, Alphabet::Protein)[0].sequence, "MKLVE*");
  expect_refused(text, "line 2: illegal letter 'L' in a nucleotide sequence");
  expect_refused(">p\nMK1\n", "line 2: illegal letter '1' in a protein sequence",
                 Alphabet::Protein);
}

TEST_F(Fasta, IllegalLettersAreFoundOut) {
  expect_refused(">a\nACGT\nAC-GT\n", "line 3: illegal letter '-'");
  expect_refused(">a\nAC GT\n", "line 2: illegal letter of code 32");
  expect_refused(std::string(">a\nAC\0GT\n", 9), "line 2: illegal letter of code 0");
  expect_refused(">a\nAC\xc3\xa9\n", "line 2: illegal letter of code 195");
}

TEST_F(Fasta, FilesWithoutRecordsAreRefused) {
  expect_refused("", "holds no FASTA record");
  expect_refused("\n \n", "holds no FASTA record");
  expect_refused("ACGT\n", "line 1: expected a title line that starts with '>'");
  expect_refused(">a\n", "record 'a' has no letters");
  expect_refused(">a\n>b\nACGT\n", "record 'a' has no letters");
  expect_file_error([&] { read_fasta(path("none.fa"), Alphabet::Protein); }, path("none.fa"),
                    "cannot be read");
}

#if defined(WAVESCANIO_HAS_ZLIB)
// ">a\nACGT\n" and ">b\r\nac\r\n", each compressed by itself: gzip -n
const unsigned char two_parts[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0xb3, 0x4b, 0xe4, 0x72,
    0x74, 0x76, 0x0f, 0xe1, 0x02, 0x00, 0x30, 0x96, 0xda, 0xde, 0x08, 0x00, 0x00, 0x00,
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0xb3, 0x4b, 0xe2, 0xe5,
    0x4a, 0x4c, 0xe6, 0xe5, 0x02, 0x00, 0xd9, 0xba, 0x12, 0x83, 0x08, 0x00, 0x00, 0x00};

TEST_F(Fasta, CompressedFiles) {
  const std::string bytes(reinterpret_cast<const char*>(two_parts), sizeof two_parts);
  const auto records = read(bytes);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].sequence, "ACGT");
  EXPECT_EQ(records[1].name, "b");
  EXPECT_EQ(records[1].sequence, "AC");
  expect_refused(bytes.substr(0, bytes.size() - 9), "is cut off");
  std::string damaged = bytes;
  damaged[12] = static_cast<char>(damaged[12] ^ 0x55);
  expect_refused(damaged, "is damaged");
  expect_refused(bytes + "more", "is damaged");
}
#endif

}  // namespace
