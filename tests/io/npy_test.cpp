// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "files.hpp"
#include "tally/exact/float_format.hpp"
#include "tally/io/output.hpp"

namespace tally::io::test {
namespace {

using testing::AssertionResult;

// Version 1.0 has a length of two bytes, later ones four.
std::string npy(std::string const& dictionary, std::string const& data, int version = 1) {
  std::string text = "\x93NUMPY";
  text += {char(version), char(0)};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) text += char(dictionary.size() >> 8 * i);
  return text + dictionary + data;
}

std::string header(std::string const& descr, std::string const& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

std::string swapped(std::string bytes, std::size_t size) {
  for (std::size_t i = 0; i < bytes.size(); i += size)
    std::reverse(bytes.begin() + i, bytes.begin() + i + size);
  return bytes;
}

template <class T>
std::vector<T> counting(std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const mixed = (i + 1) * 0x9e3779b97f4a7c15u >> 8;
    if constexpr (std::is_same_v<T, bool>)
      values[i] = mixed & 1;
    else
      values[i] = from_bits<T>(bits_of<T>(mixed));
  }
  return values;
}

// `c_order` stored with the first axis fastest.
template <class T>
std::vector<T> to_fortran(std::vector<T> const& c_order, std::vector<std::size_t> const& shape) {
  std::vector<T> out(c_order.size());
  for (std::size_t i = 0; i < c_order.size(); ++i) {
    std::size_t rest = i, at = 0;
    std::vector<std::size_t> index(shape.size());
    for (auto a = shape.size(); a-- > 0; rest /= shape[a]) index[a] = rest % shape[a];
    for (auto a = shape.size(); a-- > 0;) at = at * shape[a] + index[a];
    out[at] = c_order[i];
  }
  return out;
}

struct npy_test : testing::Test {
  folder in;

  std::string error_of(std::string const& bytes, open_options const& options = {}) {
    auto const message = read_error(in.write("a.npy", bytes), options);
    if (message == "no error") return message;
    EXPECT_TRUE(message.starts_with(in.path("a.npy: "))) << message;
    return message.substr(std::min(message.size(), in.path("a.npy: ").size()));
  }
};

template <class T>
struct npy_types : npy_test {};
using stored_types =
    testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t, float16, bfloat16, float, double>;
TYPED_TEST_SUITE(npy_types, stored_types);

template <class T>
AssertionResult same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return bytes_of(a) == bytes_of(b) ? testing::AssertionSuccess()
                                    : testing::AssertionFailure() << "other bits";
}

TYPED_TEST(npy_types, are_read_in_both_byte_orders_mapped_and_streamed) {
  auto const values = counting<TypeParam>(300001);
  std::uint64_t const shape[] = {values.size()};
  auto const head = npy_header(dtype_of<TypeParam>, shape);
  std::string native(reinterpret_cast<char const*>(head.data()), head.size());
  EXPECT_EQ(head.size() % 64, 0u);
  auto other = native;
  if (sizeof(TypeParam) > 1) other[native.find('<')] = '>';
  native += bytes_of(values);
  other += swapped(bytes_of(values), sizeof(TypeParam));
  for (auto const& bytes : {native, other}) {
    auto const path = this->in.write("a.npy", bytes);
    open_options const options{.type = dtype_of<TypeParam>};
    EXPECT_TRUE(same_bits(read_all<TypeParam>(path, options, std::size_t(-1)), values));
    EXPECT_TRUE(same_bits(read_all<TypeParam>(path, options, 1000), values));
    EXPECT_TRUE(same_bits(read_all<TypeParam>(path, options, 1), values));
    fifo const stream(this->in, "stream", bytes);
    EXPECT_TRUE(same_bits(read_all<TypeParam>(stream.path(), options, 3000), values));
    std::filesystem::remove(stream.path());
  }
}

