// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/out.h"
#include "drawing/picture.h"
#include "graphs/call_tree.h"
#include "graphs/sequence.h"

namespace compmond::exporting {

// A name as PlantUML shows it, whatever is in it: what it would take for markup is written as a
// character reference. Lines are separated by \n.
std::string plantuml_text(std::string_view text);

void write_plantuml(Out& out, const drawing::GraphPicture& picture);
void write_plantuml(Out& out, const graphs::Sequence& sequence);
void write_plantuml(Out& out, const graphs::CallTree& tree);  // as a mind map

}  // namespace compmond::exporting
