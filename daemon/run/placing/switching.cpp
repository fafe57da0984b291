// SPDX-License-Identifier: Apache-2.0
#include "placing/switching.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string_view>
#include <utility>

#include "names/wildcard.h"
#include "text/match.h"
#include "text/nearest.h"
#include "text/numbers.h"

namespace compmond::run {
namespace {

constexpr const char* kCannot = "cannot switch this";
constexpr size_t kLongestName = 512;  // each is in every snapshot

constexpr size_t kListedNames = 12;

std::string components_of(const spec::Spec& spec) {
  std::vector<std::string> paths;
  for (const spec::Component& one : spec.components) paths.push_back(one.path);
  if (const size_t all = paths.size(); all > kListedNames) {
    paths.resize(kListedNames);
    paths.push_back(fmt::format("{} more", all - kListedNames));
  }
  return text::listed(paths);
}

Unexpected unknown(const spec::Spec& spec, const plan::Plan& plan, const std::string& name) {
  std::vector<std::string_view> known;
  for (const spec::Component& one : spec.components) {
    known.push_back(one.path);
    known.push_back(text::leaf(one.path));
  }
  for (const plan::PlannedOperation& one : plan.operations) known.push_back(one.name);
  const std::string meant = text::did_you_mean(name, known);
  return fail(Exit::kData, kCannot,
              fmt::format("no component or operation is called '{}', or fits that pattern", name),
              meant.empty() ? fmt::format("The components are {}.", components_of(spec)) : meant);
}

}  // namespace

Switching::Switching(Parts parts) : parts_(std::move(parts)), off_(parts_.plan.operations.size()) {}

Result<Switching::Operations> Switching::named(const std::string& name) const {
  if (name.empty())
    return fail(Exit::kData, kCannot, "it is not said what",
                "Name a component, an operation, or a pattern of such names.");
  if (name.size() > kLongestName)
    return fail(Exit::kData, kCannot, fmt::format("its name has {} bytes", name.size()),
                fmt::format("{} are the most.", kLongestName));
  const auto choose = [&](const auto& fits) {
    Operations out;
    for (size_t i = 0; i < parts_.plan.operations.size(); ++i) {
      const plan::PlannedOperation& one = parts_.plan.operations[i];
      if (fits(parts_.spec.components[size_t(one.component)].path, one.name)) out.push_back(i);
    }
    return out;
  };
  Operations out = choose([&](const std::string& component, const std::string&) {
    return text::inside(component, name);
  });
  if (out.empty()) {
    std::vector<std::string> so_called;
    for (const spec::Component& one : parts_.spec.components)
      if (text::leaf(one.path) == name) so_called.push_back(one.path);
    if (so_called.size() > 1)
      return fail(Exit::kData, kCannot, fmt::format("several components are called '{}'", name),
                  fmt::format("Say which: {}.", text::listed(so_called, "or")));
    for (const std::string& path : so_called)
      out = choose([&](const std::string& component, const std::string&) {
        return text::inside(component, path);
      });
  }
  if (out.empty())
    out =
        choose([&](const std::string&, const std::string& operation) { return operation == name; });
  if (out.empty())
    out = choose([&](const std::string& component, const std::string& operation) {
      return names::wildcard_match(name, component) || names::wildcard_match(name, operation);
    });
  if (out.empty()) return unknown(parts_.spec, parts_.plan, name);
  const size_t first = out.front();
  std::erase_if(out, [&](size_t i) { return !has_probes(i); });
  if (out.empty())
    return fail(
        Exit::kData, kCannot, fmt::format("no probe sees '{}'", name),
        parts_.states[first].refused() ? parts_.states[first].reason : "samples alone tell of it");
  return out;
}

// Or would have some.
bool Switching::has_probes(size_t operation) const {
  return !parts_.states[operation].refused() &&
         !plan::way_of(parts_.plan, parts_.states, operation).sampled();
}

Result<std::string> Switching::set(const std::string& name, bool on) {
  const auto operations = named(name);
  if (!operations) return Unexpected(operations.error());
  const auto differs = [&](size_t i) { return off_[i] == on; };
  const auto changed = size_t(std::ranges::count_if(*operations, differs));
  const char* const state = on ? "on" : "off";
  const char* const later = on && all_off_ ? ": seen again when probes are resumed" : "";
  if (changed == 0)
    return fmt::format("{} of '{}' switched {} already{}",
                       text::counted(operations->size(), "operation"), name, state, later);
  const std::vector<bool> before = off_;
  for (const size_t i : *operations) off_[i] = !on;
  if (auto done = carry_out(name, on); !done) {
    off_ = before;
    return Unexpected(done.error());
  }
  std::string done =
      fmt::format("{} of '{}' switched {}", text::counted(changed, "operation"), name, state);
  if (const size_t same = operations->size() - changed; same > 0)
    done += fmt::format(", {} {} already", text::count(same), same == 1 ? "was" : "were");
  return done + later;
}

Result<std::string> Switching::set_all(bool on) {
  if (all_off_ != on)
    return std::string(on ? "probes are not paused" : "probes are paused already");
  if (!std::ranges::any_of(std::views::iota(size_t(0), off_.size()),
                           [this](size_t i) { return has_probes(i); }))
    return fail(Exit::kData, kCannot, "this run has no probes: samples alone tell of it");
  all_off_ = !on;
  if (on) parts_.placement.pause_transfers(false);  // before there is a call that they may leave
  if (auto done = carry_out("", on); !done) {
    all_off_ = on;
    parts_.placement.pause_transfers(all_off_);
    return Unexpected(done.error());
  }
  parts_.placement.pause_transfers(all_off_);
  return std::string(on ? "probes are back" : "all probes are paused");
}

Result<void> Switching::carry_out(const std::string& what, bool on) {
  Operations go, come;
  for (size_t i = 0; i < off_.size(); ++i) {
    if (!has_probes(i)) continue;
    const bool is_to_be_off = off_[i] || all_off_;
    if (is_to_be_off && !parts_.states[i].is_off()) go.push_back(i);
    if (!is_to_be_off && parts_.states[i].is_off()) come.push_back(i);
  }
  const bool changes = !go.empty() || !come.empty();
  if (changes) parts_.before_change();
  const uint64_t now = parts_.clock();
  if (auto back = bring_back(come); !back) return back;
  take_away(go, now);
  parts_.states.switches().add({now, on, what});
  if (changes) parts_.after_change();
  return {};
}

std::string Switching::since_start(uint64_t now_ns) const {
  return text::moment(double(now_ns - parts_.start_ns), 1e8);
}

void Switching::take_away(const Operations& operations, uint64_t now_ns) {
  Operations attached;  // what is paused has no probes
  std::ranges::copy_if(operations, std::back_inserter(attached),
                       [&](size_t i) { return parts_.states[i].attached(); });
  const std::string reason = plan::switched_off_since(since_start(now_ns));
  for (const size_t i : operations) parts_.states.switch_off(i, now_ns, reason);
  if (!attached.empty()) parts_.rehanger.take_away(attached);
}

Result<void> Switching::bring_back(const Operations& operations) {
  Operations placed;
  std::ranges::copy_if(operations, std::back_inserter(placed),
                       [&](size_t i) { return !parts_.states.is_for_budget(i); });
  if (!placed.empty() && !parts_.room(placed))
    return fail(Exit::kUnavailable, "cannot switch this on",
                "the copies of code that probes need do not fit into the targets' memory",
                "Raise the limit of their memory control group, and try again.");
  uint64_t now = parts_.clock();
  if (!placed.empty()) {
    const auto back = parts_.rehanger.bring_back_anew(placed);
    if (!back) return Unexpected(back.error());
    now = *back;
  }
  for (const size_t i : operations)
    parts_.states.switch_on(i, now, "switched on again at " + since_start(now));
  return {};
}

}  // namespace compmond::run
