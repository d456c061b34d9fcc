// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "WaveScanIO_Png.hpp"

#include <png.h>

#include <array>
#include <cstdio>

#include "PngMemory.hpp"
#include "TemporaryFolder.hpp"

using namespace wavescan_io;

namespace {

class Png : public TemporaryFolder {
 protected:
  GrayImage gradient(std::size_t rows, std::size_t columns, int bit_depth) const {
    GrayImage image{rows, columns, bit_depth, {}};
    for (std::size_t k = 0; k < rows * columns; ++k)
      image.pixels.push_back(
          static_cast<std::uint16_t>((k * 257 + 3) & static_cast<unsigned>(image.white())));
    return image;
  }

  std::filesystem::path written(const std::string& name, const GrayImage& image) const {
    write_png(OutputFile(path(name)), image);
    return path(name);
  }

  // The same file with another header, whose checksum is right.
  static std::string with_header(std::string bytes, std::uint32_t columns, std::uint32_t rows,
                                 char bit_depth, char color_type) {
    const auto put = [&](std::size_t place, std::uint32_t number) {
      for (std::size_t k = 0; k < 4; ++k)
        bytes[place + k] = static_cast<char>(number >> (24 - 8 * k) & 0xff);
    };
    constexpr std::size_t name = 12, width = 16, height = 20, checksum = 29;
    put(width, columns);
    put(height, rows);
    bytes[24] = bit_depth;
    bytes[25] = color_type;
    std::uint32_t crc = ~0u;
    for (std::size_t k = name; k < checksum; ++k) {
      crc ^= static_cast<unsigned char>(bytes[k]);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
    }
    put(checksum, ~crc);
    return bytes;
  }

