// SPDX-License-Identifier: Apache-2.0
#include "tally/io/source.hpp"

#include <utility>

#include "formats.hpp"
#include "number.hpp"
#include "tally/error.hpp"

namespace tally::io {
namespace {

bool decompress(reader& input) {
  auto by = decoder_for(input.peek(enough_to_tell_compression));
  if (!by) return false;
  input.decode(std::move(by));
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

// So many bytes of a beginning tell what it is.
constexpr std::size_t enough_to_tell = 4096;

// Whether somebody says that it is CSV; its name says so, too, and is a guess.
bool is_said_csv(open_options const& options) {
  return options.column || options.delimiter || options.header;
}

// What the name promises, where it holds nothing such.
void refuse_other_name(std::string const& path, std::string_view name, std::string_view magic) {
  for (std::string_view const suffix : {".npy", ".npz", ".gz", ".zst", ".bz2", ".xz"})
    if (ends_in(name, suffix) && (magic.empty() || suffix.starts_with(".np")))
      throw error(path + ": is not a " + std::string(suffix) + " file: it " +
                  (magic.empty() ? "is empty" : "begins with " + quoted(magic)));
}

[[noreturn]] void fail_unknown(reader& input, std::string_view beginning) {
  throw error(input.name() + ": is neither text nor a .npy file, it begins with " +
              quoted(beginning.substr(0, 8)) + "; raw data needs --dtype");
}

// The content of what begins so and is no array with a header.
content text_or_raw(reader& input, std::string const& path, std::string_view name,
                    open_options const& options) {
  auto const beginning = input.peek(enough_to_tell);
  auto const refuse = [&](std::string const& what) {
    if (!what.empty()) throw error(input.name() + ": " + what + raw_hint(options));
  };
  bool const named_csv = ends_in(name, ".csv") || ends_in(name, ".tsv");
  bool const csv = is_said_csv(options) || named_csv;
  bool const nearly_text = nearly_looks_like_text(beginning);
  refuse(foreign_format(path, beginning));
  if (csv || nearly_text || !options.type) refuse(foreign_encoding(path, beginning));
  if (!is_said_csv(options)) refuse_other_name(path, name, beginning.substr(0, npy_magic.size()));
  bool const tag = without_mark(beginning).starts_with('<');
  if (named_csv && !is_said_csv(options) && tag) refuse(foreign_text(path, beginning));
  if (csv) return content::csv;
  if (looks_like_text(beginning)) {
    refuse(foreign_text(path, beginning));
    return has_names(beginning, {options.type, options.missing}) ? content::csv : content::text;
  }
  if (nearly_text) refuse(told_odd_text(path, beginning));
  if (!options.type) fail_unknown(input, beginning);
  return content::raw;
}

opened identify(std::string const& path, open_options const& options) {
  reader input{input_file(path)};
  if (options.raw && !options.type) throw error(path + ": --raw needs --dtype");
  auto what = content::raw;
  if (!options.raw) {
    bool const compressed = decompress(input);
    auto const magic = input.peek(npy_magic.size());
    if (magic == npy_magic)
      what = content::npy;
    else if (magic.starts_with(zip_magic) || magic.starts_with(empty_zip_magic))
      what = content::npz;
    else
      what = text_or_raw(input, path, compressed ? without_compression(path) : path, options);
  }
  return {std::move(input), what, options};
}

}  // namespace

bool ends_in(std::string_view name, std::string_view suffix) {
  return name.size() >= suffix.size() &&
         equal_ignoring_case(name.substr(name.size() - suffix.size()), suffix);
}

std::string_view without_compression(std::string_view name) {
  for (std::string_view const suffix : {".gz", ".zst", ".bz2", ".xz"})
    if (ends_in(name, suffix)) name.remove_suffix(suffix.size());
  return name;
}

identified::identified(std::string const& path, open_options const& options)
    : found_(std::make_unique<opened>(identify(path, options))) {}
identified::identified(identified&&) noexcept = default;
identified::~identified() = default;
bool identified::is_npz() const { return found_->what == content::npz; }
bool identified::is_csv() const { return found_->what == content::csv; }
opened identified::take() && { return std::move(*found_); }

std::unique_ptr<source> open(identified file) {
  auto found = std::move(file).take();
  auto& [input, what, options] = found;
  auto const name = input.name();
  if (what == content::csv || what == content::text) return open_text(std::move(found));
  if (what == content::npz) {
    auto array = open_npz(std::move(input), options);  // unless it is a ZIP archive of other files
    refuse_options_of_text(name, what, options);
    return array;
  }
  refuse_options_of_text(name, what, options);
  if (what == content::npy) return open_npy(std::move(input), options);
  return open_array(std::move(input), {.type = *options.type});
}

std::unique_ptr<source> open(std::string const& path, open_options const& options) {
  return open(identified(path, options));
}

}  // namespace tally::io
