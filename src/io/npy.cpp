// SPDX-License-Identifier: Apache-2.0
//
// The .npy format, versions 1.0 to 3.0: magic, version, the length of a Python dictionary, the
// dictionary, the elements.
#include <algorithm>
#include <bit>
#include <charconv>
#include <string>
#include <utility>

#include "formats.hpp"
#include "number.hpp"
#include "tally/error.hpp"
#include "tally/io/output.hpp"

namespace tally::io {
namespace {

// What the header of a .npy file says, a Python dictionary with exactly these keys.
struct npy_dictionary {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

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

// The dictionary's text, taken from the input together with what stands before it.
std::string take_header(reader& input) {
  auto const fail_truncated = [&](std::size_t expected, std::size_t found) {
    throw error(input.name() + ": truncated .npy header: expected " + std::to_string(expected) +
                " bytes, found " + std::to_string(found));
  };
  auto const version = npy_magic.size();
  auto head = input.peek(version + 2);
  if (head.size() < version + 2) fail_truncated(version + 2, head.size());
  auto const byte = [&](std::size_t i) { return (unsigned char)head[i]; };
  int const major = byte(version), minor = byte(version + 1);
  if (major < 1 || major > 3 || minor != 0)
    throw error(input.name() + ": .npy version " + std::to_string(major) + "." +
                std::to_string(minor) + " is not supported; 1.0, 2.0 and 3.0 are");
  std::size_t const prefix = version + 2 + (major == 1 ? 2 : 4);
  head = input.peek(prefix);
  if (head.size() < prefix) fail_truncated(prefix, head.size());
  std::size_t length = 0;
  for (auto i = prefix; i-- > version + 2;) length = length << 8 | byte(i);
  if (length > longest_header)
    throw error(input.name() + ": the .npy header says that it has " + std::to_string(length) +
                " bytes; at most " + std::to_string(longest_header) + " are read");
  head = input.peek(prefix + length);
  if (head.size() < prefix + length) fail_truncated(prefix + length, head.size());
  std::string text(head.substr(prefix));
  input.take(head.size());
  return text;
}

constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';

// In the order of `dtype`, without the byte order.
constexpr std::string_view codes[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2",
                                      "u4", "u8", "f2", "V2", "f4", "f8"};

struct element_format {
  dtype type;
  bool swapped;
};

element_format parse_descr(std::string const& name, std::string const& descr,
                           std::optional<dtype> wanted) {
  auto const fail = [&](std::string const& problem) {
    throw error(name + ": the .npy header says elements " + quoted(descr) + ": " + problem);
  };
  char const order = descr.empty() ? ' ' : descr[0];
  auto const code = std::string_view(descr).substr(descr.empty() ? 0 : 1);
  if (code.starts_with('O')) fail("Python objects are not supported");
  if (code.starts_with('c')) fail("complex numbers are not supported");
  auto const found = std::ranges::find(codes, code);
  bool const known_order = std::string_view("<>=|").find(order) != std::string_view::npos;
  if (found == std::end(codes) || !known_order) fail("this type is not supported");
  auto const type = dtype(found - codes);
  if (type == dtype::bfloat16 && wanted != type)
    fail("two bytes without a meaning; --dtype bfloat16 reads them as bfloat16");
  if (order == '|' && size_of(type) > 1 && type != dtype::bfloat16) fail("no byte order");
  if (wanted.value_or(type) != type)
    throw error(name + ": holds " + std::string(tally::name(type)) + ", not " +
                std::string(tally::name(*wanted)));
  return {type, order == (native_order == '<' ? '>' : '<') && size_of(type) > 1};
}

}  // namespace

std::unique_ptr<source> open_npy(reader input, open_options const& options) {
  auto const& name = input.name();
  if (options.column) throw error(name + ": is a .npy file, which has no columns");
  auto const text = take_header(input);
  auto header = dictionary_parser(name, text).parse();
  auto const [type, swapped] = parse_descr(name, *header.descr, options.type);
  auto const count = element_count(*header.shape, type);
  if (!count)
    throw error(name + ": the .npy header says a shape too large for any file: " +
                quoted(text.substr(text.find('('))));
  bool const one_order =
      *count == 0 || std::ranges::count_if(*header.shape, [](auto n) { return n > 1; }) <= 1;
  return open_array(std::move(input), {.type = type,
                                       .swapped = swapped,
                                       .fortran = *header.fortran_order && !one_order,
                                       .shape = std::move(header.shape)});
}

std::vector<std::byte> npy_header(dtype type, std::span<std::uint64_t const> shape) {
  char const order = size_of(type) == 1 ? '|' : native_order;
  std::string text = "{'descr': '" + (order + std::string(codes[std::size_t(type)])) +
                     "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += std::to_string(shape[i]) + (shape.size() == 1 ? "," : i + 1 < shape.size() ? ", " : "");
  text += "), }";
  std::size_t const prefix = npy_magic.size() + 4, alignment = 64;
  text.append(alignment - 1 - (prefix + text.size()) % alignment, ' ');
  text += '\n';
  if (text.size() > 0xffff)
    throw error("npy_header: a shape of " + std::to_string(shape.size()) + " axes is too long");
  std::string header(npy_magic);
  header += {char(1), char(0), char(text.size() & 0xff), char(text.size() >> 8)};
  header += text;
  auto const bytes = std::as_bytes(std::span(header));
  return {bytes.begin(), bytes.end()};
}

}  // namespace tally::io
