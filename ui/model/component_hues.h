// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "snapshot/snapshot.h"

namespace compmond::ui {

// By path: the colour that the spec gives a component or one around it, else one of a fixed
// palette, in turn. 0xRRGGBB.
std::unordered_map<std::string, uint32_t> component_hues(const snapshot::Snapshot& snapshot);

// "#rrggbb" as 0xRRGGBB; `otherwise` for anything else.
uint32_t parsed_colour(const std::string& text, uint32_t otherwise);

}  // namespace compmond::ui
