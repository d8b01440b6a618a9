// SPDX-License-Identifier: Apache-2.0
//
// The programs that hold the kernels. They are processes of their own: a kernel that hangs or
// crashes does the command no harm.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "number.hpp"

namespace tally::cli {

// The path of the program `name` that belongs to this command; nothing if it was not built.
std::optional<std::string> ladder_program(std::string const& name);

// The lines of JSON that the program prints. Its exit status is 0, or 1 where a line says why; a
// program that ends otherwise, or has nothing to say, is an error, in its own words if it has any.
// The program ends with this process.
std::vector<json> run_ladder_program(std::string const& path,
                                     std::vector<std::string> const& arguments);

}  // namespace tally::cli
