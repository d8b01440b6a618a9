// SPDX-License-Identifier: Apache-2.0
#include "tally/io/source.hpp"

#include <utility>

#include "array.hpp"
#include "formats.hpp"
#include "number.hpp"
#include "tally/error.hpp"

namespace tally::io {

std::unique_ptr<source> open(std::string const& path, open_options const& options) {
  reader input{input_file(path)};
  auto const beginning = input.peek(npy_magic.size());
  if (beginning == npy_magic) return open_npy(std::move(input), options);
  if (path.ends_with(".npy"))
    throw error(path + ": is not a .npy file: it begins with " + quoted(beginning));
  if (options.column || path.ends_with(".csv")) return open_csv(std::move(input), options);
  if (options.type) return open_array(std::move(input), {.type = *options.type});
  if (input.file().is_regular() && !input.file().is_standard_input())
    throw error(path + ": is not a .npy file; raw data needs --dtype, CSV needs --column");
  return open_text(std::move(input));
}

}  // namespace tally::io
