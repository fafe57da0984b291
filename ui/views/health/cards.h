// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ui/model/model.h"
#include "ui/views/health/card_column.h"

// What the health view tells in figures, a card or two each.
namespace compmond::ui {

constexpr double kCutMost = 0.01;  // of stacks: more is to be told

// Of all samples, "1.2 %".
std::string part_text(uint64_t count, const snapshot::SamplesHealth& samples);

void draw_samples(CardColumn& column, const snapshot::SamplesHealth& samples);
void draw_records(CardColumn& column, const snapshot::Health& health, const Model& model);
void draw_cost(CardColumn& column, const snapshot::Health& health, const Model& model);
void draw_target(CardColumn& column, const snapshot::Health& health, const Model& model);
// What somebody switched off, when, and where this client may, the way to switch all of it.
void draw_switched(CardColumn& column, Model& model);
void draw_operations_lists(CardColumn& column, const snapshot::Health& health, bool probes);

}  // namespace compmond::ui
