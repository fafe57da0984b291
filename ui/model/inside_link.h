// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ui/model/model.h"

// The way from a component or an operation to the functions inside it.
namespace compmond::ui {

// Whether the run has samples, which tell functions.
bool has_samples(const Model& model);
// In which functions its time goes; with the next frame. `operation` empty: of all of them.
void show_inside(Model& model, const std::string& component, const std::string& operation);

}  // namespace compmond::ui
