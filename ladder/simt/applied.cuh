// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simt/machine.hpp"

namespace ladder {

// An operator calls this each time it is applied: the machine counts them.
inline void applied() { simt::count_application(); }

}  // namespace ladder
