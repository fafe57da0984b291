// SPDX-License-Identifier: Apache-2.0
#include "ui/model/model.h"

#include <algorithm>
#include <cmath>

#include "text/clean.h"
#include "text/match.h"
#include "ui/model/component_hues.h"

namespace compmond::ui {
namespace {

constexpr uint64_t kShortest = 1'000;  // ns: below that the clock's own grain shows
constexpr double kEaseSeconds = 0.15;
// While the run is busy, counts come from slices of the time: eight of each operation, which take
// 20 to 60 s. The window has that much of it, in steps that are few.
constexpr uint64_t kBusyWindow = 60'000'000'000, kBusyStep = 1'000'000'000;  // ns
constexpr double kAhead =
    0.15;  // seconds that now may run ahead of the daemon's word and of the figures

bool close(double one, double other, double whole) {
  return std::abs(one - other) <= 1e-3 * std::max(1.0, std::abs(whole));
}

uint64_t added(uint64_t ns, double more) {
  const double sum = double(ns) + more;
  return sum <= 0 ? 0 : uint64_t(sum);
}

bool same_components(const snapshot::Snapshot& one, const snapshot::Snapshot& other) {
  return std::ranges::equal(one.components, other.components, [](const auto& a, const auto& b) {
    return a.name == b.name && a.color == b.color;
  });
}

std::string_view last_parts(std::string_view path, size_t count) {
  size_t at = path.size();
  while (count-- > 0 && at != path.npos && at > 0) at = path.rfind('/', at - 1);
  return at == path.npos || at == 0 ? path : path.substr(at + 1);
}

// The last part of each path, and the one before it too where several end alike; and so on.
std::unordered_map<std::string, std::string> telling_names(const snapshot::Snapshot& of) {
  std::unordered_map<std::string, std::string> out;
  std::vector<std::string_view> left;
  for (const auto& component : of.components) left.push_back(component.name);
  for (size_t parts = 1; !left.empty(); ++parts) {
    std::unordered_map<std::string_view, size_t> count;
    for (const std::string_view path : left) ++count[last_parts(path, parts)];
    std::erase_if(left, [&](std::string_view path) {
      const std::string_view end = last_parts(path, parts);
      const bool tells = count[end] == 1 || end.size() == path.size();
      if (tells) out.emplace(path, text::clean(end));
      return tells;
    });
  }
  return out;
}

// Up to where a window may reach. A replay's is the whole log: where it goes back before a window,
// that stays where it is, and is played again.
uint64_t last_ns(const Model& model) {
  return std::max(
      {model.now_ns(), model.run.start_ns + kShortest, model.run.replay ? model.run.end_ns : 0});
}

void keep_in_run(Model& model) {
  ChosenWindow& window = model.window;
  if (window.live || model.run.now_ns == 0) return;
  const uint64_t start = model.run.start_ns, now = last_ns(model);
  const uint64_t length =
      std::clamp(window.end_ns > window.start_ns ? window.end_ns - window.start_ns : kShortest,
                 kShortest, now - start);
  window.start_ns = std::clamp(window.start_ns, start, now - length);
  window.end_ns = window.start_ns + length;
}

// Where it stands; how long it is wished to be stays as it is.
void place_window(Model& model, uint64_t start_ns, uint64_t end_ns) {
  model.window.live = false;
  model.window.start_ns = std::min(start_ns, end_ns);
  model.window.end_ns = std::max(start_ns, end_ns);
  keep_in_run(model);
}

}  // namespace

const snapshot::Component* Model::component(std::string_view path) const {
  if (!snapshot || path.empty()) return nullptr;
  const auto& all = snapshot->components;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.name == path; });
  return found == all.end() ? nullptr : &*found;
}

std::string Model::name_of(std::string_view path) const {
  const auto known = names.find(std::string(path));
  return known == names.end() ? text::clean(text::leaf(path)) : known->second;
}

const Eased& Model::eased_of(const std::string& path) const {
  static const Eased kNone;
  const auto found = eased.find(path);
  return found == eased.end() ? kNone : found->second;
}

uint64_t Model::now_ns() const {
  if (!moves() || run.paused) return run.now_ns;
  const double ahead_ns = std::clamp(clock_s - heard_s, 0.0, kAhead) * 1e9;
  if (!run.replay) return added(run.now_ns, ahead_ns);
  return std::max(run.now_ns, std::min(run.end_ns, added(run.now_ns, ahead_ns * run.speed)));
}

