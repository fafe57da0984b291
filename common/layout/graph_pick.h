// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "layout/map_scene.h"

// What a pointer means in a scene. Layout units; -1: nothing. `shown` per node or per edge; empty:
// all are.
namespace compmond::layout {

int box_at(const MapScene& scene, const std::vector<char>& shown, geometry::Pt at);
// The nearest line that is less than `reach` away.
int line_at(const MapScene& scene, const std::vector<char>& shown, geometry::Pt at, double reach);

}  // namespace compmond::layout
