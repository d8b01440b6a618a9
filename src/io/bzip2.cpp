// SPDX-License-Identifier: Apache-2.0
#include <bzlib.h>

#include <new>
#include <stdexcept>

#include "stream_decoder.hpp"

namespace tally::io {
namespace {

class bzip2_codec {
 public:
  static constexpr int padding = 1;
  static constexpr char first = 'B';

  bzip2_codec() { begin(); }
  ~bzip2_codec() { BZ2_bzDecompressEnd(&stream_); }
  bzip2_codec(bzip2_codec const&) = delete;

  void begin() {
    BZ2_bzDecompressEnd(&stream_);  // of no stream it does nothing
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  bool decode(std::span<char const>& in, std::span<char>& out) {
    auto const result = run_codec(stream_, in, out, [this] { return BZ2_bzDecompress(&stream_); });
    if (result == BZ_MEM_ERROR) throw std::bad_alloc();
    if (result != BZ_OK && result != BZ_STREAM_END) throw std::runtime_error(damaged);
    return result == BZ_STREAM_END;
  }

 private:
  bz_stream stream_{};
};

}  // namespace

bool is_bzip2(std::string_view beginning) {
  constexpr std::string_view block = "1AY&SY", end = "\x17\x72\x45\x38\x50\x90";
  if (!beginning.starts_with("BZh") || beginning.size() < 4) return false;
  auto const next = beginning.substr(4, block.size());
  return beginning[3] >= '1' && beginning[3] <= '9' &&
         (block.starts_with(next) || end.starts_with(next));
}

std::unique_ptr<decoder> decode_bzip2() { return std::make_unique<stream_decoder<bzip2_codec>>(); }

}  // namespace tally::io
