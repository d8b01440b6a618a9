// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include <cstring>
#include <utility>

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
  auto const got = file_.read({buffer_.data() + end_, most});
  end_ += got;
  return got > 0;
}

}  // namespace tally::io