TEST_F(npy_test, a_mapped_file_is_given_whole_and_uncopied) {
  auto const values = counting<double>(500000);
  std::string const padding(8 - (10 + header("<f8", "(1000, 500)").size()) % 8, ' ');
  auto const array =
      open(in.write("a.npy", npy(header("<f8", "(1000, 500)") + padding, bytes_of(values))));
  EXPECT_EQ(array->shape(), (std::vector<std::uint64_t>{1000, 500}));
  EXPECT_EQ(array->count(), 500000u);
  EXPECT_EQ(array->next(std::size_t(-1)).size(), 4000000u);
  EXPECT_EQ(array->bytes_read(), std::filesystem::file_size(in.path("a.npy")));
  EXPECT_TRUE(array->next(8).empty());
}

// In either order of bytes and axes, of files alone.
TEST_F(npy_test, any_part_of_a_file_can_be_read_without_the_rest) {
  auto const values = counting<std::uint16_t>(30);
  auto const by_columns = bytes_of(to_fortran(values, {5, 6}));
  for (auto const& bytes : {npy(header("<u2", "(5, 6)"), bytes_of(values)),
                            npy(header(">u2", "(5, 6)"), swapped(bytes_of(values), 2)),
                            npy(header("<u2", "(5, 6)", true), by_columns)}) {
    auto const path = in.write("a.npy", bytes);
    for (std::size_t first = 0; first <= values.size(); ++first)
      for (auto const count : {values.size() - first, (values.size() - first) / 2, 0ul}) {
        auto const part = open(path);
        ASSERT_TRUE(part->keep_only(first, count));
        auto const from = values.begin() + std::ptrdiff_t(first);
        ASSERT_EQ(read_all<std::uint16_t>(*part, 8),
                  std::vector(from, from + std::ptrdiff_t(count)));
        EXPECT_EQ(part->shape(), (std::vector<std::uint64_t>{5, 6}));
      }
    fifo const stream(in, "stream", bytes);
    auto const streamed = open(stream.path());
    EXPECT_FALSE(streamed->keep_only(1, 2));
    EXPECT_EQ(read_all<std::uint16_t>(*streamed), values);
    std::filesystem::remove(stream.path());
  }
}

TEST_F(npy_test, versions_1_2_and_3_are_read_at_any_alignment) {
  auto const values = counting<double>(1000);
  for (int version = 1; version <= 3; ++version)
    for (int padding = 0; padding < 8; ++padding) {
      auto const text = header("<f8", "(1000,)") + std::string(padding, ' ');
      auto const path = in.write("a.npy", npy(text, bytes_of(values), version));
      EXPECT_TRUE(same_bits(read_all<double>(path, {}, 104), values));
    }
}

TEST_F(npy_test, bools_are_read_and_other_bytes_refused) {
  auto const array = open(in.write("a.npy", npy(header("|b1", "(3,)"), std::string("\1\0\1", 3))));
  EXPECT_EQ(array->type(), dtype::boolean);
  EXPECT_EQ(array->next(10).size(), 3u);
  EXPECT_EQ(error_of(npy(header("|b1", "(2,)"), "\1\7")), "the byte 7 is not a bool, 0 or 1");
}

TEST_F(npy_test, a_scalar_and_empty_arrays_are_arrays) {
  EXPECT_EQ(read_all<float>(in.write("a.npy", npy(header("<f4", "()"), bytes_of<float>({7})))),
            std::vector<float>{7});
  auto const empty =
      open(in.write("a.npy", npy(header("<f4", "(3, 0, 18446744073709551615)"), "")));
  EXPECT_EQ(empty->count(), 0u);
  EXPECT_EQ(empty->shape()[0], 3u);
  EXPECT_TRUE(empty->next(100).empty());
}

TEST_F(npy_test, fortran_order_is_delivered_in_c_order_in_pieces_of_any_size) {
  std::vector<std::vector<std::size_t>> const shapes = {
      {7}, {1, 9}, {3, 5}, {100, 3}, {3, 100}, {4, 1, 5}, {5, 6, 7}, {2, 3, 4, 5}, {600, 700}};
  for (auto const& shape : shapes) {
    std::size_t n = 1;
    std::string text;
    for (auto const length : shape) n *= length, text += std::to_string(length) + ",";
    auto const values = counting<std::uint32_t>(n);
    auto const stored = bytes_of(to_fortran(values, shape));
    auto const path = in.write("a.npy", npy(header("<u4", "(" + text + ")", true), stored));
    auto const other =
        in.write("b.npy", npy(header(">u4", "(" + text + ")", true), swapped(stored, 4)));
    for (std::size_t const most : {1u, 20u, 24u, 84u, 120u, 300u, 5600u, 1u << 22}) {
      if (n > 1000 && most < 300) continue;
      EXPECT_EQ(read_all<std::uint32_t>(path, {}, most), values) << text << " by " << most;
      EXPECT_EQ(read_all<std::uint32_t>(other, {}, most), values) << text << " by " << most;
    }
  }
}

