// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "WaveScanIO_Png.hpp"

#include <png.h>

#include <array>
#include <bit>
#include <csetjmp>
#include <cstring>
#include <memory>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string>

#include "WaveScanIO_Error.hpp"

// libpng reports errors by longjmp, which runs no destructor: functions that it may leave that way
// (`decode_header`, `decode_pixels`, `encode`) own nothing, and what libpng calls throws nothing.
namespace wavescan_io {
namespace {

constexpr png_uint_32 max_side = 1u << 20;
constexpr std::size_t max_bytes = std::size_t{1} << 32;
static_assert(max_pixels <= max_bytes / 2, "gray images of 16 bits may have as many pixels");

struct Failure {
  char message[128] = "";
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto& failure = *static_cast<Failure*>(png_get_error_ptr(png));
  std::strncpy(failure.message, message, sizeof failure.message - 1);
  std::longjmp(png_jmpbuf(png), 1);
}

void on_warning(png_structp, png_const_charp) {}

template <class T>
T* allocated(T* structure) {
  if (structure == nullptr) throw std::bad_alloc();
  return structure;
}

struct DestroyReader {
  void operator()(png_structp png) const { png_destroy_read_struct(&png, nullptr, nullptr); }
};
struct DestroyWriter {
  void operator()(png_structp png) const { png_destroy_write_struct(&png, nullptr); }
};
struct DestroyInfo {
  png_structp png;
  void operator()(png_infop info) const { png_destroy_info_struct(png, &info); }
};

// The two structures of libpng for a file.
template <class Destroy>
class Codec {
 public:
  explicit Codec(png_structp png)
      : png_(allocated(png)), info_(allocated(png_create_info_struct(png)), {png}) {}
  png_structp png() const { return png_.get(); }
  png_infop info() const { return info_.get(); }

 private:
  std::unique_ptr<png_struct, Destroy> png_;
  std::unique_ptr<png_info, DestroyInfo> info_;
};
using Reader = Codec<DestroyReader>;
using Writer = Codec<DestroyWriter>;

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

// What the decoder leaves: samples of one or three channels, of 8 or 16 bits; one channel may be
// that of numbers of colours in a palette.
struct Layout {
  std::size_t rows, columns, channels, row_bytes;
  int bit_depth;
  std::array<png_color, PNG_MAX_PALETTE_LENGTH> palette;
  int colors;  // of the palette; 0: there is none

  bool is_gray() const { return channels == 1 && colors == 0; }
};

struct Decoded {
  Layout layout;
  std::vector<png_byte> samples;
};

bool decode_header(const Reader& reader, Cursor& cursor, Layout& layout) {
  const png_structp png = reader.png();
  const png_infop info = reader.info();
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_user_limits(png, max_side, max_side);
  png_set_read_fn(png, &cursor, take_bytes);
  const std::size_t file_bytes = cursor.left;
  png_read_info(png, info);
  layout.rows = png_get_image_height(png, info);
  layout.columns = png_get_image_width(png, info);
  if (layout.rows * layout.columns > max_pixels) png_error(png, "more than 2^31 - 1 pixels");
  // No byte of compressed data stands for more.
  constexpr std::size_t most_compression = 1032;
  if (layout.rows * png_get_rowbytes(png, info) / most_compression > file_bytes)
    png_error(png, "the file is too short for so many pixels");
  layout.colors = 0;
  if (png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE) {
    png_colorp palette = nullptr;
    png_get_PLTE(png, info, &palette, &layout.colors);
    std::memcpy(layout.palette.data(), palette,
                static_cast<std::size_t>(layout.colors) * sizeof(png_color));
    png_set_packing(png);
  } else {
    png_set_expand_gray_1_2_4_to_8(png);
  }
  png_set_strip_alpha(png);
  if (std::endian::native == std::endian::little) png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  layout.channels = png_get_channels(png, info);
  layout.bit_depth = png_get_bit_depth(png, info);
  layout.row_bytes = png_get_rowbytes(png, info);
  if (layout.rows * layout.row_bytes > max_bytes) png_error(png, "more than 2^32 bytes of samples");
  return true;
}

bool decode_pixels(const Reader& reader, std::vector<png_bytep>& rows) {
  if (setjmp(png_jmpbuf(reader.png()))) return false;
  png_read_image(reader.png(), rows.data());
  png_read_end(reader.png(), nullptr);
  return true;
}

Decoded decode(const std::filesystem::path& file) {
  const std::string bytes = read_bytes(file);
  constexpr std::size_t signature_length = 8;
  if (bytes.size() < signature_length ||
      png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, signature_length) != 0)
    throw FileError(file, "is not a PNG image");
  Failure failure;
  const auto check = [&](bool decoded) {
    if (!decoded) throw FileError(file, std::string("is a damaged PNG image: ") + failure.message);
  };
  const Reader reader(
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &failure, on_error, on_warning));
  Cursor cursor{bytes.data(), bytes.size()};
  Decoded image{};
  const Layout& layout = image.layout;
  check(decode_header(reader, cursor, image.layout));
  image.samples.resize(layout.rows * layout.row_bytes);
  std::vector<png_bytep> rows(layout.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = &image.samples[i * layout.row_bytes];
  check(decode_pixels(reader, rows));
  // libpng would take black for the colours that a palette lacks.
  if (layout.colors > 0)
    for (const png_byte number : image.samples)
      if (number >= layout.colors)
        throw FileError(file, "is a damaged PNG image: it has a pixel of colour " +
                                  std::to_string(number) + ", but a palette of " +
                                  std::to_string(layout.colors) + " colours");
  return image;
}

// An image of one number for each pixel, which `number_of` makes of red, green and blue. These are
// the same where the pixels are gray.
template <class Sample, class NumberOf>
GrayImage image_of(const Decoded& image, const NumberOf& number_of) {
  const Layout& layout = image.layout;
  GrayImage result{layout.rows, layout.columns, layout.bit_depth, {}};
  const std::size_t count = layout.rows * layout.columns;
  result.pixels.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    Sample rgb[3] = {};
    std::memcpy(rgb, &image.samples[k * layout.channels * sizeof(Sample)],
                layout.channels * sizeof(Sample));
    if (layout.colors > 0) {
      const png_color& color = layout.palette[rgb[0]];
      rgb[0] = color.red, rgb[1] = color.green, rgb[2] = color.blue;
    } else if (layout.channels == 1) {
      rgb[1] = rgb[2] = rgb[0];
    }
    result.pixels.push_back(static_cast<std::uint16_t>(number_of(rgb)));
  }
  return result;
}
template <class NumberOf>
GrayImage image_of(const Decoded& image, const NumberOf& number_of) {
  return image.layout.bit_depth == 16 ? image_of<std::uint16_t>(image, number_of)
                                      : image_of<std::uint8_t>(image, number_of);
}

