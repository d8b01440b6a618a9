// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tally::io {

// Which of the columns of a CSV file, or of the arrays of a .npz, `kind` says which: the one of the
// name that is wanted, or of its number from 1, or the only one; in quotes it is a name. Throws,
// with the file's name and what there is, where that is none, or two, as where a name of one is the
// number of another; `hint` then follows what one name alone is told with.
std::size_t choose(std::string const& file, std::string_view kind,
                   std::span<std::string const> names, std::optional<std::string> const& wanted,
                   std::string const& hint = {});

}  // namespace tally::io
