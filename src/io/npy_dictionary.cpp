// SPDX-License-Identifier: Apache-2.0
#include "npy_dictionary.hpp"

#include <algorithm>
#include <charconv>

#include "number.hpp"
#include "tally/error.hpp"

namespace tally::io {
namespace {

// Reads what NumPy writes: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, the keys in
// any order, and nothing else.
class dictionary_parser {
 public:
  dictionary_parser(std::string const& name, std::string_view text) : name_(name), rest_(text) {}

  npy_dictionary parse() {
    npy_dictionary result;
    expect('{');
    while (!accept('}')) {
      auto const key = string();
      expect(':');
      if (key == "descr" && !result.descr)
        result.descr = descr();
      else if (key == "fortran_order" && !result.fortran_order)
        result.fortran_order = boolean();
      else if (key == "shape" && !result.shape)
        result.shape = shape();
      else
        fail("has an unknown or repeated key " + quoted(key));
      if (!accept(',')) expect('}', false);
    }
    skip_space();
    if (!rest_.empty()) fail("goes on after its end: " + quoted(rest_));
    if (!result.descr) fail("lacks the key 'descr'");
    if (!result.fortran_order) fail("lacks the key 'fortran_order'");
    if (!result.shape) fail("lacks the key 'shape'");
    return result;
  }

 private:
  [[noreturn]] void fail(std::string const& problem) const {
    throw error(name_ + ": the .npy header " + problem);
  }

  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  bool accept(char c, bool take = true) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(take);
    return true;
  }

  void expect(char c, bool take = true) {
    if (!accept(c, take))
      fail(std::string("is malformed: expected '") + c + "' before " + quoted(rest_));
  }

  std::string string() {
    char const quote = accept('"', false) ? '"' : '\'';
    expect(quote);
    auto const length = rest_.find(quote);
    if (length == rest_.npos) fail("has a string without an end: " + quoted(rest_));
    std::string const text(rest_.substr(0, length));
    rest_.remove_prefix(length + 1);
    return text;
  }

  std::string descr() {
    if (accept('[', false)) fail("says structured elements, which are not supported");
    return string();
  }

  bool boolean() {
    skip_space();
    bool const value = rest_.starts_with("True");
    if (!value && !rest_.starts_with("False"))
      fail("is malformed: expected True or False before " + quoted(rest_));
    rest_.remove_prefix(value ? 4 : 5);
    return value;
  }

  // (), (3,), (3, 4) and so on; files from Python 2 may say 3L.
  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> lengths;
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail("is malformed: expected ',' or ')' before " + quoted(rest_));
      std::uint64_t length;
      auto const [end, code] = std::from_chars(rest_.begin(), rest_.end(), length);
      if (code != std::errc{})
        fail("has a shape that is not made of 64-bit lengths: " + quoted(rest_));
      rest_.remove_prefix(end - rest_.begin());
      if (rest_.starts_with('L')) rest_.remove_prefix(1);
      lengths.push_back(length);
      comma = accept(',');
    }
    if (lengths.size() == 1 && !comma) fail("has a shape that is not a tuple");
    return lengths;
  }

  std::string const& name_;
  std::string_view rest_;
};

}  // namespace

npy_dictionary parse_npy_dictionary(std::string const& name, std::string_view text) {
  return dictionary_parser(name, text).parse();
}

}  // namespace tally::io
