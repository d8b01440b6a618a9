// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "tally/error.hpp"

namespace tally::io {

reader::reader(input_file file, std::size_t chunk) : file_(std::move(file)), chunk_(chunk) {}

std::string_view reader::peek(std::size_t n) {
  while (end_ - begin_ < n && read_on(n - (end_ - begin_))) continue;
  return unread().substr(0, n);
}

bool reader::read_on(std::size_t most) {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= std::exchange(begin_, 0);
  if (buffer_.size() < end_ + most) buffer_.resize(end_ + most);
  auto const got = read({buffer_.data() + end_, most});
  end_ += got;
  return got > 0;
}

void reader::decode(std::unique_ptr<decoder> by) {
  decoder_ = std::move(by);
  encoded_.assign(unread().begin(), unread().end());
  encoded_rest_ = encoded_;
  begin_ = end_ = 0;
}

mapping reader::keep_rest() {
  constexpr std::size_t little = std::size_t(16) << 20;
  if (auto const text = peek(little + 1); text.size() <= little) {
    auto const copy = std::make_shared<std::string>(text);
    take(text.size());
    return {{copy, reinterpret_cast<std::byte const*>(copy->data())}, copy->size()};
  }
  temporary_file copy;
  for (auto text = peek(buffer_bytes); !text.empty(); text = peek(buffer_bytes)) {
    copy.write(std::as_bytes(std::span(text)));
    take(text.size());
  }
  return copy.map();
}

std::size_t reader::read(std::span<char> into) {
  if (!decoder_) return file_.read(into);
  for (;;) {
    try {
      if (auto const got = decoder_->decode(encoded_rest_, into)) return got;
    } catch (std::runtime_error const& e) {
      throw error(name() + ": " + e.what());
    }
    encoded_.resize(buffer_bytes);
    auto const got = file_.read(encoded_);
    encoded_rest_ = std::span(encoded_).first(got);
    if (got > 0) continue;
    if (!decoder_->is_complete()) throw error(name() + ": ends in the midst of what is compressed");
    return 0;
  }
}

}  // namespace tally::io
