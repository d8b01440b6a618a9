// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu/arguments.hpp"

#include <sstream>

#include "tally/error.hpp"

namespace tally::detail {

void require_reach(gpu_context const& context, char const* call, char const* argument,
                   void const* data) {
  if (data == nullptr || context.reaches(data)) return;
  std::ostringstream text;
  text << call << ": " << argument << " = " << data
       << " is memory of the host, out of reach of gpu:" << context.device()
       << ": tally::gpu_copy and tally::gpu_output are in its own";
  throw error(text.str());
}

}  // namespace tally::detail