uint64_t Model::known_ns() const {
  const uint64_t now = now_ns();
  if (!snapshot || !run.live || !rests_on_samples(*snapshot)) return now;
  const uint64_t known = snapshot->health.samples ? snapshot->health.samples->known_until_ns : 0;
  return known > run.start_ns ? std::min(known, now) : now;
}

uint64_t Model::live_length_ns() const {
  if (window.length_ns != kUsualWindow || !snapshot || !snapshot->health.busy)
    return window.length_ns;
  const auto& busy = *snapshot->health.busy;
  if (!busy.now || busy.spans.empty()) return window.length_ns;
  const uint64_t now = run.now_ns, since = busy.spans.back().start_ns;
  const uint64_t lasts = now > since ? now - since : 0;
  return std::clamp(lasts / kBusyStep * kBusyStep, kUsualWindow, kBusyWindow);
}

Window Model::interval() const {
  if (!window.live) return {window.start_ns, window.end_ns};
  const uint64_t end = known_ns();
  const uint64_t length = live_length_ns();
  return {std::max(run.start_ns, end > length ? end - length : 0), end};
}

Window Model::figures_interval() const { return snapshot ? known_window(*snapshot) : interval(); }

bool Model::found(std::string_view name) const { return text::contains(name, search.text); }

void go_live(Model& model) { model.window.live = true; }

// Where there is not enough of the run before now, a replay has the rest of the length behind it.
void pause(Model& model) {
  if (!model.window.live) return;
  const Window now = model.interval();
  place_window(model, now.start_ns,
               model.run.replay ? now.start_ns + model.live_length_ns() : now.end_ns);
}

void set_window(Model& model, uint64_t start_ns, uint64_t end_ns) {
  place_window(model, start_ns, end_ns);
  model.window.length_ns = model.window.end_ns - model.window.start_ns;
}

void shift_window(Model& model, double windows) {
  pause(model);
  const uint64_t length = model.window.end_ns - model.window.start_ns;
  const uint64_t start = added(model.window.start_ns, windows * double(length));
  place_window(model, start, start + length);
}

void scale_window(Model& model, double factor) {
  ChosenWindow& window = model.window;
  if (window.live) {
    window.length_ns = model.live_length_ns();
  } else {
    const double length = double(window.end_ns - window.start_ns);
    const double more = length * (factor - 1) / 2;
    place_window(model, added(window.start_ns, -more), added(window.end_ns, more));
  }
  // A young run may be given a longer window, and one that is longer already stays so.
  const double longest =
      std::max({double(last_ns(model) - model.run.start_ns), 1e9, double(window.length_ns)});
  window.length_ns =
      uint64_t(std::clamp(double(window.length_ns) * factor, double(kShortest), longest));
}

void take(Model& model, snapshot::View&& view) {
  if (model.run.start_ns != view.run.start_ns) model.taken.clear();
  model.run = view.run;
  model.heard_s = model.clock_s;
  ++model.generation;
  if (view.snapshot) {
    if (!model.snapshot || !same_components(*model.snapshot, *view.snapshot)) {
      model.hues = component_hues(*view.snapshot);
      model.short_names.clear();
      for (const auto& component : view.snapshot->components)
        model.short_names.push_back(text::clean(text::leaf(component.name)));
      model.names = telling_names(*view.snapshot);
    }
    for (const auto& edge : view.snapshot->edges)
      if (edge.from && (edge.count > 0 || edge.estimated)) model.taken.emplace(*edge.from, edge.to);
    model.snapshot = std::move(view.snapshot);
    model.changed_s = model.clock_s;
  }
  if (view.strip) model.strip = std::move(view.strip);
  if (view.executions) model.executions = std::move(view.executions);
  if (view.details) model.details = std::move(view.details);
  if (view.analysis && well_formed(*view.analysis)) model.analysis = std::move(view.analysis);
  keep_in_run(model);
}

bool ease(Model& model, double seconds) {
  if (!model.snapshot) return false;
  const double share = 1 - std::exp(-3 * seconds / kEaseSeconds);  // 95 % after kEaseSeconds
  bool moving = false;
  const auto step = [&](double& value, double aim) {
    if (close(value, aim, aim)) {
      value = aim;
    } else {
      value += (aim - value) * share;
      moving = true;
    }
  };
  for (const auto& component : model.snapshot->components) {
    const auto [at, fresh] = model.eased.try_emplace(component.name);
    const auto& aim = component.figures;
    Eased& eased = at->second;
    if (fresh) eased = {aim.hotness};
    step(eased.hotness, aim.hotness);
  }
  return moving;
}

void say(Model& model, std::string text, bool bad) {
  model.toast = Toast{std::move(text), bad, model.clock_s};
}

}  // namespace compmond::ui
