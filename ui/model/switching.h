// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/model/model.h"

// Operations that somebody switches off and on while the run goes on.
namespace compmond::ui {

// Whether this client may: of a live run that it may control, while there is a connection.
bool may_switch(const Model& model);
// Wishes that all probes pause, or where they do that they come back.
void pause_or_resume_probes(Model& model);
// Wishes that of the selected operation, or the selected component, nothing is seen from now on, or
// where that is so already, that it is.
void switch_selected(Model& model);
void switch_selected(Model& model, bool on);
// Shows what came of a wish; what was done to a replay shows by itself.
void tell(Model& model, const snapshot::ControlAnswer& answer);

bool is_off(const snapshot::Operation& operation);
// Of a component's operations; of one without own ones, of those inside it.
struct OffCount {
  size_t off = 0, refused = 0, all = 0;
  std::optional<uint64_t> since_ns;  // of the newest that is off
};
OffCount off_count(const snapshot::Snapshot& snapshot, const snapshot::Component& component);
// Whether all of them are off that can be observed.
bool is_off(const snapshot::Snapshot& snapshot, const snapshot::Component& component);

// "switched off since 12.3 s"; of the others empty.
std::string off_text(const Model& model, const snapshot::Operation& operation);
std::string off_text(const Model& model, const snapshot::Component& component);
// Of one that is off, "since 12.3 s"; empty: from the beginning.
std::string off_since_text(const Model& model, const snapshot::Component& component);
// The same of a component of which some are: "1 of 2 operations switched off".
std::string off_in_part_text(const snapshot::Snapshot& snapshot,
                             const snapshot::Component& component);
// "probes paused since 12.3 s"; empty: they are not, all of them.
std::string probes_paused_text(const Model& model);
// When all operations of a component were off, as far as the names of the switches tell it, and
// now; null: of all components.
std::vector<Window> off_spans(const Model& model, const snapshot::Component* component);
// What probes were at a time at which they were not there: "too dear and away", "switched off".
std::string_view why_away(const snapshot::Health& health, const Window& span);
// Whether somebody wanted it so that not everything was seen in the window, and nothing else is
// why: that is told, but is no fault.
bool unseen_by_wish(const snapshot::Snapshot& snapshot);
// What that means for its times; of other windows empty.
std::string unseen_by_wish_text(const snapshot::Snapshot& snapshot);

}  // namespace compmond::ui