  // A file by libpng itself, of a kind that write_png does not write.
  std::filesystem::path written_raw(const std::string& name, int bit_depth, int color_type,
                                    std::size_t columns, std::vector<png_byte> row) const {
    std::FILE* stream = std::fopen(path(name).c_str(), "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, stream);
    png_set_check_for_invalid_index(png, -1);  // it would warn
    png_set_IHDR(png, info, static_cast<png_uint_32>(columns), 1, bit_depth, color_type,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    std::array<png_color, 2> palette{{{255, 0, 0}, {0, 0, 255}}};
    if (color_type == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, palette.data(), 2);
    png_write_info(png, info);
    png_write_row(png, row.data());
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    std::fclose(stream);
    return path(name);
  }
};

TEST_F(Png, GrayImagesComeBackAsTheyWere) {
  for (const int bit_depth : {8, 16})
    for (const auto& [rows, columns] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {1, 7}, {31, 3}, {64, 65}}) {
      const GrayImage image = gradient(rows, columns, bit_depth);
      const GrayImage back = read_png(written("image.png", image));
      EXPECT_EQ(back.rows, rows);
      EXPECT_EQ(back.columns, columns);
      EXPECT_EQ(back.bit_depth, bit_depth);
      EXPECT_EQ(back.pixels, image.pixels);
    }
}

TEST_F(Png, ColoursBecomeTheirLuma) {
  write_png(OutputFile(path("color.png")),
            ColorImage{1, 4, {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255}});
  const GrayImage gray = read_png(path("color.png"));
  EXPECT_EQ(gray.bit_depth, 8);
  EXPECT_EQ(gray.pixels, (std::vector<std::uint16_t>{76, 150, 29, 255}));
}

TEST_F(Png, SixteenBitColoursKeepTheirDepth) {
  const GrayImage gray = read_png(
      written_raw("color16.png", 16, PNG_COLOR_TYPE_RGB, 1, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
  EXPECT_EQ(gray.bit_depth, 16);
  EXPECT_EQ(gray.pixels, std::vector<std::uint16_t>{65535});
}

TEST_F(Png, ChannelsComeBackAsTheyWere) {
  for (const int bit_depth : {8, 16}) {
    const GrayImage image = gradient(2, 6, bit_depth);
    std::vector<GrayImage> channels(3, GrayImage{2, 2, bit_depth, {}});
    for (std::size_t k = 0; k < 3; ++k)
      channels[k].pixels.assign(image.pixels.begin() + static_cast<std::ptrdiff_t>(4 * k),
                                image.pixels.begin() + static_cast<std::ptrdiff_t>(4 * k + 4));
    for (const std::size_t count : {3, 1}) {
      channels.resize(count);
      write_png_channels(OutputFile(path("image.png")), channels);
      const auto back = read_png_channels(path("image.png"));
      ASSERT_EQ(back.size(), count);
      for (std::size_t k = 0; k < count; ++k) {
        EXPECT_EQ(back[k].bit_depth, bit_depth);
        EXPECT_EQ(back[k].pixels, channels[k].pixels);
      }
    }
  }
  const auto palette =
      read_png_channels(written_raw("palette.png", 1, PNG_COLOR_TYPE_PALETTE, 2, {0x40}));
  ASSERT_EQ(palette.size(), 3u);
  EXPECT_EQ(palette[0].pixels, (std::vector<std::uint16_t>{255, 0}));
  EXPECT_EQ(palette[2].pixels, (std::vector<std::uint16_t>{0, 255}));
}

TEST_F(Png, PalettesBitsAndTransparencyAreRead) {
  EXPECT_EQ(read_png(written_raw("palette.png", 1, PNG_COLOR_TYPE_PALETTE, 2, {0x40})).pixels,
            (std::vector<std::uint16_t>{76, 29}));
  EXPECT_EQ(read_png(written_raw("bits.png", 1, PNG_COLOR_TYPE_GRAY, 3, {0xa0})).pixels,
            (std::vector<std::uint16_t>{255, 0, 255}));
  EXPECT_EQ(
      read_png(written_raw("alpha.png", 8, PNG_COLOR_TYPE_GRAY_ALPHA, 2, {9, 0, 7, 255})).pixels,
      (std::vector<std::uint16_t>{9, 7}));
}

TEST_F(Png, EveryTruncationIsFoundOut) {
  const std::string bytes = read_bytes(written("whole.png", gradient(20, 20, 8)));
  for (std::size_t length = 8; length < bytes.size(); length += 7) {
    const auto cut = file("cut.png", bytes.substr(0, length));
    expect_file_error([&] { read_png(cut); }, cut, "damaged PNG image");
  }
}

TEST_F(Png, DamageIsFoundOut) {
  std::string bytes = read_bytes(written("whole.png", gradient(20, 20, 8)));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  const auto damaged = file("damaged.png", bytes);
  expect_file_error([&] { read_png(damaged); }, damaged, "damaged PNG image");
}

TEST_F(Png, ColoursBeyondThePaletteAreRefused) {
  const auto read = [&](int bit_depth, std::vector<png_byte> row) {
    return read_png(written_raw("palette.png", bit_depth, PNG_COLOR_TYPE_PALETTE, 2, row)).pixels;
  };
  EXPECT_EQ(read(8, {1, 0}), (std::vector<std::uint16_t>{29, 76}));
  expect_file_error([&] { read(8, {0, 2}); }, path("palette.png"), "pixel of colour 2");
  expect_file_error([&] { read(8, {255, 0}); }, path("palette.png"), "palette of 2 colours");
  expect_file_error([&] { read(2, {0x30}); }, path("palette.png"), "pixel of colour 3");
}

TEST_F(Png, HeadersOfHugeImagesAreRefusedBeforeMemoryIsAskedFor) {
  const std::string small = read_bytes(written("small.png", gradient(20, 20, 8)));
  const auto read = [&](std::uint32_t columns, std::uint32_t rows, char bit_depth, char color_type,
                        std::size_t more_bytes) {
    const auto huge = file("huge.png", with_header(small, columns, rows, bit_depth, color_type) +
                                           std::string(more_bytes, '\0'));
    const AllocationLimit limit(std::size_t(64) << 20);
    read_png(huge);
  };
  constexpr std::size_t enough = std::size_t(10) << 20;
  const auto huge = path("huge.png");
  expect_file_error([&] { read(65536, 32768, 8, PNG_COLOR_TYPE_GRAY, enough); }, huge, "pixels");
  expect_file_error([&] { read(65536, 16384, 16, PNG_COLOR_TYPE_RGB, enough); }, huge, "bytes");
  expect_file_error([&] { read(20000, 20000, 8, PNG_COLOR_TYPE_GRAY, 0); }, huge, "too short");
}

TEST_F(Png, NothingIsLeftWhereMemoryIsMissing) {
  const auto image = written("image.png", gradient(2000, 2000, 8));
  const auto before = png_structures();
  {
    const AllocationLimit limit(std::size_t(1) << 20);  // enough for libpng and the file
    EXPECT_THROW(read_png(image), std::bad_alloc);
  }
  EXPECT_EQ(png_structures(), before);
  {
    const NoPngInfo none;
    EXPECT_THROW(read_png(image), std::bad_alloc);
    EXPECT_THROW(write_png(OutputFile(path("new.png")), gradient(2, 2, 8)), std::bad_alloc);
  }
  EXPECT_EQ(png_structures(), before);
  EXPECT_EQ(files_in_folder(), 1u);
  EXPECT_EQ(read_png(image).pixels, gradient(2000, 2000, 8).pixels);
  EXPECT_EQ(png_structures(), before);
}

TEST_F(Png, ImagesThatCannotBeWrittenAreRefused) {
  const OutputFile output(path("out.png"));
  EXPECT_THROW(write_png(output, GrayImage{2, 2, 8, {1, 2, 3}}), std::invalid_argument);
  EXPECT_THROW(write_png(output, ColorImage{1, 2, {1, 2, 3}}), std::invalid_argument);
  EXPECT_THROW(write_png(output, GrayImage{}), std::invalid_argument);
  const GrayImage one{1, 1, 8, {1}}, deep{1, 1, 16, {1}};
  EXPECT_THROW(write_png_channels(output, {}), std::invalid_argument);
  EXPECT_THROW(write_png_channels(output, {one, one}), std::invalid_argument);
  EXPECT_THROW(write_png_channels(output, {one, one, deep}), std::invalid_argument);
  EXPECT_THROW(write_png(output, gradient((1 << 20) + 1, 1, 8)), std::invalid_argument);
  EXPECT_EQ(files_in_folder(), 0u);
}

TEST_F(Png, AnImageThatClaimsToBeHugeIsRefused) {
  std::string bytes = read_bytes(written("whole.png", gradient(20, 20, 8)));
  bytes[16] = 0x7f;  // the highest byte of the width; the checksum of the header is wrong as well
  const auto huge = file("huge.png", bytes);
  expect_file_error([&] { read_png(huge); }, huge, "damaged PNG image");
}

TEST_F(Png, OtherFilesAreRefused) {
  const auto text = file("text.png", "This is not a picture at all.");
  expect_file_error([&] { read_png(text); }, text, "is not a PNG image");
  const auto empty = file("empty.png", "");
  expect_file_error([&] { read_png(empty); }, empty, "is not a PNG image");
  expect_file_error([&] { read_png(path("none.png")); }, path("none.png"), "cannot be read");
  expect_file_error([&] { read_png(path("")); }, path(""), "is a directory");
}

}  // namespace
