// SPDX-License-Identifier: Apache-2.0
#include <lzma.h>

#include <new>
#include <stdexcept>

#include "stream_decoder.hpp"

namespace tally::io {
namespace {

constexpr std::uint64_t most_memory = std::uint64_t(128) << 20;

class xz_codec {
 public:
  static constexpr int padding = 4;
  static constexpr char first = '\xfd';

  xz_codec() { begin(); }
  ~xz_codec() { lzma_end(&stream_); }
  xz_codec(xz_codec const&) = delete;

  void begin() {
    if (lzma_stream_decoder(&stream_, most_memory, LZMA_TELL_UNSUPPORTED_CHECK) != LZMA_OK)
      throw std::bad_alloc();
  }

  bool decode(std::span<char const>& in, std::span<char>& out) {
    switch (run_codec(stream_, in, out, [this] { return lzma_code(&stream_, LZMA_RUN); })) {
      case LZMA_OK:
      case LZMA_BUF_ERROR: return false;  // which says that it waits for input
      case LZMA_STREAM_END: return true;
      case LZMA_MEM_ERROR: throw std::bad_alloc();
      case LZMA_MEMLIMIT_ERROR:
        throw std::runtime_error("needs more than 128 MiB of memory; xz -dc unpacks it");
      case LZMA_UNSUPPORTED_CHECK:
      case LZMA_OPTIONS_ERROR:
        throw std::runtime_error("is compressed by xz in a way that this liblzma does not know");
      default: throw std::runtime_error(damaged);
    }
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

std::unique_ptr<decoder> decode_xz() { return std::make_unique<stream_decoder<xz_codec>>(); }

}  // namespace tally::io
