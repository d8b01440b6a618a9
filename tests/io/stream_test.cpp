// SPDX-License-Identifier: Apache-2.0
//
// Raw data and text, and standard input in its three forms.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cfenv>
#include <cmath>
#include <csignal>

#include "../../src/io/formats.hpp"
#include "files.hpp"
#include "tally/io/output.hpp"

namespace tally::io::test {
namespace {

// While one lives, standard input is a pipe that gives `bytes`, of which the test may leave some.
class standard_input {
 public:
  explicit standard_input(std::string bytes) : saved_(::dup(0)) {
    std::signal(SIGPIPE, SIG_IGN);
    int ends[2];
    if (::pipe(ends) != 0) throw error("pipe");
    ::dup2(ends[0], 0);
    ::close(ends[0]);
    writer_ = std::thread([bytes, end = ends[1]] {
      std::string_view rest = bytes;
      ssize_t n = 1;
      while (!rest.empty() && n > 0) {
        n = ::write(end, rest.data(), std::min<std::size_t>(rest.size(), 777));
        if (n > 0) rest.remove_prefix(n);
      }
      ::close(end);
    });
  }
  ~standard_input() {
    ::dup2(saved_, 0);
    ::close(saved_);
    writer_.join();
  }

 private:
  int saved_;
  std::thread writer_;
};

std::string from_standard_input(std::string const& bytes, open_options const& options = {}) {
  standard_input const input(bytes);
  return read_error("-", options);
}

template <class T>
std::vector<T> counting(std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = T(i * 2654435761u);
  return values;
}

TEST(standard_input_forms, npy_by_its_magic) {
  auto const values = counting<std::int32_t>(700001);
  std::uint64_t const shape[] = {values.size()};
  auto const head = npy_header(dtype::int32, shape);
  standard_input const input(std::string(reinterpret_cast<char const*>(head.data()), head.size()) +
                             bytes_of(values));
  auto const array = open("-");
  EXPECT_EQ(array->count(), values.size());
  EXPECT_EQ(read_all<std::int32_t>(*array), values);
  EXPECT_EQ(array->bytes_read(), head.size() + 4 * values.size());
}

TEST(standard_input_forms, raw_with_a_type) {
  auto const values = counting<std::uint16_t>(1000003);
  standard_input const input(bytes_of(values));
  auto const array = open("-", {.type = dtype::uint16});
  EXPECT_EQ(array->count(), std::nullopt);
  EXPECT_EQ(read_all<std::uint16_t>(*array, 1001), values);
  EXPECT_EQ(array->shape(), std::vector<std::uint64_t>{values.size()});
  EXPECT_TRUE(array->next(10).empty());
}

TEST(standard_input_forms, csv_with_a_column) {
  standard_input const input("a,b\n1,2\n");
  EXPECT_EQ(read_all<std::int64_t>("-", {.column = "b"}), std::vector<std::int64_t>{2});
}

TEST(standard_input_forms, text_otherwise) {
  std::string text;
  std::vector<std::int64_t> expected;
  for (int i = 0; i < 200000; ++i) {
    text += std::to_string(i) + (i % 3 ? "\n" : " \t\r\n");
    expected.push_back(i);
  }
  standard_input const input(text);
  EXPECT_EQ(read_all<std::int64_t>("-", {}, 80), expected);
}

TEST(standard_input_forms, nothing_is_an_empty_array) {
  EXPECT_EQ(from_standard_input(""), "no error");
  EXPECT_EQ(from_standard_input(" \n"), "no error");
  EXPECT_EQ(from_standard_input("", {.type = dtype::float32}), "no error");
}

TEST(standard_input_forms, a_redirected_file_is_mapped_and_read_from_its_position) {
  folder const in;
  auto const path = in.write("raw", bytes_of<double>({1, 2, 3}));
  int const saved = ::dup(0);
  EXPECT_NE(std::freopen(path.c_str(), "r", stdin), nullptr);
  EXPECT_EQ(open("-", {.type = dtype::float64})->count(), 3u);
  ::lseek(0, 8, SEEK_SET);
  EXPECT_EQ(read_all<double>("-", {.type = dtype::float64}), (std::vector<double>{2, 3}));
  EXPECT_NE(std::freopen(in.write("text", "4 5.5").c_str(), "r", stdin), nullptr);
  EXPECT_EQ(read_all<double>("-"), (std::vector<double>{4, 5.5}));
  ::dup2(saved, 0);
  ::close(saved);
}

TEST(standard_input_errors, name_standard_input_and_the_line) {
  EXPECT_EQ(from_standard_input("1 2\n\n3 x4\n5"), "standard input: line 3: 'x4' is not a number");
  EXPECT_EQ(from_standard_input("1,2"),
            "standard input: line 1: '1,2' is not a number; of CSV, --header or --no-header says "
            "what its first row is, --column which column");
  EXPECT_EQ(
      from_standard_input("x\n1 2"),
      "standard input: line 1: 'x' is not a number; --header if that is the name of a column");
  EXPECT_EQ(from_standard_input("1\nx"), "standard input: line 2: 'x' is not a number");
  EXPECT_EQ(from_standard_input("12345", {.type = dtype::float32, .raw = true}),
            "standard input: 5 bytes are not a whole number of float32, 4 bytes each");
  EXPECT_EQ(from_standard_input("\x93NUMPY\1"),
            "standard input: truncated .npy header: expected 8 bytes, found 7");
  EXPECT_EQ(from_standard_input("", {.column = "a"}), "standard input: has no rows");
  EXPECT_EQ(from_standard_input(std::string(50 << 20, '7')),
            "standard input: line 1: no number is longer than 16777216 bytes: '" +
                std::string(40, '7') + "...'");
}

TEST(text, is_the_same_in_chunks_of_any_size) {
  folder const in;
  auto const path = in.write("text", "  +1.25e3\r\n-inf\v\fNaN\n\n 1e999 123456789 .5");
  for (std::size_t const chunk : {1, 2, 3, 5, 100}) {
    auto const in_chunks =
        open_text({reader(input_file(path), chunk), content::text, {.type = dtype::float64}});
    auto const values = read_all<double>(*in_chunks, 16);
    ASSERT_EQ(values.size(), 6u) << chunk;
    EXPECT_EQ(values[0], 1250);
    EXPECT_EQ(values[1], -INFINITY);
    EXPECT_TRUE(std::isnan(values[2]));
    EXPECT_EQ(values[3], INFINITY);
    EXPECT_EQ(values[4], 123456789);
    EXPECT_EQ(values[5], 0.5);
  }
}

TEST(text, is_of_the_type_that_its_numbers_have_so_far) {
  folder const in;
  auto const path =
      in.write("text", "1 2 18446744073709551615" + std::string(99, ' ') + "3 0.5 -7 ");
  auto const text =
      open_text({reader(input_file(path), 1), content::text, {.where = {.threads = 1}}});
  std::vector<dtype> types;
  while (!text->next(8).empty()) types.push_back(text->type());
  EXPECT_EQ(types.size(), 6u);
  EXPECT_EQ(types.front(), dtype::int64);
  EXPECT_EQ(types[2], dtype::uint64);
  EXPECT_EQ(types[4], dtype::float64);
  EXPECT_EQ(text->facts().decimals, 1u);
  EXPECT_TRUE(text->facts().negative);
}

TEST(text, is_settled_by_reading_ahead_of_files_and_of_streams) {
  folder const in;
  std::string const text = "1 2\n3 " + std::string(100000, ' ');
  for (auto const& [end, type] :
       {std::pair("4", dtype::int64), std::pair("18446744073709551615", dtype::uint64),
        std::pair("0.5 NA", dtype::float64),
        std::pair("-1 18446744073709551615", dtype::float64)}) {
    fifo const stream(in, end, text + end);
    for (auto const& path : {in.write("text", text + end), stream.path()}) {
      auto const found = open(path);
      EXPECT_FALSE(found->settled());
      found->settle();
      EXPECT_TRUE(found->settled());
      EXPECT_EQ(found->type(), type) << end;
      std::size_t n = 0;
      for (auto x = found->next(1 << 20); !x.empty(); x = found->next(1 << 20)) n += x.size() / 8;
      EXPECT_EQ(found->count(), n);
      EXPECT_GE(n, 4u);
      EXPECT_EQ(found->facts().missing, std::string(end).ends_with("NA"));
    }
  }
}

TEST(text, of_a_file_says_how_much_of_it_is_read) {
  folder const in;
  auto const path = in.write("text.csv", "x\n" + std::string(3000000, '1') + "\n2\n");
  auto const file = open(path);
  EXPECT_EQ(file->file_bytes(), 3000005u);
  while (!file->next(1 << 20).empty()) continue;
  EXPECT_EQ(file->bytes_read(), 3000005u);
  fifo const stream(in, "stream", "1 2");
  auto const other = open(stream.path());
  EXPECT_EQ(other->file_bytes(), std::nullopt);
  while (!other->next(1 << 20).empty()) continue;
}

TEST(text, does_not_depend_on_the_rounding_mode) {
  std::fesetround(FE_UPWARD);
  standard_input const input("0.1 1e23 0.3");
  auto const values = read_all<double>("-");
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(values, (std::vector<double>{0.1, 1e23, 0.3}));
}

TEST(raw, is_mapped_from_a_file_and_copied_from_a_pipe) {
  folder const in;
  auto const values = counting<float>(600000);
  auto const path = in.write("data.bin", bytes_of(values));
  auto const array = open(path, {.type = dtype::float32});
  EXPECT_EQ(array->count(), values.size());
  EXPECT_EQ(array->next(std::size_t(-1)).size(), 2400000u);
  EXPECT_EQ(read_all<float>(path, {.type = dtype::float32}, 99), values);
  fifo const stream(in, "stream", bytes_of(values));
  EXPECT_EQ(read_all<float>(stream.path(), {.type = dtype::float32}, 99), values);
}

TEST(raw, needs_whole_elements_a_type_and_a_file) {
  folder const in;
  auto const path = in.write("data.bin", "1234567890123");
  EXPECT_EQ(read_error(path, {.type = dtype::float64, .raw = true}),
            path + ": 13 bytes are not a whole number of float64, 8 bytes each");
  EXPECT_EQ(read_error(path, {.raw = true}), path + ": --raw needs --dtype");
  EXPECT_EQ(read_error(in.write("more.bin", std::string("12\0004", 4))),
            in.path("more.bin") +
                ": is neither text nor a .npy file, it begins with "
                "'12\\x004'; raw data needs --dtype");
  EXPECT_EQ(read_error(in.path(""), {.type = dtype::float64}), in.path("") + ": is a directory");
  EXPECT_EQ(read_error(in.write("bools.bin", "\2"), {.type = dtype::boolean}),
            in.path("bools.bin") + ": the byte 2 is not a bool, 0 or 1");
}

TEST(raw, a_device_is_a_stream) {
  EXPECT_EQ(read_all<double>("/dev/null", {.type = dtype::float64}), std::vector<double>{});
}

}  // namespace
}  // namespace tally::io::test
