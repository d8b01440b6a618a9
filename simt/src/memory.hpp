// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace simt {

// A range is a struct, or not aligned as its size would have it.
enum class access_kind { read, write, range_read, range_write, volatile_read, volatile_write };

// The running lane is about to access memory; returns only if it may. No lane runs: nothing.
void see(void* address, std::size_t bytes, access_kind, void* pc);
// Likewise, of an access that was seen and counted when it began.
void see_again(void* address, std::size_t bytes, access_kind, void* pc);

struct space;
struct launch_request;
// Exchanges that may have come too early, when nobody can look any more.
void report_losses(space const&, launch_request const&);

}  // namespace simt
