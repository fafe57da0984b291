// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "snapshot/doubt.h"
#include "text/clean.h"
#include "text/numbers.h"
#include "ui/model/switching.h"
#include "ui/views/map/map_frame.h"

namespace compmond::ui {
namespace {

size_t refused(const snapshot::Component& component) {
  return size_t(std::ranges::count_if(component.operations, is_refused));
}

}  // namespace

bool is_refused(const snapshot::Operation& operation) {
  return operation.exit_mode == snapshot::ExitMode::kRefused;
}

std::string doubt(const snapshot::Component& component, const snapshot::Snapshot& snapshot) {
  const snapshot::Health& health = snapshot.health;
  const auto& figures = component.figures;
  const size_t all = component.operations.size(), missing = refused(component);
  if (component.status == snapshot::Status::kRefused && all > 0)
    return fmt::format("refused: {}", text::clean(component.operations.front().reason.empty()
                                                      ? "none of its operations could be attached"
                                                      : component.operations.front().reason));
  if (is_off(snapshot, component) && is_idle(figures)) return {};  // there are none to doubt
  // While probes were away because they are too dear, samples tell the times.
  // Likewise, what somebody switched off is no fault.
  const bool busy =
      seen_in_part(figures) || unseen_by_wish(snapshot) || off_count(snapshot, component).off > 0;
  if (figures.closed.lossy > 0 && (!busy || health.lost > 0))
    return fmt::format("events lost here: {} calls have no exact end",
                       text::count(figures.closed.lossy));
  if (ends_unsure(figures) && !busy)
    return fmt::format("real time may be off by {}: when calls were left is not known exactly",
                       text::duration(double(figures.unsure_ns)));
  if (figures.at_least && health.lost > 0)
    return "events were lost: calls and times are at least these";
  if (missing > 0) return fmt::format("{} of {} operations not observed", missing, all);
  if (figures.at_least && !busy)
    return "probes were away for a while: calls are at least these, real times uncertain";
  if (figures.truncated > 0)
    return fmt::format("{} calls too deep: their ends are not seen",
                       text::count(figures.truncated));
  if (figures.uncertain && !busy) return fmt::format("uncertain: {}", why_uncertain(snapshot));
  return {};
}

}  // namespace compmond::ui