TEST_F(npy_test, a_fortran_matrix_with_rows_longer_than_the_buffer_is_gathered) {
  auto const values = counting<std::uint8_t>(3 << 20);
  auto const stored = bytes_of(to_fortran(values, {2, 3 << 19}));
  auto const path = in.write("a.npy", npy(header("|u1", "(2, 1572864)", true), stored));
  EXPECT_EQ(read_all<std::uint8_t>(path, {}, std::size_t(-1)), values);
}

TEST_F(npy_test, a_fortran_matrix_and_a_vector_on_a_stream_are_read) {
  fifo const matrix(in, "matrix", npy(header("|u1", "(2, 2)", true), "abcd"));
  EXPECT_EQ(read_all<std::uint8_t>(matrix.path()), (std::vector<std::uint8_t>{'a', 'c', 'b', 'd'}));
  fifo const vector(in, "vector", npy(header("<i2", "(1, 2)", true), std::string("\1\0\2\0", 4)));
  EXPECT_EQ(read_all<std::int16_t>(vector.path()), (std::vector<std::int16_t>{1, 2}));
}

// As of a stream in C order: the header counts, too, and all of it is taken when it is kept.
TEST_F(npy_test, a_fortran_matrix_on_a_stream_counts_what_the_stream_gave) {
  auto const values = counting<std::uint8_t>(3 << 20);
  auto const bytes = npy(header("|u1", "(2, 1572864)", true), bytes_of(values));
  fifo const stream(in, "stream", bytes);
  auto const array = open(stream.path());
  EXPECT_EQ(array->bytes_read(), bytes.size());
  EXPECT_EQ(array->file_bytes(), std::nullopt);
  while (!array->next(1 << 20).empty()) EXPECT_EQ(array->bytes_read(), bytes.size());
}

TEST_F(npy_test, headers_as_others_write_them_are_read) {
  for (std::string const text :
       {"{\"shape\":(2,),\"descr\":\"<i2\",\"fortran_order\":False}",
        " { 'fortran_order' : True , 'shape' : ( 2L , ) , 'descr' : '=i2' } \t\n\n",
        "{'shape': (2, 1L), 'fortran_order': False, 'descr': '<i2',}"}) {
    auto const path = in.write("a.npy", npy(text, std::string("\1\0\2\0", 4)));
    EXPECT_EQ(read_all<std::int16_t>(path), (std::vector<std::int16_t>{1, 2})) << text;
  }
}

TEST_F(npy_test, a_file_cut_short_is_refused) {
  auto const whole = npy(header("<f4", "(2, 3)"), std::string(24, 'x'));
  EXPECT_EQ(error_of(whole.substr(0, 7)), "truncated .npy header: expected 8 bytes, found 7");
  EXPECT_EQ(error_of(whole.substr(0, 9)), "truncated .npy header: expected 10 bytes, found 9");
  EXPECT_EQ(error_of(whole.substr(0, 40)), "truncated .npy header: expected 70 bytes, found 40");
  EXPECT_EQ(error_of(whole.substr(0, whole.size() - 2)),
            "the .npy header says 2 x 3 x float32, 24 bytes, but 22 bytes follow it");
  EXPECT_EQ(error_of(whole.substr(0, whole.size() - 24)),
            "the .npy header says 2 x 3 x float32, 24 bytes, but 0 bytes follow it");
}

