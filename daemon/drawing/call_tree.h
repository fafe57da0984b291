// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "diagrams/call_tree.h"
#include "graphs/call_tree.h"

// What the drawings of call trees share.
namespace compmond::drawing {

inline constexpr size_t kMostTreeRows = 5000;  // 110,000 pixels: beyond that no viewer follows

// The tree in the terms of the diagrams: node i is its node i.
diagrams::CallTree diagram_of(const graphs::CallTree& tree);
// A tooltip.
std::string about(const graphs::CallTree& tree, uint32_t node);
Unexpected too_large(size_t nodes);

}  // namespace compmond::drawing
