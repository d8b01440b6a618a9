// SPDX-License-Identifier: Apache-2.0
#include "compressed.hpp"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "tally/cpu/threads.hpp"

namespace tally::io {
namespace {

uInt count_of(std::size_t bytes) {
  return uInt(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

class zlib_decoder final : public decoder {
 public:
  // Of several files one behind the other, or of one with this CRC-32.
  zlib_decoder(int window_bits, std::optional<std::uint32_t> crc) : expected_(crc) {
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
      if (ended_ && !begin_another(in)) break;
      auto const given = count_of(in.size());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
      stream_.avail_in = given;
      int const result = inflate(&stream_, Z_NO_FLUSH);
      in = in.subspan(given - stream_.avail_in);
      ended_ = result == Z_STREAM_END;
      if (!ended_ && result != Z_OK && result != Z_BUF_ERROR)
        throw std::runtime_error("what is compressed is damaged");
    } while (stream_.avail_out == most && !in.empty());
    auto const put = most - stream_.avail_out;
    if (expected_) check(out.first(put));
    return put;
  }

  bool is_complete() const override { return ended_; }

 private:
  // Behind zeros, with which tapes and disks fill up their blocks.
  bool begin_another(std::span<char const>& in) {
    if (expected_) return false;
    while (!in.empty() && in.front() == 0) in = in.subspan(1);
    if (in.empty()) return false;
    inflateReset(&stream_);
    ended_ = false;
    return true;
  }

  void check(std::span<char const> out) {
    crc_ = ::crc32(crc_, reinterpret_cast<Bytef const*>(out.data()), uInt(out.size()));
    if (ended_ && crc_ != *expected_) throw std::runtime_error(wrong_crc);
  }

  z_stream stream_{};
  std::optional<std::uint32_t> expected_;
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
            : "what is compressed is damaged");
  }

  ZSTD_DStream* stream_;
  bool complete_ = false;
};

}  // namespace

bool is_zstd(std::string_view beginning) {
  if (beginning.starts_with(zstd_magic)) return true;
  return !beginning.empty() && (beginning[0] & 0xf0) == 0x50 &&
         beginning.substr(1).starts_with("\x2a\x4d\x18");
}

std::unique_ptr<decoder> decode_gzip() {
  constexpr int with_gzip_header = 16;
  return std::make_unique<zlib_decoder>(MAX_WBITS + with_gzip_header, std::nullopt);
}
std::unique_ptr<decoder> decode_zstd() { return std::make_unique<zstd_decoder>(); }
std::unique_ptr<decoder> decode_deflate(std::uint32_t crc) {
  return std::make_unique<zlib_decoder>(-MAX_WBITS, crc);
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
