// SPDX-License-Identifier: Apache-2.0
#include "bounds/exact.hpp"

#include <gtest/gtest.h>
