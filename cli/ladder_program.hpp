// SPDX-License-Identifier: Apache-2.0
//
// The programs that hold the kernels. They are processes of their own: a kernel that hangs or
// crashes does the command no harm.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "number.hpp"

namespace tally::cli {

// The path of the program `name` that belongs to this command; nothing if it was not built.
std::optional<std::string> ladder_program(std::string const& name);

// The lines of JSON that the program prints; `look` is called with those that there are at least
// twice a second. Its exit status is 0, or 1 where a line says why; a
// program that ends otherwise, or has nothing to say, is an error, in its own words if it has any.
// The program ends with this process.
std::vector<json> run_ladder_program(
    std::string const& path, std::vector<std::string> const& arguments,
    std::function<void(std::vector<json> const&)> const& look = [](auto const&) {});

}  // namespace tally::cli
