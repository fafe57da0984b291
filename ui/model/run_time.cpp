// SPDX-License-Identifier: Apache-2.0
#include "ui/model/run_time.h"

#include <fmt/format.h>

#include "text/numbers.h"

namespace compmond::ui {

double since_start(const Model& model, uint64_t moment_ns) {
  return moment_ns > model.run.start_ns ? double(moment_ns - model.run.start_ns) : 0;
}

std::string moment_text(const Model& model, uint64_t moment_ns, double step_ns) {
  const uint64_t last = model.run.replay ? model.run.end_ns : model.run.now_ns;
  return text::moment(since_start(model, moment_ns), step_ns, since_start(model, last));
}

std::string span_text(const Model& model, const Window& span, double steps) {
  const double step_ns = double(span.length()) / steps;
  return fmt::format("{} – {}", moment_text(model, span.start_ns, step_ns),
                     moment_text(model, span.end_ns, step_ns));
}

std::string window_text(const Model& model, const Window& window) {
  if (model.window.live) return fmt::format("last {}", text::duration(double(window.length())));
  return span_text(model, window);
}

}  // namespace compmond::ui
