// SPDX-License-Identifier: Apache-2.0
#include "ui/model/switching.h"

#include <fmt/format.h>

#include <algorithm>

#include "snapshot/doubt.h"
#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/model/run_time.h"

namespace compmond::ui {
namespace {

using snapshot::Action;

constexpr std::string_view kSwitchedOff = "switched off";
constexpr double kStep = 1e8;  // ns: moments are told to a tenth of a second

// Says it where the client may not.
bool may_or_says_why_not(Model& model) {
  if (may_switch(model)) return true;
  say(model, model.frozen()     ? "There is no connection: nothing can be switched."
             : model.run.replay ? "A replay has no probes that could be switched."
             : !model.run.live  ? "The run has ended: there are no probes to switch."
                                : "This client may look only: its user may not switch probes.");
  return false;
}

void add(OffCount& count, const snapshot::Component& component) {
  for (const snapshot::Operation& operation : component.operations) {
    ++count.all;
    count.refused += operation.state == snapshot::Presence::kRefused;
    if (!is_off(operation)) continue;
    ++count.off;
    count.since_ns = std::max(count.since_ns, operation.since_ns);
  }
}

std::string since_text(const Model& model, const std::optional<uint64_t>& since_ns) {
  return since_ns ? "since " + moment_text(model, *since_ns, kStep) : std::string();
}

std::string with(std::string_view what, const std::string& since) {
  return std::string(what) + (since.empty() ? "" : " ") + since;
}

}  // namespace

bool may_switch(const Model& model) {
  return model.hello.control && model.run.live && !model.run.replay && !model.frozen();
}

void pause_or_resume_probes(Model& model) {
  if (!may_or_says_why_not(model)) return;
  const bool paused = model.snapshot && model.snapshot->health.probes_paused;
  model.wishes.control =
      snapshot::ControlRequest{0, paused ? Action::kResumeProbes : Action::kPauseProbes, {}};
}

void switch_selected(Model& model) {
  if (!may_or_says_why_not(model)) return;
  const snapshot::Component* component = model.component(model.selection.component);
  if (!component) return say(model, "Nothing is selected that could be switched.");
  const auto marked = std::ranges::find(component->operations, model.selection.operation,
                                        &snapshot::Operation::name);
  switch_selected(model, marked == component->operations.end() ? is_off(*model.snapshot, *component)
                                                               : is_off(*marked));
}

void switch_selected(Model& model, bool on) {
  const Selection& selected = model.selection;
  model.wishes.control = snapshot::ControlRequest{
      0,
      on ? Action::kEnable : Action::kDisable,
      {},
      selected.operation.empty() ? selected.component : selected.operation};
}

void tell(Model& model, const snapshot::ControlAnswer& answer) {
  if (!answer.error.empty())
    say(model, text::clean(answer.error), true);
  else if (!model.run.replay && !answer.done.empty())
    say(model, text::clean(answer.done));
}

bool is_off(const snapshot::Operation& operation) {
  return operation.state == snapshot::Presence::kDisabled;
}

OffCount off_count(const snapshot::Snapshot& snapshot, const snapshot::Component& component) {
  OffCount out;
  add(out, component);
  if (!component.operations.empty()) return out;
  for (const snapshot::Component& part : snapshot.components)
    if (text::inside(part.name, component.name)) add(out, part);
  return out;
}

bool is_off(const snapshot::Snapshot& snapshot, const snapshot::Component& component) {
  if (component.status == snapshot::Status::kDisabled) return true;
  if (component.status != snapshot::Status::kPartial) return false;
  const OffCount count = off_count(snapshot, component);
  return count.off > 0 && count.off + count.refused == count.all;
}

std::string off_text(const Model& model, const snapshot::Operation& operation) {
  return is_off(operation) ? with(kSwitchedOff, since_text(model, operation.since_ns))
                           : std::string();
}

std::string off_text(const Model& model, const snapshot::Component& component) {
  if (!is_off(*model.snapshot, component)) return {};
  return with(kSwitchedOff, off_since_text(model, component));
}

std::string off_since_text(const Model& model, const snapshot::Component& component) {
  return since_text(model, off_count(*model.snapshot, component).since_ns);
}

std::string off_in_part_text(const snapshot::Snapshot& snapshot,
                             const snapshot::Component& component) {
  if (component.status != snapshot::Status::kPartial || is_off(snapshot, component)) return {};
  const OffCount count = off_count(snapshot, component);
  if (count.off == 0) return {};
  return fmt::format("{} of {} operations switched off", text::count(count.off),
                     text::count(count.all));
}

std::string probes_paused_text(const Model& model) {
  if (!model.snapshot || !model.snapshot->health.probes_paused) return {};
  const auto& switches = model.snapshot->health.switches;
  const auto last = std::find_if(switches.rbegin(), switches.rend(),
                                 [](const auto& one) { return one.what.empty() && !one.on; });
  return with("probes paused",
              last == switches.rend() ? std::string() : since_text(model, last->at_ns));
}

std::vector<Window> off_spans(const Model& model, const snapshot::Component* component) {
  std::vector<Window> out;
  const snapshot::Snapshot& snapshot = *model.snapshot;
  std::optional<uint64_t> since_ns;
  for (const snapshot::Health::Switch& one : snapshot.health.switches) {
    if (!one.what.empty() && !(component && text::inside(component->name, one.what))) continue;
    if (one.on && since_ns) out.push_back({*since_ns, one.at_ns});
    if (one.on)
      since_ns.reset();
    else if (!since_ns)
      since_ns = one.at_ns;
  }
  if (component ? !is_off(snapshot, *component) : !snapshot.health.probes_paused) return out;
  if (!since_ns && component) since_ns = off_count(snapshot, *component).since_ns;
  out.push_back({since_ns.value_or(model.run.start_ns), model.now_ns()});
  return out;
}

std::string_view why_away(const snapshot::Health& health, const Window& span) {
  const bool dear = health.busy && std::ranges::any_of(health.busy->spans, [&](const auto& busy) {
                      return busy.start_ns < span.end_ns && busy.end_ns > span.start_ns;
                    });
  if (!dear && !health.switches.empty()) return kSwitchedOff;
  return health.switches.empty() ? "too dear and away" : "too dear and away, or switched off";
}

bool unseen_by_wish(const snapshot::Snapshot& snapshot) {
  const snapshot::Health& health = snapshot.health;
  return !health.switches.empty() && health.lost == 0 && probes_were_away(snapshot) &&
         why_away(health, {snapshot.window_start_ns, snapshot.window_end_ns}) == kSwitchedOff;
}

std::string unseen_by_wish_text(const snapshot::Snapshot& snapshot) {
  if (!unseen_by_wish(snapshot)) return {};
  return rests_on_samples(snapshot) ? "Something was switched off: times are from samples, calls "
                                      "are those that probes saw."
                                    : "Something was switched off: its time is in that of its "
                                      "callers.";
}

}  // namespace compmond::ui
