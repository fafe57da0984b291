// SPDX-License-Identifier: Apache-2.0
#include "ui/frame/run_texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/model/run_time.h"

namespace compmond::ui {

std::string behind_text(const Model& model) {
  if (!model.run.live || !model.snapshot || samples_behind_ns(*model.snapshot) == 0) return {};
  const uint64_t known = model.snapshot->health.samples->known_until_ns, now = model.now_ns();
  return fmt::format(", samples to {} ago", text::moment(double(now - std::min(now, known)), 1e8));
}

std::string targets_end_text(const Model& model) {
  const auto& targets = model.snapshot->targets;
  const auto last = std::ranges::max_element(
      targets, {}, [](const auto& target) { return target.ended_ns.value_or(0); });
  std::string out = targets.size() == 1 ? "target " + end_text(*last) : "targets ended";
  if (last->ended_ns && *last->ended_ns >= model.run.start_ns)
    out += " at " + moment_text(model, *last->ended_ns, 1e8);
  return out;
}

std::string last_answer_text(const Model& model) {
  if (model.heard_wall_s <= 0) return {};
  return fmt::format(", last answer {}, {}", text::time_of_day(model.heard_wall_s),
                     text::ago(model.clock_s - model.heard_s));
}

std::string names(const std::vector<std::string>& all) {
  constexpr size_t kNamed = 8;
  std::string out;
  for (size_t i = 0; i < std::min(all.size(), kNamed); ++i)
    out += (i ? ", " : "") + text::clean(all[i]);
  if (all.size() > kNamed) out += fmt::format(" and {} more", all.size() - kNamed);
  return out;
}

}  // namespace compmond::ui
