// SPDX-License-Identifier: Apache-2.0
#include "tally/io/source.hpp"

#include <utility>

#include "array.hpp"
#include "compressed.hpp"
#include "formats.hpp"
#include "number.hpp"
#include "opened.hpp"
#include "tally/error.hpp"

namespace tally::io {
namespace {

bool decompress(reader& input) {
  auto const magic = input.peek(zstd_magic.size());
  if (magic.starts_with(gzip_magic))
    input.decode(decode_gzip());
  else if (is_zstd(magic))
    input.decode(decode_zstd());
  else
    return false;
  return true;
}

// What is no text has no fields and no words that options could be about.
void refuse_options_of_text(std::string const& name, content what, open_options const& options) {
  auto const refuse = [&](std::string const& option) {
    throw error(name + ": is no text, which " + option + " is about");
  };
  if (what == content::raw && options.column) refuse("--column");
  if (options.delimiter) refuse("--delimiter");
  if (options.header) refuse(*options.header ? "--header" : "--no-header");
  if (!options.missing.empty()) refuse("--missing");
}

// So many bytes of a beginning tell whether it is text.
constexpr std::size_t enough_to_tell = 4096;

}  // namespace

bool ends_in(std::string_view name, std::string_view suffix) {
  return name.size() >= suffix.size() &&
         equal_ignoring_case(name.substr(name.size() - suffix.size()), suffix);
}

std::string_view without_compression(std::string_view name) {
  for (std::string_view const suffix : {".gz", ".zst"})
    if (ends_in(name, suffix)) name.remove_suffix(suffix.size());
  return name;
}

column_rules rules_of(open_options const& options, decimal_use decimals) {
  return {options.type, options.missing, decimals};
}

bool is_csv(std::string const& path, open_options const& options) {
  auto const name = without_compression(path);
  return !options.raw && (options.column || options.delimiter || options.header ||
                          ends_in(name, ".csv") || ends_in(name, ".tsv"));
}

opened identify(std::string const& path, open_options const& options) {
  reader input{input_file(path)};
  if (options.raw && !options.type) throw error(path + ": --raw needs --dtype");
  if (options.raw) return {std::move(input), content::raw};
  bool const compressed = decompress(input);
  auto const name = compressed ? without_compression(path) : path;
  auto const magic = input.peek(npy_magic.size());
  if (magic == npy_magic) return {std::move(input), content::npy};
  if (magic.starts_with(zip_magic) || magic.starts_with(empty_zip_magic))
    return {std::move(input), content::npz};
  for (std::string_view const suffix : {".npy", ".npz"})
    if (ends_in(name, suffix))
      throw error(path + ": is not a " + std::string(suffix) + " file: it begins with " +
                  quoted(magic));
  if (is_csv(path, options)) return {std::move(input), content::csv};
  if (looks_like_text(input.peek(enough_to_tell))) return {std::move(input), content::text};
  if (options.type && nearly_looks_like_text(input.peek(enough_to_tell)))
    throw error(input.name() +
                ": looks like text, but has bytes that text in UTF-8 has not; --raw "
                "says that it is raw data");
  if (options.type) return {std::move(input), content::raw};
  throw error(input.name() + ": is neither text nor a .npy file, it begins with " +
              quoted(input.peek(8)) + "; raw data needs --dtype");
}

std::unique_ptr<source> open(std::string const& path, open_options const& options) {
  auto [input, what] = identify(path, options);
  if (what != content::csv && what != content::text)
    refuse_options_of_text(input.name(), what, options);
  switch (what) {
    case content::npy: return open_npy(std::move(input), options);
    case content::npz: return open_npz(std::move(input), options);
    case content::csv: return open_csv(std::move(input), options);
    case content::text: return open_text(std::move(input), options);
    case content::raw: break;
  }
  return open_array(std::move(input), {.type = *options.type});
}

}  // namespace tally::io
