// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/view.h"
#include "ui/model/model.h"

namespace compmond::ui {

// Whether an answer has more to show than that time has passed: while nothing is called and nothing
// runs it has not. What samples then tell is how long threads wait, which is up to when they were
// told and nothing else.
bool tells_news(const Model& model, const snapshot::View& view);

}  // namespace compmond::ui
