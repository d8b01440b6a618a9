// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "targets.hpp"

namespace tally::fuzz {
namespace {

// Every file of the corpus goes through; what breaks off ends this program. Some of a binary format
// have zero bytes, or something has changed them as if they were texts.
void go_through(std::string const& folder, void (*read)(bytes), int binary_at_least = 0) {
  int files = 0, binary = 0;
  for (auto const& entry : std::filesystem::directory_iterator(TALLY_CORPUS "/" + folder)) {
    SCOPED_TRACE(entry.path());
    std::ifstream in(entry.path(), std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    read(std::as_bytes(std::span(text)));
    read(std::as_bytes(std::span(text)).first(text.size() / 2));
    ++files;
    binary += text.find('\0') != text.npos;
  }
  EXPECT_GT(files, 10);
  EXPECT_GE(binary, binary_at_least);
}

TEST(Corpus, npy_files_end_well) { go_through("read_npy", read_npy, 20); }
TEST(Corpus, csv_files_end_well) { go_through("read_csv", read_csv); }
TEST(Corpus, texts_end_well) { go_through("read_text", read_text); }
TEST(Corpus, compressed_files_end_well) { go_through("read_compressed", read_compressed); }
TEST(Corpus, states_end_well) { go_through("read_state", read_state, 20); }

}  // namespace
}  // namespace tally::fuzz
