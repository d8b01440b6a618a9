// SPDX-License-Identifier: Apache-2.0
//
// What the decoders of gzip, bzip2 and xz have in common: streams one behind the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include "compressed.hpp"

namespace tally::io {

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

}  // namespace tally::io
