// SPDX-License-Identifier: Apache-2.0
#include "compressed.hpp"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <vector>

#include "stream_decoder.hpp"
#include "tally/cpu/threads.hpp"

namespace tally::io {
namespace {

class zlib_codec {
 public:
  static constexpr int padding = 1;
  static constexpr char first = '\x1f';

  explicit zlib_codec(int window_bits = MAX_WBITS + with_gzip_header) {
    if (inflateInit2(&stream_, window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~zlib_codec() { inflateEnd(&stream_); }
  zlib_codec(zlib_codec const&) = delete;

  void begin() { inflateReset(&stream_); }

  bool decode(std::span<char const>& in, std::span<char>& out) {
    auto const result =
        run_codec(stream_, in, out, [this] { return inflate(&stream_, Z_NO_FLUSH); });
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK && result != Z_BUF_ERROR && result != Z_STREAM_END)
      throw std::runtime_error(damaged);
    return result == Z_STREAM_END;
  }

 private:
  static constexpr int with_gzip_header = 16;
  z_stream stream_{};
};

// One file without a header, and of this CRC-32.
class deflate_decoder final : public decoder {
 public:
  explicit deflate_decoder(std::uint32_t crc) : expected_(crc) {}

  std::size_t decode(std::span<char const>& in, std::span<char> out) override {
    auto rest = out;
    while (!ended_ && rest.size() == out.size()) {
      auto const before = in.size();
      ended_ = codec_.decode(in, rest);
      if (in.size() == before && !ended_ && rest.size() == out.size()) break;
    }
    auto const put = out.first(out.size() - rest.size());
    crc_ = ::crc32_z(crc_, reinterpret_cast<Bytef const*>(put.data()), put.size());
    if (ended_ && crc_ != expected_) throw std::runtime_error(wrong_crc);
    return put.size();
  }

  bool is_complete() const override { return ended_; }

 private:
  zlib_codec codec_{-MAX_WBITS};
  std::uint32_t expected_;
  uLong crc_ = 0;
  bool ended_ = false;
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
      if (ZSTD_isError(hint)) fail(ZSTD_getErrorCode(hint));
      if (from.pos == before && to.pos == 0) break;
      complete_ = hint == 0;
    } while (to.pos == 0);
    in = in.subspan(from.pos);
    return to.pos;
  }

  bool is_complete() const override { return complete_; }

 private:
  [[noreturn]] static void fail(ZSTD_ErrorCode code) {
    throw std::runtime_error(
        code == ZSTD_error_frameParameter_windowTooLarge
            ? "is compressed with a window of more than 128 MiB; zstd -d --long=31 unpacks it"
            : damaged);
  }

  ZSTD_DStream* stream_;
  bool complete_ = false;
};

// A frame, or one that is to be skipped.
bool is_zstd(std::string_view beginning) {
  if (beginning.starts_with("\x28\xb5\x2f\xfd")) return true;
  return !beginning.empty() && (beginning[0] & 0xf0) == 0x50 &&
         beginning.substr(1).starts_with("\x2a\x4d\x18");
}

}  // namespace

std::unique_ptr<decoder> decoder_for(std::string_view beginning) {
  if (beginning.starts_with("\x1f\x8b")) return std::make_unique<stream_decoder<zlib_codec>>();
  if (is_zstd(beginning)) return std::make_unique<zstd_decoder>();
  if (is_bzip2(beginning)) return decode_bzip2();
  if (beginning.starts_with(std::string_view("\3757zXZ\0", 6))) return decode_xz();
  return nullptr;
}

std::unique_ptr<decoder> decode_deflate(std::uint32_t crc) {
  return std::make_unique<deflate_decoder>(crc);
}

std::uint32_t crc_of(std::span<std::byte const> bytes, cpu where) {
  auto const count = (bytes.size() + buffer_bytes - 1) / buffer_bytes;
  auto const part = [&](std::size_t i) {
    auto const rest = bytes.subspan(i * buffer_bytes);
    return rest.first(std::min(rest.size(), buffer_bytes));
  };
  std::vector<uLong> of_part(count);
  tally::detail::parallel_for(tally::detail::thread_count(where), count, [&](std::size_t i) {
    auto const here = part(i);
    of_part[i] = ::crc32(0, reinterpret_cast<Bytef const*>(here.data()), uInt(here.size()));
  });
  uLong all = 0;
  for (std::size_t i = 0; i < count; ++i)
    all = crc32_combine(all, of_part[i], z_off_t(part(i).size()));
  return std::uint32_t(all);
}

}  // namespace tally::io
