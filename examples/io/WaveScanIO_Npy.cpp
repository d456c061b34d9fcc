// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "WaveScanIO_Npy.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <ostream>
#include <string_view>
#include <type_traits>
#include <utility>

#include "WaveScanIO_Error.hpp"

// The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
namespace wavescan_io {
namespace {

static_assert(std::endian::native == std::endian::little, "big-endian machines are not supported");

constexpr std::string_view magic("\x93NUMPY", 6);

// "<f8" and "float64" for double, and so on.
template <class T>
std::string descriptor() {
  const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  return std::string(1, sizeof(T) == 1 ? '|' : '<') + kind + std::to_string(sizeof(T));
}
template <class T>
std::string name() {
  const char* kind = std::is_floating_point_v<T> ? "float" : std::is_signed_v<T> ? "int" : "uint";
  return kind + std::to_string(8 * sizeof(T));
}

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

[[noreturn]] void fail_on_header(const std::filesystem::path& file) {
  throw FileError(file, "has a damaged .npy header");
}

// The header is a Python dictionary literal with three keys, in any order.
class HeaderParser {
 public:
  HeaderParser(const std::filesystem::path& file, std::string_view text)
      : file_(file), rest_(text) {}

  Header parse() {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::size_t>> shape;
    expect('{');
    while (!accept('}')) {
      const std::string key = parse_string();
      expect(':');
      if (key == "descr" && !descr)
        descr = parse_descr();
      else if (key == "fortran_order" && !fortran_order)
        fortran_order = parse_bool();
      else if (key == "shape" && !shape)
        shape = parse_shape();
      else
        fail();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_blanks();
    if (!rest_.empty() || !descr || !fortran_order || !shape) fail();
    return {*descr, *fortran_order, *shape};
  }

 private:
  [[noreturn]] void fail() const { fail_on_header(file_); }

  void skip_blanks() {
    const auto start = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
  }
  bool accept(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool accept(char token) { return accept(std::string_view(&token, 1)); }
  void expect(char token) {
    if (!accept(token)) fail();
  }

  std::string parse_string() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect(quote);
    const auto end = rest_.find(quote);
    if (end == std::string_view::npos) fail();
    const std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::string parse_descr() {
    if (accept('['))
      throw FileError(file_, "has a structured type; only plain numbers are supported");
    return parse_string();
  }
  bool parse_bool() {
    if (accept("True")) return true;
    if (!accept("False")) fail();
    return false;
  }
  std::vector<std::size_t> parse_shape() {
    std::vector<std::size_t> extents;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      const auto [end, error] =
          std::from_chars(rest_.data(), rest_.data() + rest_.size(), extents.emplace_back());
      if (error != std::errc{}) fail();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (accept(',')) continue;
      expect(')');
      break;
    }
    return extents;
  }

  const std::filesystem::path& file_;
  std::string_view rest_;
};

// Entries of an array. As numpy does, refuses extents whose product would be too many bytes even
// where another extent of 0 leaves nothing.
std::size_t count_of(const std::filesystem::path& file, const std::vector<std::size_t>& shape,
                     std::size_t entry_bytes) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  std::size_t count = 1, most_entries = most / entry_bytes;
  for (const std::size_t extent : shape) {
    if (extent > most_entries) fail_on_header(file);
    if (extent > 1) most_entries /= extent;
    count *= extent;
  }
  return count;
}

template <class T>
void transpose(std::vector<T>& entries, std::size_t rows, std::size_t columns) {
  std::vector<T> result(entries.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) result[i * columns + j] = entries[j * rows + i];
  entries = std::move(result);
}

// Gives the array the type that the descriptor names; false if none does.
bool choose_type(const std::string& descr, NpyArray& array) {
  array.is_bool = descr == "?" || (descr.size() == 3 && descr.ends_with("b1"));
  const auto wanted = array.is_bool ? descriptor<std::uint8_t>() : descr;
  return [&]<std::size_t... K>(std::index_sequence<K...>) {
    const auto try_type = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
      using T = typename std::variant_alternative_t<I, NpyArray::Entries>::value_type;
      // Single bytes have no order, and some writers say '<' or '=' for them all the same.
      const bool same = descriptor<T>().substr(1) == wanted.substr(wanted.empty() ? 0 : 1) &&
                        (wanted[0] == '<' || wanted[0] == '=' || sizeof(T) == 1);
      if (same) array.entries.emplace<I>();
      return same;
    };
    return (try_type(std::integral_constant<std::size_t, K>{}) || ...);
  }
  (std::make_index_sequence<std::variant_size_v<NpyArray::Entries>>{});
}

}  // namespace

