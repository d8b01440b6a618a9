// SPDX-License-Identifier: Apache-2.0
#include "compressed.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace tally::io {
namespace {

uInt count_of(std::size_t bytes) {
  return uInt(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

class zlib_decoder final : public decoder {
 public:
  zlib_decoder(int window_bits, bool several) : several_(several) {
    if (inflateInit2(&stream_, window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~zlib_decoder() override { inflateEnd(&stream_); }
  zlib_decoder(zlib_decoder const&) = delete;

  std::size_t decode(std::span<char const>& in, std::span<char> out) override {
    auto const most = count_of(out.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = most;
    // Some output may be left in the stream when the input is at its end.
    do {
      if (ended_ && (in.empty() || !begin_another())) break;
      auto const given = count_of(in.size());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
      stream_.avail_in = given;
      int const result = inflate(&stream_, Z_NO_FLUSH);
      in = in.subspan(given - stream_.avail_in);
      ended_ = result == Z_STREAM_END;
      if (!ended_ && result != Z_OK && result != Z_BUF_ERROR)
        throw std::runtime_error("what is compressed is damaged");
    } while (stream_.avail_out == most && !in.empty());
    return most - stream_.avail_out;
  }

  bool is_complete() const override { return ended_; }

 private:
  bool begin_another() {
    if (!several_) return false;
    inflateReset(&stream_);
    ended_ = false;
    return true;
  }

  z_stream stream_{};
  bool several_, ended_ = false;
};

class zstd_decoder final : public decoder {
 public:
  zstd_decoder() : stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }
  ~zstd_decoder() override { ZSTD_freeDStream(stream_); }
  zstd_decoder(zstd_decoder const&) = delete;

  std::size_t decode(std::span<char const>& in, std::span<char> out) override {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    do {
      auto const before = from.pos;
      auto const hint = ZSTD_decompressStream(stream_, &to, &from);
      if (ZSTD_isError(hint)) throw std::runtime_error("what is compressed is damaged");
      if (from.pos == before && to.pos == 0) break;
      complete_ = hint == 0;
    } while (to.pos == 0);
    in = in.subspan(from.pos);
    return to.pos;
  }

  bool is_complete() const override { return complete_; }

 private:
  ZSTD_DStream* stream_;
  bool complete_ = false;
};

}  // namespace

std::unique_ptr<decoder> decode_gzip() {
  constexpr int with_gzip_header = 16;
  return std::make_unique<zlib_decoder>(MAX_WBITS + with_gzip_header, true);
}
std::unique_ptr<decoder> decode_zstd() { return std::make_unique<zstd_decoder>(); }
std::unique_ptr<decoder> decode_deflate() {
  return std::make_unique<zlib_decoder>(-MAX_WBITS, false);
}

}  // namespace tally::io
