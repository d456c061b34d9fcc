// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "WaveScanIO_Png.hpp"

#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstring>
#include <ostream>
#include <stdexcept>
#include <string>

#include "WaveScanIO_Error.hpp"

// libpng reports errors by longjmp, which runs no destructor: functions that it may leave that way
// (`decode`, `encode`) own nothing, all memory belongs to their callers.
namespace wavescan_io {
namespace {

constexpr png_uint_32 max_side = 1u << 20;
constexpr std::size_t max_pixels = std::size_t{1} << 31;

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  *static_cast<std::string*>(png_get_error_ptr(png)) = message;
  std::longjmp(png_jmpbuf(png), 1);
}

void on_warning(png_structp, png_const_charp) {}

struct Cursor {
  const char* position;
  std::size_t left;
};

void take_bytes(png_structp png, png_bytep to, png_size_t count) {
  auto& cursor = *static_cast<Cursor*>(png_get_io_ptr(png));
  if (cursor.left < count) png_error(png, "the file ends too early");
  std::memcpy(to, cursor.position, count);
  cursor.position += count;
  cursor.left -= count;
}

void put_bytes(png_structp png, png_bytep from, png_size_t count) {
  static_cast<std::ostream*>(png_get_io_ptr(png))
      ->write(reinterpret_cast<const char*>(from), static_cast<std::streamsize>(count));
}

void flush_bytes(png_structp) {}

// What the decoder leaves: samples of one or three channels, of 8 or 16 bits.
struct Samples {
  std::size_t rows = 0, columns = 0;
  int channels = 0, bit_depth = 0;
  std::vector<png_byte> bytes;
  std::vector<png_bytep> row_pointers;
};

bool decode(png_structp png, png_infop info, Cursor& cursor, Samples& out) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_user_limits(png, max_side, max_side);
  png_set_read_fn(png, &cursor, take_bytes);
  png_read_info(png, info);
  png_set_palette_to_rgb(png);
  png_set_expand_gray_1_2_4_to_8(png);
  png_set_strip_alpha(png);
  if (std::endian::native == std::endian::little) png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  out.rows = png_get_image_height(png, info);
  out.columns = png_get_image_width(png, info);
  out.channels = png_get_channels(png, info);
  out.bit_depth = png_get_bit_depth(png, info);
  if (out.rows * out.columns > max_pixels) png_error(png, "more than 2^31 pixels");
  const std::size_t row_bytes = png_get_rowbytes(png, info);
  out.bytes.resize(out.rows * row_bytes);
  out.row_pointers.resize(out.rows);
  for (std::size_t i = 0; i < out.rows; ++i) out.row_pointers[i] = out.bytes.data() + i * row_bytes;
  png_read_image(png, out.row_pointers.data());
  png_read_end(png, nullptr);
  return true;
}

template <class Sample>
std::vector<std::uint16_t> to_gray(const Samples& samples) {
  const auto count = samples.rows * samples.columns;
  const auto channels = static_cast<std::size_t>(samples.channels);
  std::vector<Sample> values(count * channels);
  std::memcpy(values.data(), samples.bytes.data(), values.size() * sizeof(Sample));
  if (channels == 1) return {values.begin(), values.end()};
  std::vector<std::uint16_t> gray(count);
  for (std::size_t k = 0; k < count; ++k) {
    const Sample* rgb = &values[k * channels];
    gray[k] =
        static_cast<std::uint16_t>((299u * rgb[0] + 587u * rgb[1] + 114u * rgb[2] + 500u) / 1000u);
  }
  return gray;
}

bool encode(png_structp png, png_infop info, std::ostream& stream, std::size_t rows,
            std::size_t columns, int bit_depth, int color_type,
            const std::vector<png_bytep>& row_pointers) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_user_limits(png, max_side, max_side);
  png_set_write_fn(png, &stream, put_bytes, flush_bytes);
  png_set_IHDR(png, info, static_cast<png_uint_32>(columns), static_cast<png_uint_32>(rows),
               bit_depth, color_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if (bit_depth == 16 && std::endian::native == std::endian::little) png_set_swap(png);
  png_write_image(png, const_cast<png_bytepp>(row_pointers.data()));
  png_write_end(png, nullptr);
  return true;
}

template <class Sample>
void write_samples(const OutputFile& file, std::size_t rows, std::size_t columns, int color_type,
                   std::vector<Sample> samples) {
  const std::size_t per_row = rows == 0 ? 0 : samples.size() / rows;
  std::vector<png_bytep> row_pointers(rows);
  for (std::size_t i = 0; i < rows; ++i)
    row_pointers[i] = reinterpret_cast<png_bytep>(samples.data() + i * per_row);
  file.write([&](std::ostream& stream) {
    std::string message;
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, on_error, on_warning);
    png_infop info = png_create_info_struct(png);
    const bool done = encode(png, info, stream, rows, columns, 8 * static_cast<int>(sizeof(Sample)),
                             color_type, row_pointers);
    png_destroy_write_struct(&png, &info);
    if (!done) throw std::runtime_error(file.path().string() + ": cannot be written: " + message);
  });
}

}  // namespace

GrayImage read_png(const std::filesystem::path& file) {
  const std::string bytes = read_bytes(file);
  constexpr std::size_t signature_length = 8;
  if (bytes.size() < signature_length ||
      png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, signature_length) != 0)
    throw FileError(file, "is not a PNG image");
  Cursor cursor{bytes.data(), bytes.size()};
  Samples samples;
  std::string message;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &message, on_error, on_warning);
  png_infop info = png_create_info_struct(png);
  const bool done = decode(png, info, cursor, samples);
  png_destroy_read_struct(&png, &info, nullptr);
  if (!done) throw FileError(file, "is a damaged PNG image: " + message);
  return {
      samples.rows, samples.columns, samples.bit_depth,
      samples.bit_depth == 16 ? to_gray<std::uint16_t>(samples) : to_gray<std::uint8_t>(samples)};
}

void write_png(const OutputFile& file, const GrayImage& image) {
  if (image.bit_depth == 16)
    write_samples(file, image.rows, image.columns, PNG_COLOR_TYPE_GRAY, image.pixels);
  else
    write_samples(file, image.rows, image.columns, PNG_COLOR_TYPE_GRAY,
                  std::vector<std::uint8_t>(image.pixels.begin(), image.pixels.end()));
}

void write_png(const OutputFile& file, const ColorImage& image) {
  write_samples(file, image.rows, image.columns, PNG_COLOR_TYPE_RGB, image.pixels);
}

}  // namespace wavescan_io
