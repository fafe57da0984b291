// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/views/shared/view.h"

namespace compmond::ui {

// What the figures are worth, as cards: what is attached, refused, lost, and what it costs.
class HealthView : public View {
 public:
  bool has_time_scale() const override { return false; }
  bool has_details() const override { return false; }
  void draw(const Canvas& canvas, Model& model) override;
};

}  // namespace compmond::ui
