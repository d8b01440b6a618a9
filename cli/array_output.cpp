// SPDX-License-Identifier: Apache-2.0
#include "array_output.hpp"

#include <algorithm>
#include <limits>

#include "arguments.hpp"
#include "standard_output.hpp"
#include "tally/error.hpp"
#include "tally/io/source.hpp"
#include "text_lines.hpp"

namespace tally::cli {
namespace {

// What data and text go by, and no raw data.
constexpr std::string_view never_written[] = {
    ".npz",   ".z",    ".lzo",  ".sz",         ".tbz2",   ".txz",    ".tzst",    ".gz",
    ".tgz",   ".zst",  ".bz2",  ".xz",         ".lzma",   ".lz4",    ".lz",      ".br",
    ".zip",   ".7z",   ".rar",  ".tar",        ".json",   ".jsonl",  ".ndjson",  ".geojson",
    ".xml",   ".html", ".htm",  ".yaml",       ".yml",    ".toml",   ".md",      ".tex",
    ".text",  ".log",  ".tab",  ".psv",        ".ssv",    ".asc",    ".parquet", ".feather",
    ".arrow", ".orc",  ".avro", ".xls",        ".xlsx",   ".xlsb",   ".ods",     ".h5",
    ".hdf5",  ".nc",   ".mat",  ".pkl",        ".pickle", ".pt",     ".pth",     ".rds",
    ".rdata", ".dta",  ".sav",  ".fits",       ".db",     ".sqlite", ".sqlite3", ".duckdb",
    ".pdf",   ".png",  ".svg",  ".safetensors"};

bool has_header(std::string const& path) {
  return io::ends_in(path, ".csv") || io::ends_in(path, ".tsv");
}

}  // namespace

bool is_text(std::string const& path) { return io::ends_in(path, ".txt") || has_header(path); }

void require_written(std::string const& option, std::string const& path) {
  for (std::string_view const ending : never_written)
    if (io::ends_in(path, ending))
      throw usage_error(option + " " + path + ": no " + std::string(ending) +
                        " is written; .npy is, text in .txt, .csv and .tsv, and raw data under "
                        "other names");
}

array_output::array_output(std::string const& path, dtype type,
                           std::optional<std::vector<std::uint64_t>> const& shape)
    : file_(path), standard_(is_standard_output(path)), type_(type), text_(is_text(path)) {
  if (has_header(path)) put_text("value\n");
  if (!io::ends_in(path, ".npy")) return;
  header_missing_ = !shape;
  if (header_missing_ && !takes_any_offset())
    throw error("-o " + path + ": has to be a regular file, because the array's length, which is " +
                "only known at its end, goes into the header");
  // The header of one dimension has the same size for any length; it is written again at the end.
  std::vector<std::uint64_t> const longest = {std::numeric_limits<std::uint64_t>::max()};
  auto const header = io::npy_header(type, shape.value_or(longest));
  write(header);
  header_bytes_ = header.size();
}

array_output::array_output(std::string const& path, dtype type,
                           std::vector<std::uint64_t> const& shape, std::string const& temporary)
    : file_(path, temporary), standard_(false), type_(type), text_(false) {
  if (io::ends_in(path, ".npy")) header_bytes_ = io::npy_header(type, shape).size();
}

void array_output::reserve(std::uint64_t elements) {
  file_.reserve(header_bytes_ + elements * size_of(type_));
}

void array_output::put(std::uint64_t first, std::span<std::byte const> elements) {
  if (text_) return write_lines(type_, elements, [&](auto const& text) { put_text(text); });
  auto const size = size_of(type_);
  write(elements, header_bytes_ + first * size);
  count_ = std::max<std::uint64_t>(count_, first + elements.size() / size);
}

void array_output::put_text(std::string_view text) { write(std::as_bytes(std::span(text))); }

void array_output::write(std::span<std::byte const> bytes, std::optional<std::uint64_t> at) {
  try {
    at ? file_.write_at(*at, bytes) : file_.write(bytes);
  } catch (io::closed_pipe const&) {
    if (standard_) throw closed_pipe{};
    throw;
  }
}

void array_output::finish() {
  std::uint64_t const shape[] = {count_};
  if (header_missing_) write(io::npy_header(type_, shape), 0);
  file_.commit();
}

}  // namespace tally::cli
