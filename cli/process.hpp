// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tally::cli {

// What was wrong has been told: the exit status is 1.
struct told_already {};

// One line on standard error, whatever a file's name in it may hold.
void tell(std::string message);

// What has to be settled before the first file is opened:
// - A standard stream that is closed becomes one that is empty and cannot be written, so that no
//   file can take its descriptor.
// - Writing to a closed pipe or beyond a limit is an error instead of the end.
// - SIGINT, SIGTERM and SIGHUP end the process as ever, but leave no unfinished output behind.
void prepare_process();

}  // namespace tally::cli
