// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "WaveScanIO_Wav.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "WaveScanIO_Error.hpp"

namespace wavescan_io {
namespace {

constexpr unsigned pcm = 1, floating_point = 3, extensible = 0xfffe;

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value |= std::uint32_t(static_cast<unsigned char>(bytes[at + i])) << 8 * i;
  return value;
}
void append(std::string& bytes, std::uint32_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i & 0xff);
}

std::size_t bytes_of(Sound::Format format) {
  switch (format) {
    case Sound::Format::Integer16:
      return 2;
    case Sound::Format::Integer24:
      return 3;
    default:
      return 4;
  }
}

double decoded(std::uint32_t bits, Sound::Format format) {
  if (format == Sound::Format::Float32) return std::bit_cast<float>(bits);
  // The sign bit goes to the top.
  const std::size_t unused = 32 - 8 * bytes_of(format);
  return static_cast<double>(static_cast<std::int32_t>(bits << unused)) / 2147483648.0;
}
std::uint32_t encoded(double sample, Sound::Format format) {
  if (format == Sound::Format::Float32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(sample));
  const double range = std::ldexp(1.0, static_cast<int>(8 * bytes_of(format)) - 1);
  const double value = std::isnan(sample) ? 0 : std::nearbyint(sample * range);
  return static_cast<std::uint32_t>(
      static_cast<std::int32_t>(std::clamp(value, -range, range - 1)));
}

// Whether bytes are chunks, whole ones up to their end: their names are printable.
bool are_chunks(std::string_view bytes) {
  std::size_t at = 0;
  while (at + 8 <= bytes.size()) {
    for (const char c : bytes.substr(at, 4))
      if (c < ' ' || c > '~') return false;
    const std::size_t size = number_at(bytes, at + 4, 4);
    at += 8 + size + size % 2;
  }
  return at == bytes.size();
}

// The bytes of samples in `rest`, which begins with them, where a header says `size`.
std::size_t bytes_of_samples(std::size_t size, std::string_view rest) {
  // What SoX leaves where it cannot know (all its whole samples within 0x7ffff000 bytes); others
  // leave more.
  constexpr std::size_t unknown = 0x7fff0000;
  const bool is_unknown = size == 0 ? !are_chunks(rest) : size >= unknown && size > rest.size();
  return is_unknown ? rest.size() : size;
}

}  // namespace

Sound read_wav(const std::filesystem::path& file) {
  const std::string content = read_bytes(file);
  const std::string_view bytes = content;
  const auto damaged = [&](const std::string& what) { return FileError(file, what); };
  if (bytes.size() < 12 || bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE")
    throw damaged("is no WAV file");
  Sound sound;
  std::size_t bits = 0;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::string_view name = bytes.substr(at, 4);
    const std::size_t size = number_at(bytes, at + 4, 4);
    const std::size_t begin = at + 8, rest = bytes.size() - begin;
    if (name == "fmt ") {
      if (size < 16 || size > rest) throw damaged("has a damaged header");
      unsigned kind = number_at(bytes, begin, 2);
      if (kind == extensible && size >= 26) kind = number_at(bytes, begin + 24, 2);
      sound.channels = number_at(bytes, begin + 2, 2);
      sound.rate = number_at(bytes, begin + 4, 4);
      bits = number_at(bytes, begin + 14, 2);
      const std::size_t frame = number_at(bytes, begin + 12, 2);
      if (sound.channels == 0) throw damaged("has no channels");
      if (kind == pcm && bits == 16)
        sound.format = Sound::Format::Integer16;
      else if (kind == pcm && bits == 24)
        sound.format = Sound::Format::Integer24;
      else if (kind == pcm && bits == 32)
        sound.format = Sound::Format::Integer32;
      else if (kind == floating_point && bits == 32)
        sound.format = Sound::Format::Float32;
      else
        throw damaged("must hold PCM of 16, 24 or 32 bits, or floating point of 32 bits");
      if (8 * frame != bits * sound.channels)
        throw damaged("has a header that contradicts itself: " + std::to_string(frame) +
                      " bytes for " + std::to_string(sound.channels) + " samples of " +
                      std::to_string(bits) + " bits");
    } else if (name == "data") {
      if (bits == 0) throw damaged("has samples before its header");
      const std::size_t length = bytes_of_samples(size, bytes.substr(begin));
      if (length > rest) throw damaged("ends before its samples do");
      const std::size_t width = bytes_of(sound.format);
      const std::size_t count = length / width / sound.channels * sound.channels;
      sound.samples.reserve(count);
      for (std::size_t i = 0; i < count; ++i)
        sound.samples.push_back(decoded(number_at(bytes, begin + i * width, width), sound.format));
      return sound;
    }
    if (size > rest) break;
    at = begin + size + size % 2;
  }
  throw damaged("has no samples");
}

void write_wav(const OutputFile& file, const Sound& sound) {
  const std::size_t width = bytes_of(sound.format), size = sound.samples.size() * width;
  if (size > std::numeric_limits<std::uint32_t>::max() - 64)
    throw std::invalid_argument(file.path().string() + ": the sound is too long for a WAV file");
  const auto frame = static_cast<std::uint32_t>(width * sound.channels);
  std::string header = "RIFF";
  append(header, static_cast<std::uint32_t>(36 + size + size % 2), 4);
  header += "WAVEfmt ";
  append(header, 16, 4);
  append(header, sound.format == Sound::Format::Float32 ? floating_point : pcm, 2);
  append(header, static_cast<std::uint32_t>(sound.channels), 2);
  append(header, sound.rate, 4);
  append(header, sound.rate * frame, 4);
  append(header, frame, 2);
  append(header, static_cast<std::uint32_t>(8 * width), 2);
  header += "data";
  append(header, static_cast<std::uint32_t>(size), 4);
  std::string data;
  data.reserve(size + 1);
  for (const double sample : sound.samples) append(data, encoded(sample, sound.format), width);
  if (size % 2 != 0) data += '\0';
  file.write([&](std::ostream& out) { out << header << data; });
}

}  // namespace wavescan_io
