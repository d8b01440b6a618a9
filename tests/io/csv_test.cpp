// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "../../src/io/formats.hpp"
#include "files.hpp"
#include "tally/exact/float_format.hpp"

namespace tally::io::test {
namespace {

double const nan = std::nan("");

struct csv_test : testing::Test {
  folder in;

  // The values of `column`; the same for every chunk size.
  template <class T = double>
  std::vector<T> column(std::string const& text, std::optional<std::string> const& column = {},
                        std::optional<bool> header = {}) {
    open_options const options{.type = dtype_of<T>, .column = column, .header = header};
    auto const path = in.write("a.csv", text);
    auto const values = read_all<T>(path, options);
    for (std::size_t const chunk : {1, 2, 3, 7, 64}) {
      auto const again = open_text({reader(input_file(path), chunk), content::csv, options});
      EXPECT_EQ(bytes_of(read_all<T>(*again, 3 * sizeof(T))), bytes_of(values)) << chunk;
      fifo const stream(in, "stream" + std::to_string(chunk), text);
      auto const streamed =
          open_text({reader(input_file(stream.path()), chunk), content::csv, options});
      EXPECT_EQ(bytes_of(read_all<T>(*streamed)), bytes_of(values)) << chunk;
    }
    return values;
  }

  std::string error_of(std::string const& text, open_options const& options = {}) {
    auto const message = read_error(in.write("a.csv", text), options);
    auto const name = in.path("a.csv: ");
    EXPECT_TRUE(message.starts_with(name)) << message;
    return message.substr(std::min(message.size(), name.size()));
  }

