// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ui/model/model.h"

// Times as people read them: since the run's start. Moments are ns of the daemon's clock.
namespace compmond::ui {

// ns; 0 for what was before the start.
double since_start(const Model& model, uint64_t moment_ns);
// "2.05 s", with the decimals that steps of `step_ns` need, as text::moment().
std::string moment_text(const Model& model, uint64_t moment_ns, double step_ns);
// "2.05 s – 4.10 s", to a `steps`-th of its length.
std::string span_text(const Model& model, const Window& span, double steps = 10);
// Figures' window: "last 5.00 s" while the chosen one follows, else its span.
std::string window_text(const Model& model, const Window& window);

}  // namespace compmond::ui