bool encode(const Writer& writer, std::ostream& stream, std::size_t rows, std::size_t columns,
            int bit_depth, int color_type, const std::vector<png_bytep>& row_pointers) {
  const png_structp png = writer.png();
  const png_infop info = writer.info();
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
                   const std::vector<Sample>& samples) {
  const std::size_t per_row = columns * (color_type == PNG_COLOR_TYPE_RGB ? 3 : 1);
  if (rows < 1 || columns < 1 || rows > max_side || columns > max_side ||
      samples.size() != rows * per_row)
    throw std::invalid_argument("write_png: expected 1 to " + std::to_string(max_side) +
                                " rows and columns and as many pixels, got " +
                                std::to_string(rows) + " x " + std::to_string(columns) + " and " +
                                std::to_string(samples.size()) + " samples");
  std::vector<png_bytep> row_pointers(rows);
  for (std::size_t i = 0; i < rows; ++i)  // libpng only reads them
    row_pointers[i] =
        const_cast<png_bytep>(reinterpret_cast<png_const_bytep>(&samples[i * per_row]));
  file.write([&](std::ostream& stream) {
    Failure failure;
    const Writer writer(
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure, on_error, on_warning));
    if (!encode(writer, stream, rows, columns, 8 * static_cast<int>(sizeof(Sample)), color_type,
                row_pointers))
      throw std::runtime_error(file.path().string() + ": cannot be written: " + failure.message);
  });
}

}  // namespace

GrayImage read_png(const std::filesystem::path& file) {
  return image_of(decode(file), [](const auto* rgb) {
    return (299u * rgb[0] + 587u * rgb[1] + 114u * rgb[2] + 500u) / 1000u;  // of gray, itself
  });
}

std::vector<GrayImage> read_png_channels(const std::filesystem::path& file) {
  const Decoded image = decode(file);
  std::vector<GrayImage> channels;
  for (int k = 0; k < (image.layout.is_gray() ? 1 : 3); ++k)
    channels.push_back(image_of(image, [k](const auto* rgb) { return rgb[k]; }));
  return channels;
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

void write_png_channels(const OutputFile& file, const std::vector<GrayImage>& channels) {
  const std::size_t count = channels.size();
  if (count == 1) return write_png(file, channels.front());
  bool fits = count == 3;
  for (const GrayImage& channel : channels)
    fits = fits && channel.rows == channels[0].rows && channel.columns == channels[0].columns &&
           channel.bit_depth == channels[0].bit_depth &&
           channel.pixels.size() == channels[0].pixels.size();
  if (!fits)
    throw std::invalid_argument(
        "write_png_channels: expected one channel, or three of the same size and bit depth");
  const auto write = [&]<class Sample>(std::vector<Sample> samples) {
    samples.resize(3 * channels[0].pixels.size());
    for (std::size_t k = 0; k < samples.size(); ++k)
      samples[k] = static_cast<Sample>(channels[k % 3].pixels[k / 3]);
    write_samples(file, channels[0].rows, channels[0].columns, PNG_COLOR_TYPE_RGB, samples);
  };
  if (channels[0].bit_depth == 16)
    write(std::vector<std::uint16_t>());
  else
    write(std::vector<std::uint8_t>());
}

}  // namespace wavescan_io
