// SPDX-License-Identifier: Apache-2.0
#include "io/formats.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tally::io::test {
namespace {

using namespace std::string_literals;

std::string format_of(std::string const& beginning) {
  auto const text = foreign_format("a/t.x", beginning);
  return text.substr(0, text.find(';'));
}

TEST(foreign_format, is_known_by_the_first_bytes) {
  EXPECT_EQ(format_of("\x04\x22\x4d\x18 and more"), "is compressed by lz4");
  EXPECT_EQ(format_of("LZIP\1"), "is compressed by lzip");
  EXPECT_EQ(format_of("\x89LZO\0\r\n\x1a\n"s), "is compressed by lzop");
  EXPECT_EQ(format_of("\x1f\x9d\x90"), "is compressed by compress");
  EXPECT_EQ(format_of("7z\xbc\xaf\x27\x1c"), "is a 7z archive");
  EXPECT_EQ(format_of("Rar!\x1a\7\1"), "is a RAR archive");
  EXPECT_EQ(format_of(std::string(257, '\0').append("ustar")), "is a tar archive");
  EXPECT_EQ(format_of("PAR1\x15\0"s), "is Parquet");
  EXPECT_EQ(format_of("ARROW1\0\0"s), "is an Arrow file");
  EXPECT_EQ(format_of("FEA1\0"s), "is a Feather file");
  EXPECT_EQ(format_of("ORC\n\6"), "is ORC");
  EXPECT_EQ(format_of("\x89HDF\r\n\x1a\n"), "is HDF5");
  EXPECT_EQ(format_of("CDF\5"), "is NetCDF");
  EXPECT_EQ(format_of("SQLite format 3\0"s), "is an SQLite database");
  EXPECT_EQ(format_of("\1\2\3\4\5\6\7\0DUCK"s), "is a DuckDB database");
  EXPECT_EQ(format_of("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "is an old Office file (.xls)");
  EXPECT_EQ(format_of("MATLAB 5.0 MAT-file, Platform: posix"), "is a MATLAB file");
  EXPECT_EQ(format_of("\x80\4\x95"), "is a Python pickle");
  EXPECT_EQ(format_of("X\n\0\0\0\3"s), "is an R object (.rds)");
  EXPECT_EQ(format_of("%PDF-1.7"), "is PDF");
  EXPECT_EQ(format_of("TALY\1"), "is a saved state");
  EXPECT_EQ(format_of("version https://git-lfs.github.com/spec/v1\n"), "is a pointer of Git LFS");
  EXPECT_EQ(format_of("\3757zXZ\0"s), "is compressed twice");
  for (auto const& none : {""s, "1 2 3"s, "a,b\n1,2\n"s, "\0\0\0\0"s, "\x93NUMPY"s, "usta"s})
    EXPECT_EQ(format_of(none), "") << none;
}

TEST(foreign_format, leaves_text_that_begins_with_its_letters) {
  for (auto const& text : {"PAR1,PAR2\n1,2\n"s, "ORC,ELF\n1,2\n"s, "FEA1\n3\n"s, "BZh9,x\n1,2\n"s,
                           "TALY;caf\xe9\n1;2\n"s, "id\r\n\t\x20 DUCK\n"s})
    EXPECT_EQ(format_of(text), "") << text;
}

TEST(foreign_format, says_what_makes_of_the_file_what_is_read) {
  std::string const parquet = "PAR1\x15";
  auto const way = [&](std::string const& path) {
    auto const text = foreign_format(path, parquet);
    return text.substr(text.find("copy"));
  };
  EXPECT_EQ(way("a/t.parquet"), "copy 'a/t.parquet' to 'a/t.csv'\" makes CSV of it");
  EXPECT_EQ(way("t"), "copy 't' to 't.csv'\" makes CSV of it");
  EXPECT_EQ(way("a.b/.t"), "copy 'a.b/.t' to 'a.b/.t.csv'\" makes CSV of it");
  // What a shell would not take as it is, and standard input.
  for (std::string const path :
       {"-", "standard input", "a b.parquet", "$(x).parquet", "it's", "-t"})
    EXPECT_EQ(way(path), "copy 'FILE' to 'FILE.csv'\" makes CSV of it") << path;
}

TEST(foreign_text, is_known_by_its_first_characters) {
  auto const of = [](std::string const& text) { return foreign_text("t.json", text); };
  for (auto const text : {"{\"a\": 1}\n{\"a\": 2}\n", " {\n  \"a\": 1\n}", "{}"})
    EXPECT_EQ(of(text), "is JSON; jq .FIELD t.json prints a field of each object") << text;
  for (auto const text : {"[1, 2]", "[-1.5e3]", "[ null, 1]", "[[1, 2]]", "[\"1\"]", "[]"})
    EXPECT_EQ(of(text), "is JSON; jq '.[]' t.json prints its numbers") << text;
  EXPECT_EQ(of("[{\"a\": 1}]"), "is JSON; jq '.[].FIELD' t.json prints a field of each object");
  EXPECT_EQ(of("\n<?xml version='1.0'?>"), "is XML");
  EXPECT_EQ(of("<!DOCTYPE html>"), "is an HTML page");
  EXPECT_EQ(of("<HTML>"), "is an HTML page");
  for (auto const text : {"", " ", "1 2", "[1 2 3]", "[name],[age]", "{a,b}", "{1", "[", "<1>"})
    EXPECT_EQ(of(text), "") << text;
}

TEST(foreign_archive, is_told_by_the_names_in_it) {
  auto const of = [](std::vector<std::string> const& names) {
    auto const text = foreign_archive("t.zip", names);
    return text.substr(0, text.find(';'));
  };
  EXPECT_EQ(of({"_rels/.rels", "xl/workbook.xml"}), "is an Excel workbook (.xlsx)");
  EXPECT_EQ(of({"xl/workbook.bin"}), "is an Excel workbook (.xlsx)");
  EXPECT_EQ(of({"mimetype", "content.xml"}), "is an OpenDocument file (.ods)");
  EXPECT_EQ(of({"word/document.xml"}), "is a Word document (.docx)");
  EXPECT_EQ(of({"model/data.pkl", "model/data/0"}), "is a PyTorch file");
  EXPECT_EQ(of({"readme.md", "a.csv"}), "is a ZIP archive");
  EXPECT_EQ(foreign_archive("t.zip", std::vector{"a.csv"s}),
            "is a ZIP archive; unzip -p t.zip prints what is in it, 'a.csv' say");
  EXPECT_EQ(of({"mimetype", "x.class"}), "is a ZIP archive in which no file is a .npy");
}

TEST(foreign_encoding, is_told_by_a_mark_or_by_zeros) {
  auto const of = [](std::string const& text) {
    auto const told = foreign_encoding("t", text);
    return told.substr(0, told.find(';'));
  };
  EXPECT_EQ(of("\xff\xfe"
               "1\0"s),
            "is text in UTF-16");
  EXPECT_EQ(of("\xfe\xff\0001"s), "is text in UTF-16");
  EXPECT_EQ(of("\xff\xfe\0\0001\0\0\0"s), "is text in UTF-32");
  EXPECT_EQ(of("\0\0\xfe\xff\0\0\0001"s), "is text in UTF-32");
  EXPECT_EQ(of("1\0\n\0"s), "is text in UTF-16LE");
  EXPECT_EQ(of("\0001\0\n\0002"s), "is text in UTF-16BE");
  EXPECT_EQ(of("1\0\0\0\n\0\0\0"s), "is text in UTF-32LE");
  EXPECT_EQ(of("\0\0\0001\0\0\0002"s), "is text in UTF-32BE");
  for (auto const& other : {""s, "1"s, "12"s, "\0\0\0\0"s, "1\0"s, "1\0\1\0"s,
                            "\xff\xff"
                            "1\0"s})
    EXPECT_EQ(of(other), "");
  EXPECT_EQ(foreign_encoding("t.csv", "\xff\xfe"),
            "is text in UTF-16; iconv -f UTF-16 -t UTF-8 t.csv makes UTF-8 of it");
}

}  // namespace
}  // namespace tally::io::test
