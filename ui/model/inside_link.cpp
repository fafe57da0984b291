// SPDX-License-Identifier: Apache-2.0
#include "ui/model/inside_link.h"

namespace compmond::ui {

bool has_samples(const Model& model) { return model.snapshot && model.snapshot->health.samples; }

void show_inside(Model& model, const std::string& component, const std::string& operation) {
  model.selection = {component, operation, {}};
  model.wishes.view = ViewId::kInside;
}

}  // namespace compmond::ui
