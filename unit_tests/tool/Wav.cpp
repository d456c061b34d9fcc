// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "WaveScanIO_Wav.hpp"

#include <limits>
#include <string>
#include <vector>

#include "TemporaryFolder.hpp"

using namespace wavescan_io;

namespace {

class Wav : public TemporaryFolder {};

TEST_F(Wav, KeepsWhatItsFormatsHold) {
  using enum Sound::Format;
  for (const auto format : {Integer16, Integer24, Integer32, Float32}) {
    Sound sound{48000, 3, format, {0, 0.5, -1, -0.25, 0.125, 1.0 / 32768}};
    write_wav(OutputFile(path("sound.wav")), sound);
    const Sound read = read_wav(path("sound.wav"));
    EXPECT_EQ(read.rate, 48000u);
    EXPECT_EQ(read.channels, 3u);
    EXPECT_EQ(read.length(), 2u);
    EXPECT_EQ(read.format, format);
    EXPECT_EQ(read.samples, sound.samples);
  }
}

TEST_F(Wav, ClipsWhatIsTooLoud) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  write_wav(OutputFile(path("loud.wav")), {44100, 1, Sound::Format::Integer16, {2, -7, nan}});
  EXPECT_EQ(read_wav(path("loud.wav")).samples, (std::vector<double>{32767.0 / 32768, -1, 0}));
}

TEST_F(Wav, SkipsWhatItDoesNotKnow) {
  write_wav(OutputFile(path("sound.wav")), {8000, 1, Sound::Format::Integer24, {0.5}});
  std::string bytes = read_bytes(path("sound.wav"));
  bytes.insert(12, std::string("LIST\x03\0\0\0abc\0", 12));  // of odd length
  EXPECT_EQ(read_wav(file("more.wav", bytes)).samples, std::vector<double>{0.5});
}

// As programs leave it that write into a pipe.
TEST_F(Wav, ReadsToTheEndWhereTheLengthIsUnknown) {
  write_wav(OutputFile(path("sound.wav")), {8000, 1, Sound::Format::Integer16, {0.5, 0.25}});
  std::string bytes = read_bytes(path("sound.wav"));
  for (const char* length : {"\0\0\0\0", "\xff\xff\xff\xff", "\0\xf0\xff\x7f"}) {
    bytes.replace(40, 4, length, 4);
    EXPECT_EQ(read_wav(file("stream.wav", bytes)).samples, (std::vector<double>{0.5, 0.25}));
  }
  bytes.replace(40, 4, std::string(4, '\0'));
  bytes.replace(44, 4, std::string("LIST\x03\0\0\0abc\0", 12));
  EXPECT_EQ(read_wav(file("empty.wav", bytes)).length(), 0u);
}

TEST_F(Wav, RejectsDamagedFiles) {
  write_wav(OutputFile(path("sound.wav")), {8000, 1, Sound::Format::Integer16, {0.5, 0.5}});
  const std::string bytes = read_bytes(path("sound.wav"));
  const auto expect = [&](const std::string& damaged, const std::string& what) {
    const auto bad = file("bad.wav", damaged);
    expect_file_error([&] { read_wav(bad); }, bad, what);
  };
  expect("", "is no WAV file");
  expect(bytes.substr(0, bytes.size() - 1), "ends before its samples");
  expect(bytes.substr(0, 36), "has no samples");
  std::string other = bytes;
  other[34] = 8;  // bits
  expect(other, "must hold PCM");
  other = bytes;
  other[22] = 0;  // channels
  expect(other, "has no channels");
  other = bytes;
  other[32] = 4;  // bytes of a sample of all channels
  expect(other, "contradicts itself: 4 bytes for 1 samples of 16 bits");
  other = bytes;
  other[40] = 5;  // bytes of all samples
  expect(other, "ends before its samples");
}

}  // namespace
