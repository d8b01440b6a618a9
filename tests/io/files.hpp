// SPDX-License-Identifier: Apache-2.0
//
// What the tests of files share: a folder that goes away, and arrays read in pieces.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tally/error.hpp"
#include "tally/io/source.hpp"

namespace tally::io::test {

class folder {
 public:
  folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tally-io-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~folder() { std::filesystem::remove_all(path_); }

  std::string path(std::string const& name) const { return (path_ / name).string(); }

  std::string write(std::string const& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  std::size_t entries() const {
    return std::distance(std::filesystem::directory_iterator(path_), {});
  }

 private:
  std::filesystem::path path_;
};

// A FIFO that a thread fills.
class fifo {
 public:
  fifo(folder const& in, std::string const& name, std::string bytes) : path_(in.path(name)) {
    ::mkfifo(path_.c_str(), 0600);
    writer_ = std::thread([this, bytes] { std::ofstream(path_, std::ios::binary) << bytes; });
  }
  ~fifo() { writer_.join(); }
  std::string const& path() const { return path_; }

 private:
  std::string path_;
  std::thread writer_;
};

inline std::string contents(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class T>
std::string bytes_of(std::vector<T> const& values) {
  return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}

// All elements, taken `most` bytes at a time; checks what next() promises.
template <class T>
std::vector<T> read_all(source& in, std::size_t most = 1 << 20) {
  std::vector<T> values;
  if (in.settled() && in.type() != dtype_of<T>) throw error("read_all: another type");
  for (;;) {
    auto const bytes = in.next(most);
    if (bytes.empty()) break;
    if (in.type() != dtype_of<T>) throw error("read_all: another type");
    if (bytes.size() > std::max(most, sizeof(T)) || bytes.size() % sizeof(T) != 0 ||
        reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(T) != 0)
      throw error("read_all: a bad span");
    auto const n = values.size();
    values.resize(n + bytes.size() / sizeof(T));
    std::memcpy(values.data() + n, bytes.data(), bytes.size());
  }
  if (in.count() != values.size()) throw error("read_all: another count");
  return values;
}

template <class T>
std::vector<T> read_all(std::string const& path, open_options const& options = {},
                        std::size_t most = 1 << 20) {
  return read_all<T>(*open(path, options), most);
}

// The message of the tally::error that f() throws, which must be one line.
template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (error const& e) {
    std::string const text = e.what();
    return text.find('\n') == text.npos ? text : "more than one line: " + text;
  }
  return "no error";
}

// Of opening and reading the whole.
inline std::string read_error(std::string const& path, open_options const& options = {}) {
  return message_of([&] {
    auto const in = open(path, options);
    while (!in->next(1 << 20).empty()) continue;
  });
}

}  // namespace tally::io::test