TEST_F(npy_test, a_shape_that_lies_is_refused) {
  EXPECT_EQ(
      error_of(npy(header("<f4", "(1000000000000,)"), std::string(24, 'x'))),
      "the .npy header says 1000000000000 x float32, 4000000000000 bytes, but 24 bytes follow "
      "it");
  EXPECT_EQ(error_of(npy(header("<f4", "(5,)"), std::string(24, 'x'))),
            "the .npy header says 5 x float32, 20 bytes, but 24 bytes follow it");
  EXPECT_EQ(error_of(npy(header("<f4", "(4294967296, 4294967296)"), "1234")),
            "the .npy header says a shape too large for any file: "
            "'(4294967296, 4294967296), }\\x0a'");
  EXPECT_EQ(error_of(npy(header("<f4", "(18446744073709551616,)"), "1234")),
            "the .npy header has a shape that is not made of 64-bit lengths: "
            "'18446744073709551616,), }\\x0a'");
  EXPECT_NE(error_of(npy(header("<f4", "(-1,)"), "1234")).find("not made of 64-bit"),
            std::string::npos);
}

TEST_F(npy_test, a_stream_with_fewer_or_more_bytes_than_its_shape_is_refused) {
  fifo const less(in, "less", npy(header("<f4", "(6,)"), std::string(22, 'x')));
  EXPECT_EQ(read_error(less.path()),
            less.path() + ": the .npy header says 6 x float32, 24 bytes, but 22 bytes follow it");
  fifo const more(in, "more", npy(header("<f4", "(6,)"), std::string(25, 'x')));
  EXPECT_EQ(read_error(more.path()), more.path() +
                                         ": the .npy header says 6 x float32, 24 bytes, "
                                         "but more than 24 bytes follow it");
  fifo const empty(in, "empty", npy(header("<f4", "(0,)"), "x"));
  EXPECT_EQ(read_error(empty.path()), empty.path() +
                                          ": the .npy header says 0 x float32, 0 bytes, "
                                          "but more than 0 bytes follow it");
}

TEST_F(npy_test, elements_that_are_not_numbers_are_refused_by_name) {
  auto const error_for = [&](std::string const& descr) {
    return error_of(npy(header(descr, "(1,)"), "12345678"));
  };
  EXPECT_EQ(error_for("|O"),
            "the .npy header says elements '|O': Python objects are not supported");
  EXPECT_EQ(error_for("<c8"),
            "the .npy header says elements '<c8': complex numbers are not supported");
  for (std::string const descr : {"<U2", "|S8", "<M8[s]", "<f16", "<i3", "f8", "", "?f8", "<F8"})
    EXPECT_EQ(error_for(descr),
              "the .npy header says elements '" + descr + "': this type is not supported");
  EXPECT_EQ(error_for("|f8"), "the .npy header says elements '|f8': no byte order");
  EXPECT_EQ(
      error_of(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")),
      "the .npy header says structured elements, which are not supported");
}

TEST_F(npy_test, two_byte_voids_are_bfloat16_on_request_only) {
  auto const bytes = npy(header("<V2", "(1,)"), std::string("\x80\x3f", 2));
  EXPECT_EQ(error_of(bytes),
            "the .npy header says elements '<V2': two bytes without a meaning; "
            "--dtype bfloat16 reads them as bfloat16");
  auto const path = in.write("a.npy", bytes);
  EXPECT_EQ(double(read_all<bfloat16>(path, {.type = dtype::bfloat16})[0]), 1.0);
  in.write("a.npy", npy(header("|V2", "(1,)"), std::string("\x80\x3f", 2)));
  EXPECT_EQ(double(read_all<bfloat16>(path, {.type = dtype::bfloat16})[0]), 1.0);
}

TEST_F(npy_test, another_type_or_a_column_than_the_file_has_is_refused) {
  auto const bytes = npy(header("<f8", "(1,)"), "12345678");
  EXPECT_EQ(error_of(bytes, {.type = dtype::float32}), "holds float64, not float32");
  EXPECT_EQ(error_of(bytes, {.column = "a"}), "is a .npy file, which has no columns");
}

TEST_F(npy_test, malformed_headers_are_refused) {
  std::pair<std::string, std::string> const cases[] = {
      {"", "is malformed: expected '{' before ''"},
      {"{", "is malformed: expected ''' before ''"},
      {"{'descr", "has a string without an end: 'descr'"},
      {"{'descr' '<f4'}", "is malformed: expected ':' before ''<f4'}'"},
      {"{'descr': '<f4' 'shape': ()}", "is malformed: expected '}' before ''shape': ()}'"},
      {"{'descr': '<f4', 'descr': '<f4'}", "has an unknown or repeated key 'descr'"},
      {"{'colour': 1}", "has an unknown or repeated key 'colour'"},
      {"{'fortran_order': 0}", "is malformed: expected True or False before '0}'"},
      {"{'shape': (1 2)}", "is malformed: expected ',' or ')' before '2)}'"},
      {"{'shape': (1)}", "has a shape that is not a tuple"},
      {"{'shape': (,)}", "has a shape that is not made of 64-bit lengths: ',)}'"},
      {"{'shape': (", "has a shape that is not made of 64-bit lengths: ''"},
      {"{'shape': [1]}", "is malformed: expected '(' before '[1]}'"},
      {"{'fortran_order': False, 'shape': ()}", "lacks the key 'descr'"},
      {"{'descr': '<f4', 'shape': ()}", "lacks the key 'fortran_order'"},
      {"{'descr': '<f4', 'fortran_order': False}", "lacks the key 'shape'"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "goes on after its end: 'x'"}};
  for (auto const& [text, problem] : cases)
    EXPECT_EQ(error_of(npy(text, "1234")), "the .npy header " + problem) << text;
}

TEST_F(npy_test, unknown_versions_and_huge_headers_are_refused) {
  EXPECT_EQ(error_of(npy(header("<f4", "()"), "1234", 4)),
            ".npy version 4.0 is not supported; 1.0, 2.0 and 3.0 are");
  EXPECT_EQ(error_of(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)),
            "the .npy header says that it has 4294967295 bytes; at most 1048576 are read");
  for (std::string const& version : {std::string("\0\0", 2), std::string("\1\1", 2),
                                     std::string("\3\1", 2), std::string("\4\0", 2)}) {
    auto bytes = npy(header("<f4", "()"), "1234");
    bytes.replace(6, 2, version);
    EXPECT_NE(error_of(bytes).find("is not supported; 1.0, 2.0 and 3.0 are"), bytes.npos);
  }
  auto longest = header("<f4", "()");
  longest.insert(longest.size() - 1, (std::size_t(1) << 20) - longest.size(), ' ');
  EXPECT_EQ(error_of(npy(longest, bytes_of<float>({7}), 2)), "no error");
  EXPECT_EQ(error_of(npy(longest + " ", bytes_of<float>({7}), 2)),
            "the .npy header says that it has 1048577 bytes; at most 1048576 are read");
}

