// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "WaveScanIO_Gzip.hpp"

#include <utility>

#include "WaveScanIO_Error.hpp"

#if defined(WAVESCANIO_HAS_ZLIB)
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <vector>
#endif

namespace wavescan_io {
namespace {

bool is_compressed(const std::string& bytes) { return bytes.rfind("\x1f\x8b", 0) == 0; }

#if defined(WAVESCANIO_HAS_ZLIB)
class Inflater {
 public:
  explicit Inflater(const std::filesystem::path& file) : file_(file) {
    constexpr int gzip_only = 15 + 16;
    if (inflateInit2(&stream_, gzip_only) != Z_OK)
      throw FileError(file_, "cannot be decompressed: no memory");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::string run(std::string& bytes) {
    std::string result;
    std::vector<char> buffer(std::size_t{1} << 18);
    std::size_t taken = 0;
    for (bool at_end = false; !(at_end && taken == bytes.size());) {
      const std::size_t given =
          std::min<std::size_t>(bytes.size() - taken, std::numeric_limits<unsigned>::max());
      stream_.next_in = reinterpret_cast<Bytef*>(bytes.data() + taken);
      stream_.avail_in = static_cast<unsigned>(given);
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<unsigned>(buffer.size());
      if (at_end) inflateReset(&stream_);  // another part
      const int state = inflate(&stream_, Z_NO_FLUSH);
      taken += given - stream_.avail_in;
      result.append(buffer.data(), buffer.size() - stream_.avail_out);
      if (state == Z_BUF_ERROR) throw FileError(file_, "is cut off: compressed data have no end");
      if (state != Z_OK && state != Z_STREAM_END)
        throw FileError(file_, "is damaged: compressed data make no sense");
      at_end = state == Z_STREAM_END;
    }
    return result;
  }

 private:
  const std::filesystem::path& file_;
  z_stream stream_{};
};
#endif

}  // namespace

std::string gunzipped(const std::filesystem::path& file, std::string bytes) {
  if (!is_compressed(bytes)) return bytes;
#if defined(WAVESCANIO_HAS_ZLIB)
  return Inflater(file).run(bytes);
#else
  throw FileError(file, "is compressed by gzip, and this program was built without zlib");
#endif
}

}  // namespace wavescan_io
