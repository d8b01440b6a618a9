// SPDX-License-Identifier: Apache-2.0
//
// The temporary files that there are, where remove_unfinished_outputs() finds them.
#pragma once

#include <string>

namespace tally::io {

// Returns what forget_unfinished() takes, also if there is no room to remember `path`.
int remember_unfinished(std::string const& path) noexcept;
void forget_unfinished(int entry) noexcept;

}  // namespace tally::io
