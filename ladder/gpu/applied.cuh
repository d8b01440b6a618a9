// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ladder {

// An operator calls this each time it is applied: the machine counts them, a GPU does not.
__device__ inline void applied() {}

}  // namespace ladder
