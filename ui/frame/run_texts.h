// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ui/model/model.h"

// Where the run stands, in words of the status bar.
namespace compmond::ui {

// ", samples to 0.8 s ago", where the window reaches beyond what samples tell by now; else empty.
std::string behind_text(const Model& model);
// "target killed by SIGSEGV at 23.4 s", on the time scale. There must be a snapshot with targets.
std::string targets_end_text(const Model& model);
// ", last answer 12:03:07, 14 s ago"; empty where there was none.
std::string last_answer_text(const Model& model);
// "Load, Parse and 3 more", clean.
std::string names(const std::vector<std::string>& all);

}  // namespace compmond::ui
