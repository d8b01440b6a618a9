// SPDX-License-Identifier: Apache-2.0
#include "tally/io/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "files.hpp"

namespace tally::io::test {
namespace {

std::span<std::byte const> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(output_file, appears_when_committed) {
  folder const in;
  auto const path = in.path("out");
  output_file out(path);
  EXPECT_TRUE(out.takes_any_offset());
  out.write(bytes("hello "));
  out.write_at(8, bytes("rld"));
  out.write_at(6, bytes("wo"));
  out.write(bytes("!"));
  EXPECT_FALSE(std::filesystem::exists(path));
  out.commit();
  EXPECT_EQ(contents(path), "hello world!");
  EXPECT_EQ(in.entries(), 1u);
}

TEST(output_file, leaves_nothing_behind_and_the_old_file_alone_when_not_committed) {
  folder const in;
  auto const path = in.write("out", "old");
  {
    output_file out(path);
    out.write(bytes("new"));
    EXPECT_EQ(in.entries(), 2u);
  }
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(in.entries(), 1u);
}

TEST(output_file, replaces_what_a_link_leads_to_and_keeps_the_link) {
  folder const in;
  std::filesystem::create_directory(in.path("there"));
  in.write("there/file", "old");
  std::filesystem::create_symlink("there/file", in.path("link"));
  output_file out(in.path("link"));
  out.write(bytes("new"));
  out.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(in.path("link")));
  EXPECT_EQ(contents(in.path("there/file")), "new");
}

TEST(output_file, makes_what_a_link_leads_to) {
  folder const in;
  std::filesystem::create_directory(in.path("there"));
  std::filesystem::create_symlink("there/file", in.path("link"));
  output_file out(in.path("link"));
  out.write(bytes("new"));
  out.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(in.path("link")));
  EXPECT_EQ(contents(in.path("there/file")), "new");
}

TEST(output_file, has_the_permissions_that_the_umask_leaves) {
  folder const in;
  auto const saved = ::umask(027);
  output_file out(in.path("out"));
  out.commit();
  ::umask(saved);
  struct stat about;
  ASSERT_EQ(::stat(in.path("out").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0640u);
}

TEST(output_file, keeps_the_permissions_of_the_file_it_replaces) {
  folder const in;
  auto const path = in.write("out", "old");
  auto const saved = ::umask(077);
  for (unsigned const mode : {0664u, 0600u, 0755u}) {
    ::chmod(path.c_str(), mode);
    output_file out(path);
    out.commit();
    struct stat about;
    ASSERT_EQ(::stat(path.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, mode);
  }
  ::umask(saved);
}

TEST(output_file, unfinished_ones_can_be_removed_by_a_signal_handler) {
  folder const in;
  {
    output_file finished(in.path("finished"));
    finished.commit();
    for (int i = 0; i < 100; ++i) output_file abandoned(in.path("abandoned"));
    output_file first(in.path("first")), second(in.path("second"));
    EXPECT_EQ(in.entries(), 3u);
    remove_unfinished_outputs();
    EXPECT_EQ(in.entries(), 1u);
    remove_unfinished_outputs();
  }
  EXPECT_TRUE(std::filesystem::exists(in.path("finished")));
}

TEST(output_file, takes_the_longest_name_and_two_writers_at_once) {
  folder const in;
  auto const path = in.path(std::string(255, 'n'));
  output_file first(path), second(path);
  first.write(bytes("first"));
  second.write(bytes("second"));
  first.commit();
  second.commit();
  EXPECT_EQ(contents(path), "second");
}

TEST(output_file, is_written_by_several_and_committed_by_the_first) {
  folder const in;
  auto const path = in.path("out");
  output_file first(path);
  first.reserve(11);
  first.write(bytes("hello"));
  EXPECT_EQ(std::filesystem::file_size(first.temporary()), 5u);
  {
    output_file other(path, first.temporary());
    other.write_at(6, bytes("world"));
    other.commit();
    output_file(path, first.temporary()).write_at(5, bytes(" "));
    EXPECT_TRUE(std::filesystem::exists(first.temporary()));
  }
  first.commit();
  EXPECT_EQ(contents(path), "hello world");
  EXPECT_EQ(in.entries(), 1u);
  EXPECT_EQ(message_of([&] { output_file(path, in.path("none")); }),
            "cannot write " + path + ": No such file or directory");
}

TEST(output_file, of_several_any_can_remove_what_is_unfinished) {
  folder const in;
  output_file first(in.path("out"));
  output_file other(in.path("out"), first.temporary());
  remove_unfinished_outputs();
  EXPECT_EQ(in.entries(), 0u);
}

TEST(output_file, a_full_disk_is_an_error_that_leaves_nothing) {
  if (::access("/dev/full", W_OK) == 0) {
    EXPECT_EQ(message_of([] { output_file("/dev/full").write(bytes("x")); }),
              "cannot write /dev/full: No space left on device");
  }
  folder const in;
  auto const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit const small{1000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  auto const message = message_of([&] {
    output_file out(in.path("out"));
    out.write(bytes(std::string(5000, 'x')));
    out.commit();
  });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "cannot write " + in.path("out") + ": File too large");
  EXPECT_EQ(in.entries(), 0u);
}

TEST(output_file, what_cannot_be_written_is_an_error) {
  folder const in;
  auto const error_of = [](std::string const& path) {
    return message_of([&] { output_file out(path); });
  };
  EXPECT_EQ(error_of(in.path("none/out")),
            "cannot write " + in.path("none/out") + ": No such file or directory");
  EXPECT_EQ(error_of(in.path("")), "cannot write " + in.path("") + ": Is a directory");
  auto const file = in.write("read-only", "old");
  EXPECT_EQ(error_of(file + "/out"), "cannot write " + file + "/out: Not a directory");
  EXPECT_EQ(error_of(""), "cannot write : No such file or directory");
  ::chmod(file.c_str(), 0444);
  if (::geteuid() == 0) return;  // root writes everywhere
  EXPECT_EQ(error_of(file), "cannot write " + file + ": Permission denied");
}

TEST(output_file, writes_straight_to_what_is_no_file) {
  output_file null("/dev/null");
  EXPECT_FALSE(null.takes_any_offset());
  null.write(bytes("x"));
  null.commit();
  folder const in;
  auto const path = in.path("pipe");
  ::mkfifo(path.c_str(), 0600);
  std::string received;
  std::thread reader([&] { received = contents(path); });
  output_file out(path);
  out.write(bytes("a"));
  out.write_at(1, bytes("b"));
  EXPECT_EQ(message_of([&] { out.write_at(1, bytes("c")); }),
            "cannot write " + path + ": Illegal seek");
  out.commit();
  reader.join();
  EXPECT_EQ(received, "ab");
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST(output_file, a_pipe_that_nobody_reads_is_an_error_of_its_own) {
  folder const in;
  auto const path = in.path("pipe");
  ::mkfifo(path.c_str(), 0600);
  auto const handler = std::signal(SIGPIPE, SIG_IGN);
  int const reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  output_file out(path);
  ::close(reader);
  EXPECT_THROW(out.write(bytes("x")), closed_pipe);
  EXPECT_EQ(message_of([&] { out.write(bytes("x")); }), "cannot write " + path + ": Broken pipe");
  EXPECT_NO_THROW(out.write({}));
  std::signal(SIGPIPE, handler);
}

}  // namespace
}  // namespace tally::io::test
