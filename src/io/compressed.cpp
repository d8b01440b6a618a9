// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tally/cpu/threads.hpp"

namespace tally::io {
namespace {

// What gzip, bzip2 and xz have in common: streams one behind the other.
// A Codec is at the beginning of a stream when it is made, and behind begin(). Its decode() takes
// bytes from the front of `in` and of `out`, as many as it has read and written, and returns
// whether the stream has ended. Behind it there may be zeros, a multiple of `padding`, and another,
// whose `first` byte is this.
template <class Codec>
class stream_decoder final : public decoder {
 public:
  std::size_t decode(std::span<char const>& in, std::span<char> out) override {
    auto rest = out;
    // Some output may be left in the codec when the input is at its end.
    do {
      if (ended_ && !begin_another(in)) break;
      ended_ = decode_some(in, rest);
    } while (rest.size() == out.size() && !in.empty());
    return out.size() - rest.size();
  }

  bool is_complete() const override { return ended_ && zeros_ % Codec::padding == 0; }

 private:
  bool decode_some(std::span<char const>& in, std::span<char>& out) {
    if (is_first_) return codec_.decode(in, out);
    try {
      return codec_.decode(in, out);
    } catch (std::runtime_error const&) {
      throw std::runtime_error(wrong_behind);
    }
  }
  // Behind zeros, with which tapes and disks fill up their blocks.
  bool begin_another(std::span<char const>& in) {
    for (; !in.empty() && in.front() == 0; ++zeros_) in = in.subspan(1);
    if (in.empty()) return false;
    if (std::exchange(zeros_, 0) % Codec::padding != 0) throw std::runtime_error(damaged);
    if (in.front() != Codec::first) throw std::runtime_error(wrong_behind);
    codec_.begin();
    is_first_ = false;
    return true;
  }

  static constexpr char wrong_behind[] =
      "is damaged, or what follows what is compressed is not compressed";

  Codec codec_;
  bool ended_ = false, is_first_ = true;
  std::uint64_t zeros_ = 0;  // behind the stream before
};

// Has `run` work with a library's stream of this form, from `in` to `out`.
template <class Stream, class Run>
auto run_codec(Stream& stream, std::span<char const>& in, std::span<char>& out, Run run) {
  using count = decltype(stream.avail_in);
  auto const fitting = [](std::size_t bytes) {
    return count(std::min<std::size_t>(bytes, std::numeric_limits<count>::max()));
  };
  auto const given = fitting(in.size()), room = fitting(out.size());
  stream.next_in = reinterpret_cast<decltype(stream.next_in)>(const_cast<char*>(in.data()));
  stream.avail_in = given;
  stream.next_out = reinterpret_cast<decltype(stream.next_out)>(out.data());
  stream.avail_out = room;
  auto const result = run();
  in = in.subspan(given - stream.avail_in);
  out = out.subspan(room - stream.avail_out);
  return result;
}

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

bool is_bzip2(std::string_view beginning) {
  constexpr std::string_view block = "1AY&SY", end = "\x17\x72\x45\x38\x50\x90";
  if (!beginning.starts_with("BZh") || beginning.size() < 4) return false;
  auto const next = beginning.substr(4, block.size());
  return beginning[3] >= '1' && beginning[3] <= '9' &&
         (block.starts_with(next) || end.starts_with(next));
}

}  // namespace

std::unique_ptr<decoder> decoder_for(std::string_view beginning) {
  if (beginning.starts_with("\x1f\x8b")) return std::make_unique<stream_decoder<zlib_codec>>();
  if (is_zstd(beginning)) return std::make_unique<zstd_decoder>();
  if (is_bzip2(beginning)) return std::make_unique<stream_decoder<bzip2_codec>>();
  if (beginning.starts_with(std::string_view("\3757zXZ\0", 6)))
    return std::make_unique<stream_decoder<xz_codec>>();
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