TEST_F(npy_test, what_is_no_npy_file_is_refused) {
  EXPECT_EQ(error_of("hello\nworld"), "is not a .npy file: it begins with 'hello\\x0a'");
  EXPECT_EQ(error_of("hello", {.type = dtype::int8}), "is not a .npy file: it begins with 'hello'");
  EXPECT_EQ(error_of(""), "is not a .npy file: it is empty");
  EXPECT_EQ(read_error(in.path("b.npy")), in.path("b.npy") + ": No such file or directory");
  EXPECT_EQ(read_error(in.path("")), in.path("") + ": is a directory");
  auto const secret = in.write("secret.npy", npy(header("<f4", "()"), "1234"));
  ::chmod(secret.c_str(), 0);
  if (std::ifstream(secret).good()) return;  // root reads everything
  EXPECT_EQ(read_error(secret), secret + ": Permission denied");
}

TEST_F(npy_test, headers_written_say_type_and_shape) {
  std::uint64_t const shape[] = {3, 4};
  auto const text = [&](dtype type, std::size_t axes) {
    auto const bytes = npy_header(type, std::span(shape).first(axes));
    return std::string(reinterpret_cast<char const*>(bytes.data()) + 10, bytes.size() - 10);
  };
  EXPECT_TRUE(text(dtype::bfloat16, 2)
                  .starts_with("{'descr': '<V2', 'fortran_order': False, 'shape': (3, 4), }  "));
  EXPECT_TRUE(text(dtype::boolean, 1)
                  .starts_with("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }  "));
  EXPECT_TRUE(text(dtype::float64, 0)
                  .starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': (), }  "));
  EXPECT_TRUE(text(dtype::float64, 0).ends_with(" \n"));
}

}  // namespace
}  // namespace tally::io::test
