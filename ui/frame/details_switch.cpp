// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ui/frame/details_parts.h"
#include "ui/kit/draw.h"
#include "ui/kit/link_row.h"
#include "ui/model/switching.h"

namespace compmond::ui {

void draw_off(Panel& panel, Model& model, const snapshot::Component& component) {
  const std::string off = off_text(model, component),
                    in_part = off_in_part_text(*model.snapshot, component);
  if (off.empty() && in_part.empty()) return;
  const std::string paused = probes_paused_text(model);
  const std::string which = off.empty() ? "these" : "it";
  panel.note((!paused.empty() ? "All " + paused
              : off.empty()   ? in_part
                              : "It is " + off) +
             (times_estimated(component.figures)
                  ? ": no call of " + which + " is seen, samples tell the time."
                  : ": nothing is seen of " + which + "."));
  draw_switch(panel, model, component);
}

void draw_switch(Panel& panel, Model& model, const snapshot::Component& component) {
  if (!may_switch(model)) return;
  const auto marked = std::ranges::find(component.operations, model.selection.operation,
                                        &snapshot::Operation::name);
  const bool one = marked != component.operations.end();
  const bool off = one ? is_off(*marked) : is_off(*model.snapshot, component);
  const bool in_part = !one && !off && off_count(*model.snapshot, component).off > 0;
  const char* whose = one ? "Of the marked operation." : "Of all operations of this component.";
  LinkRow links{panel.theme, panel.left, panel.y, panel.px(22), panel.px(16)};
  const auto link = [&](const char* label, bool on, const std::string& what) {
    if (links.link(label)) switch_selected(model, on);
    if (ImGui::IsItemHovered())
      tooltip(panel.theme, std::string(on ? "switch on (J)" : "switch off (J)"), what + " " + whose,
              definition(Term::kSwitchedOff).text);
  };
  if (off || in_part)
    link(one ? "switch operation on" : "switch on", true, "Calls are seen again.");
  if (!off)
    link(one ? "switch operation off" : "switch off", false, "Calls are not seen any more.");
  panel.y += panel.px(26);
}

}  // namespace compmond::ui