std::string NpyArray::type_name() const {
  if (is_bool) return "bool";
  return std::visit([]<class T>(const std::vector<T>&) { return name<T>(); }, entries);
}

NpyArray read_npy(const std::filesystem::path& file) {
  const std::string bytes = read_bytes(file);
  const std::string_view all(bytes);
  if (!all.starts_with(magic)) throw FileError(file, "is not a .npy file");
  const auto byte_at = [&](std::size_t k) -> std::size_t {
    if (k >= all.size()) throw FileError(file, "ends inside its .npy header");
    return static_cast<unsigned char>(all[k]);
  };
  const std::size_t version = byte_at(6);
  if (version != 1 && version != 2)
    throw FileError(
        file, "has .npy format " + std::to_string(version) + ", supported are formats 1 and 2");
  std::size_t start = version == 1 ? 10 : 12;
  std::size_t header_length = byte_at(8) | byte_at(9) << 8;
  if (version == 2) header_length |= byte_at(10) << 16 | byte_at(11) << 24;
  if (header_length > all.size() - start) throw FileError(file, "ends inside its .npy header");
  const Header header = HeaderParser(file, all.substr(start, header_length)).parse();
  start += header_length;

  NpyArray array;
  const std::string& descr = header.descr;
  if (descr.starts_with('>') && !descr.ends_with('1'))
    throw FileError(file,
                    "holds big-endian numbers ('" + descr + "'), expected little-endian ones");
  if (!choose_type(descr, array))
    throw FileError(file, "holds entries of type '" + descr +
                              "', expected float32, float64, bool or an integer of 8 to 64 bits");
  array.shape = header.shape;
  if (array.shape.size() != 1 && array.shape.size() != 2)
    throw FileError(file, "has rank " + std::to_string(array.shape.size()) + ", expected 1 or 2");

  std::visit(
      [&]<class T>(std::vector<T>& entries) {
        const std::size_t count = count_of(file, array.shape, sizeof(T));
        const std::size_t expected = count * sizeof(T), found = all.size() - start;
        if (expected != found)
          throw FileError(file, "holds " + std::to_string(found) + " bytes of data, expected " +
                                    std::to_string(expected));
        if (count == 0) return;
        entries.resize(count);
        std::memcpy(entries.data(), all.data() + start, expected);
        if (array.is_bool)
          for (T& entry : entries) entry = T(entry != T(0));
        if (header.fortran_order && array.shape.size() == 2)
          transpose(entries, array.shape[0], array.shape[1]);
      },
      array.entries);
  return array;
}

void write_npy(const OutputFile& file, const NpyArray& array) {
  std::visit(
      [&]<class T>(const std::vector<T>& entries) {
        std::string shape;
        for (const std::size_t extent : array.shape)
          shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
        if (array.shape.size() == 1) shape += ',';
        std::string header = "{'descr': '" + (array.is_bool ? "|b1" : descriptor<T>()) +
                             "', 'fortran_order': False, 'shape': (" + shape + "), }";
        // Data starts at a multiple of 64 bytes; the header ends with a newline.
        constexpr std::size_t alignment = 64, prefix = 10;
        header.append(alignment - 1 - (prefix + header.size()) % alignment, ' ');
        header += '\n';
        file.write([&](std::ostream& stream) {
          stream << magic << '\x01' << '\x00' << static_cast<char>(header.size() & 0xff)
                 << static_cast<char>(header.size() >> 8) << header;
          stream.write(reinterpret_cast<const char*>(entries.data()),
                       static_cast<std::streamsize>(entries.size() * sizeof(T)));
        });
      },
      array.entries);
}

}  // namespace wavescan_io
