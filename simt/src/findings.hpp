// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "execution.hpp"

namespace simt {

void keep_finding(launch_request const&, lane_id, std::string kind, std::string text, void* pc);

std::string name_of(lane const&);                      // "lane (3,0,0)"
std::string name_of(lane_id, lane const& as_seen_by);  // and its block, if that is another
std::string name_of(lane_id, lane_id as_seen_by, launch_request const&);

}  // namespace simt
