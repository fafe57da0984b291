// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/out.h"
#include "drawing/picture.h"

namespace compmond::exporting {

// In the language of Graphviz.
void write_dot(Out& out, const drawing::GraphPicture& picture);

}  // namespace compmond::exporting