  template <class T>
  T number(std::string const& text) {
    return column<T>("x\n" + text + "\n").at(0);
  }
};

using values = std::vector<double>;

TEST_F(csv_test, a_column_is_found_by_name_and_by_number) {
  std::string const text = "name,size, weight \nx,1,2.5\ny,3,-4e2\n";
  EXPECT_EQ(column(text, "size"), (values{1, 3}));
  EXPECT_EQ(column(text, "2"), (values{1, 3}));
  EXPECT_EQ(column(text, "weight"), (values{2.5, -400}));
  EXPECT_EQ(column("size\n1\n2\n"), (values{1, 2}));
}

TEST_F(csv_test, of_a_first_row_of_numbers_somebody_has_to_say_what_it_is) {
  EXPECT_EQ(column("5,0,7\n1,2,3\n", "1", false), (values{5, 1}));
  EXPECT_EQ(column("5,0,7\n1,2,3\n", "3", false), (values{7, 3}));
  EXPECT_EQ(column("8\n9\n", {}, false), (values{8, 9}));
  EXPECT_TRUE(std::isnan(column("NA,1\n2,3\n", "1", false)[0]));
  EXPECT_EQ(column("2019,2020\n1,2\n", "2020", true), values{2});
  EXPECT_EQ(column("2019,2020\n1,2\n", "1", true), values{1});
  for (std::string const row : {"2019\n", "5,NA,7\n", "1e3,-4,.5\n"})
    EXPECT_EQ(error_of(row + row, {.column = "1"}),
              "all of the first row are numbers: --header says that they are names, "
              "--no-header that they are data");
}

TEST_F(csv_test, a_first_row_with_a_name_in_it_is_a_header) {
  EXPECT_EQ(column("city,1990,1991\nx,5,6\n", "1991"), values{6});
  EXPECT_EQ(column("city,1990,3\nx,5,6\n", "3"), values{6});
  EXPECT_EQ(column("city,3,4\nx,5,6\n", "\"3\""), values{5});
  EXPECT_EQ(column(",a,b\n0,5,6\n", "1"), values{0});
}

TEST_F(csv_test, of_a_first_row_of_nothing_but_missing_words_somebody_has_to_say_what_it_is) {
  EXPECT_EQ(column("NA,nan\n1,2\n", "1", true), values{1});
  EXPECT_EQ(column("NA,nan\n1,2\n", "nan", true), values{2});
  EXPECT_EQ(column("\"\",\n1,2\n", "2", true), values{2});
  EXPECT_TRUE(std::isnan(column("NA,nan\n1,2\n", "1", false)[0]));
  for (std::string const row : {"NA,nan\n", "-,null\n", "NA\n", "\"\",\n", "7,x\n"})
    EXPECT_EQ(error_of(row + "1,2\n", {.column = "1", .missing = {"7", "x"}}),
              "all of the first row says that there is no number: --header says that they are "
              "names, --no-header that they are data");
  EXPECT_TRUE(error_of("7,NA\n1,2\n", {.column = "7"}).starts_with("all of the first row are"));
}

TEST_F(csv_test, a_name_in_front_of_every_row_needs_none_of_its_own) {
  EXPECT_EQ(column("a,b\nx,1,2\ny,3,4\n", "a"), (values{1, 3}));
  EXPECT_EQ(column("a,b\nx,1,2\ny,3,4\n", "2"), (values{2, 4}));
  EXPECT_EQ(column("a\n\"x,y\",1\n"), values{1});
  EXPECT_EQ(error_of("a,b\nx,1,2\n3,4\n", {.column = "a"}),
            "line 3: fields: 2, in the first row: 2 and a name in front");
  EXPECT_EQ(error_of("a,b\n1,2,\n", {.column = "a"}),
            "line 2: fields: 3, the last of them empty, in the first row: 2");
}

TEST_F(csv_test, other_characters_can_be_between_fields) {
  auto const read = [&](std::string const& name, std::string const& text, open_options options) {
    options.column = "b";
    return read_all<std::int64_t>(in.write(name, text), options);
  };
  EXPECT_EQ(read("a.csv", "a;b\n1,5;2\n", {.delimiter = ';'}), std::vector<std::int64_t>{2});
  EXPECT_EQ(read("a.tsv", "a\tb\n1,5\t 2\n", {}), std::vector<std::int64_t>{2});
  EXPECT_EQ(read("a", "a b\n1 2\n", {.delimiter = ' '}), std::vector<std::int64_t>{2});
  EXPECT_EQ(read("a.tsv", "a|b\n1|\"2\"\n", {.delimiter = '|'}), std::vector<std::int64_t>{2});
}

TEST_F(csv_test, quoted_fields_hold_commas_quotes_and_line_ends) {
  std::string const text =
      "a,\"b,\"\"c\"\"\",d\r\n\"1,\n2\r\n\",\"3\",4\r\n\"\"\"\",\"\",\"5\"\r\n";
  EXPECT_EQ(column(text, "d"), (values{4, 5}));
  auto const found = column(text, "b,\"c\"");
  EXPECT_EQ(found[0], 3);
  EXPECT_TRUE(std::isnan(found[1]));
}

TEST_F(csv_test, line_ends_empty_lines_and_a_byte_order_mark_do_not_matter) {
  EXPECT_EQ(column("\xef\xbb\xbfx,y\r\n1,2\r\n\r\n\n3,4", "x"), (values{1, 3}));
  EXPECT_EQ(column("x\n1\n2"), (values{1, 2}));
  EXPECT_EQ(column("x,y\n1, 2\t\n3,\"4\"", "y"), (values{2, 4}));
  EXPECT_EQ(column("x\r1\r2\r"), (values{1, 2}));
  EXPECT_EQ(column("x,y\r1,2\r\n3,4\n5,6\r\r7,8", "y"), (values{2, 4, 6, 8}));
}

TEST_F(csv_test, missing_values_are_nan) {
  auto const found = column(
      "x,y\n1,\n2,NA\n3,nan\n4,NaN\n5,\n6,  \n7,N/A\n8,#N/A\n9,null\n10,None\n11,-\n12,8", "y");
  ASSERT_EQ(found.size(), 12u);
  for (int i = 0; i < 11; ++i) EXPECT_TRUE(std::isnan(found[i])) << i;
  EXPECT_EQ(found[11], 8);
  auto const path = in.write("a.csv", "x\n?\n5\n");
  EXPECT_TRUE(
      std::isnan(read_all<double>(path, {.type = dtype::float64, .missing = {"!", "?"}})[0]));
  EXPECT_EQ(to_bits(number<float>("\"\"")), format<float>::quiet_nan);
  EXPECT_EQ(to_bits(number<float>("-nan")), format<float>::quiet_nan);
  EXPECT_EQ(error_of("x,y\n1,\n", {dtype::int32, "y"}),
            "line 2: column 'y': '' is not a number of type int32");
  EXPECT_EQ(error_of("x\nNA\n", {dtype::uint8, "x"}),
            "line 2: column 'x': 'NA' is not a number of type uint8");
}

// Two elements at once, so that a part is taken in pieces.
TEST_F(csv_test, missing_integers_are_zeros_at_their_indices) {
  auto const path = in.write("a.csv", "x\nNA\n2\n\"\"\n-\n5\n-0\nnull\n");
  for (std::size_t const chunk : {1, 3, 64}) {
    auto const found = open_text({reader(input_file(path), chunk), content::csv, {}});
    std::vector<std::int64_t> all, missing;
    for (auto next = found->next(16); !next.empty(); next = found->next(16)) {
      EXPECT_EQ(found->type(), dtype::int64);
      for (auto const i : found->missing()) missing.push_back(std::int64_t(all.size() + i));
      auto const* const first = reinterpret_cast<std::int64_t const*>(next.data());
      all.insert(all.end(), first, first + next.size() / sizeof *first);
    }
    EXPECT_EQ(all, (std::vector<std::int64_t>{0, 2, 0, 0, 5, 0, 0})) << chunk;
    EXPECT_EQ(missing, (std::vector<std::int64_t>{0, 2, 3, 6})) << chunk;
    EXPECT_EQ(found->facts().missing, 4u);
  }
}

TEST_F(csv_test, once_the_type_is_known_integers_can_still_be_missing) {
  auto const path = in.write("a.csv", "x\n300\nNA\n7\n");
  auto const found = open(path, {});
  found->settle();
  EXPECT_EQ(found->type(), dtype::int64);
  auto const next = found->next(100);
  EXPECT_EQ(next.size(), 3 * sizeof(std::int64_t));
  ASSERT_EQ(found->missing().size(), 1u);
  EXPECT_EQ(found->missing()[0], 1u);
  auto const narrow = open(path, {});
  narrow->read_as(dtype::int16);
  EXPECT_EQ(narrow->next(100).size(), 3 * sizeof(std::int16_t));
  EXPECT_EQ(narrow->missing().size(), 1u);
}

TEST_F(csv_test, missing_before_a_decimal_is_nan) {
  auto const found = open(in.write("a.csv", "x\nNA\n2\n0.5\nNA\n"), {});
  auto const next = found->next(100);
  EXPECT_EQ(found->type(), dtype::float64);
  EXPECT_TRUE(found->missing().empty());
  auto const* const x = reinterpret_cast<double const*>(next.data());
  EXPECT_TRUE(std::isnan(x[0]) && std::isnan(x[3]));
  EXPECT_EQ(x[1], 2);
}

TEST_F(csv_test, numbers_are_rounded_once) {
  EXPECT_EQ(number<double>("+.1e1"), 1);
  EXPECT_EQ(number<double>("0.1"), 0.1);
  EXPECT_EQ(number<double>("9007199254740993.0000000000000000000000000000000000001"),
            9007199254740994);
  EXPECT_EQ(number<float>("1.00000005960464477539062500000000000001"), 0x1.000002p0f);
  EXPECT_EQ(number<double>("5e-324"), 5e-324);
  EXPECT_EQ(number<double>("1e400"), INFINITY);
  EXPECT_EQ(number<double>("-0.00001e+99999999999999999999"), -INFINITY);
  EXPECT_EQ(number<double>("1e-400"), 0);
  EXPECT_TRUE(std::signbit(number<double>("-1000e-99999999999999999999")));
  EXPECT_EQ(number<float>("1e39"), INFINITY);
  EXPECT_EQ(number<float>("1e-46"), 0);
  EXPECT_EQ(number<double>("-Infinity"), -INFINITY);
  EXPECT_EQ(number<double>("INF"), INFINITY);
}

// Digits of up to 53 bits are divided by a power of ten, others are not: the nearest double of all.
TEST_F(csv_test, decimals_around_and_beyond_53_bits_are_rounded_once) {
  std::vector<double> expected{0.5};
  std::string text = "x\n0.5\n";
  for (int bits = 52; bits < 64; ++bits)
    for (int i = -40; i <= 400; ++i) {
      auto digits = std::to_string((std::uint64_t(1) << bits) + std::uint64_t(i * (bits - 51)));
      if (digits.size() > 19) continue;
      digits.insert(digits.size() - std::size_t(i + 40) % digits.size(), ".");
      expected.push_back(std::strtod(digits.c_str(), nullptr));
      text += digits + "\n";
    }
  auto const path = in.write("a.csv", text);
  EXPECT_EQ(read_all<double>(path), expected);
  EXPECT_EQ(read_all<double>(path, {.type = dtype::float64}), expected);
  EXPECT_EQ(read_all<double>(in.write("b.csv", "x\n0.5\n957561568694982.9\n"))[1],
            957561568694982.9);
}

// 1 + 2^-11 lies half way between two float16, 1 + 2^-8 between two bfloat16.
TEST_F(csv_test, halves_are_rounded_once_too) {
  EXPECT_EQ(number<float16>("1.00048828125").bits, 0x3c00);
  EXPECT_EQ(number<float16>("1.00048828125000000000000000001").bits, 0x3c01);
  EXPECT_EQ(number<float16>("-100.048828125000000000000000001e-2").bits, 0xbc01);
  EXPECT_EQ(number<float16>("1.00146484375").bits, 0x3c02);
  EXPECT_EQ(number<float16>("1.00146484374999999999999999999").bits, 0x3c01);
  EXPECT_EQ(number<float16>("65520").bits, 0x7c00);
  EXPECT_EQ(number<float16>("65519.9999999999999999999999999").bits, 0x7bff);
  EXPECT_EQ(number<float16>("2.98023223876953125e-8").bits, 0);
  EXPECT_EQ(number<float16>("0.00000002980232238769531250000000000000001").bits, 1);
  EXPECT_EQ(number<bfloat16>("1.00390625").bits, 0x3f80);
  EXPECT_EQ(number<bfloat16>("1.00390625000000000000000000001").bits, 0x3f81);
  EXPECT_EQ(number<bfloat16>("1e40").bits, 0x7f80);
  EXPECT_EQ(number<bfloat16>("-1e-400").bits, 0x8000);
}

TEST_F(csv_test, integers_and_bools_are_exact_or_refused) {
  EXPECT_EQ(number<std::int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(number<std::uint64_t>("+18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(number<std::int8_t>("-128"), -128);
  auto const flags = open(in.write("a.csv", "x\n1\nFalse\ntrue\n0\n"), {dtype::boolean});
  auto const bytes = flags->next(100);
  EXPECT_EQ(std::string(reinterpret_cast<char const*>(bytes.data()), bytes.size()),
            std::string("\1\0\1\0", 4));
  EXPECT_EQ(error_of("x\n1\n300\n", {dtype::uint8}),
            "line 3: column 'x': '300' does not fit into uint8");
  EXPECT_EQ(error_of("x\n1e400\n", {dtype::int64}),
            "line 2: column 'x': '1e400' is not a number of type int64");
  EXPECT_EQ(error_of("x\n1.0\n", {dtype::int64}),
            "line 2: column 'x': '1.0' is not a number of type int64");
  EXPECT_EQ(error_of("x\n2\n", {dtype::boolean}),
            "line 2: column 'x': '2' is not a number of type bool");
}

TEST_F(csv_test, text_in_the_column_is_refused_with_line_and_column) {
  EXPECT_EQ(error_of("a,b\n\"x\ny\",1\n\n2,3 km\n", {.column = "b"}),
            "line 5: column 'b': '3 km' is not a number");
  EXPECT_EQ(error_of("1,2\nx,3\n", {.column = "1", .header = false}),
            "line 2: column '1': 'x' is not a number");
  EXPECT_EQ(error_of("x\r1\ry\r"), "line 3: column 'x': 'y' is not a number");
  for (std::string const text : {"1,5", "--1", "+-1", "++1", "+", "0x10", "1e", "1 2", "in", "."})
    EXPECT_EQ(error_of("x\n\"" + text + "\"\n"),
              "line 2: column 'x': '" + text + "' is not a number");
  EXPECT_EQ(error_of("x\n" + std::string(100, 'y')),
            "line 2: column 'x': '" + std::string(40, 'y') + "...' is not a number");
}

TEST_F(csv_test, a_line_is_counted_once_wherever_a_stream_is_cut) {
  std::string const text = "a\r\n1\r\n\r\n2\rx\r\n";
  for (std::size_t const chunk : {1, 2, 3, 4, 5, 6, 7, 64}) {
    fifo const stream(in, "stream" + std::to_string(chunk), text);
    auto const message = message_of([&] {
      auto const rows = open_text({reader(input_file(stream.path()), chunk), content::csv, {}});
      while (!rows->next(1 << 20).empty()) continue;
    });
    EXPECT_EQ(message, stream.path() + ": line 5: column 'a': 'x' is not a number") << chunk;
  }
}

TEST_F(csv_test, a_column_that_is_not_there_or_not_named_is_refused_with_those_that_are) {
  EXPECT_EQ(error_of("a,b\n1,2\n", {.column = "c"}), "no column 'c' among 'a', 'b'");
  EXPECT_EQ(error_of("a,b\n1,2\n", {.column = "3"}), "no column '3' among 'a', 'b'");
  EXPECT_EQ(error_of("a,b\n1,2\n", {.column = "0"}),
            "no column '0' among 'a', 'b'; columns are counted from 1");
  EXPECT_EQ(error_of("a,b\n1,2\n"),
            "which column? --column takes one of 'a', 'b', or its number from 1");
  EXPECT_EQ(error_of("a,a\n1,2\n", {.column = "a"}),
            "two columns are named 'a'; give a number from 1");
  std::string wide = "c0";
  for (int i = 1; i < 40; ++i) wide += ",c" + std::to_string(i);
  EXPECT_TRUE(error_of(wide + "\n" + wide, {.column = "x"}).ends_with("'c28', 'c29', ..."));
}

TEST_F(csv_test, a_row_with_fewer_or_more_fields_is_refused) {
  EXPECT_EQ(error_of("a,b\n1,2\n3\n", {.column = "a"}), "line 3: fields: 1, in the first row: 2");
  EXPECT_EQ(error_of("a,b\n1,2,3,4\n", {.column = "a"}), "line 2: fields: 4, in the first row: 2");
  EXPECT_EQ(error_of("a,b\n1,2\n1,2,3\n", {.column = "a"}),
            "line 3: fields: 3, in the first row: 2");
  EXPECT_EQ(error_of("a,b\n1", {.column = "b"}), "line 2: fields: 1, in the first row: 2");
}

TEST_F(csv_test, bad_quotes_and_endless_fields_are_refused) {
  EXPECT_EQ(error_of("a,b\n1,\"2\n", {.column = "a"}),
            "line 2: a quoted field has no end: '\"2\\x0a'");
  EXPECT_EQ(error_of("a,b\"\n1,2\n\n3,4\",5\"\n", {.column = "a"}),
            "line 4: fields: 3, in the first row: 2");
  EXPECT_EQ(error_of("a,b\n1,\"2\"3\n", {.column = "a"}),
            "line 2: text follows the closing quote of '\"2\"3'");
  EXPECT_EQ(error_of("a\n" + std::string(50 << 20, '1')),
            "line 2: no row is longer than 16777216 bytes: '" + std::string(40, '1') + "...'");
  EXPECT_EQ(error_of("a\n\"\xc3\xa4" + std::string(50 << 20, '2')),
            "line 2: no row is longer than 16777216 bytes: '\"\\xc3\\xa4" + std::string(37, '2') +
                "...'");
}

TEST_F(csv_test, a_file_without_a_row_is_refused) {
  EXPECT_EQ(error_of("x\n"), "has a header and no rows");
  EXPECT_EQ(error_of("x,y\n\n", {.column = "y"}), "has a header and no rows");
  EXPECT_EQ(error_of("\n\r\n"), "has no rows");
  EXPECT_EQ(error_of(""), "has no rows");
}

TEST_F(csv_test, files_longer_than_the_buffer_are_read_whole) {
  std::string text = "i,\"quoted, text\",x\n";
  std::vector<std::int32_t> expected;
  for (int i = 0; i < 300000; ++i) {
    text += std::to_string(i) + ",\"a \"\"b\"\"\n," + std::to_string(i % 7) + "\"," +
            std::to_string(i * 7) + "\n";
    expected.push_back(i * 7);
  }
  auto const path = in.write("long.csv", text);
  EXPECT_EQ(read_all<std::int32_t>(path, {dtype::int32, "x"}), expected);
  auto const again = open(path, {dtype::int32, "x"});
  read_all<std::int32_t>(*again, 4000);
  EXPECT_EQ(again->bytes_read(), text.size());
  fifo const stream(in, "stream", text);
  EXPECT_EQ(read_all<std::int32_t>(stream.path(), {dtype::int32, "x"}), expected);
}

}  // namespace
}  // namespace tally::io::test
