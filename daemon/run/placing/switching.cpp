// SPDX-License-Identifier: Apache-2.0
#include "placing/switching.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "names/wildcard.h"
#include "text/clean.h"
#include "text/match.h"
#include "text/nearest.h"
#include "text/numbers.h"

namespace compmond::run {
namespace {

constexpr const char* kCannot = "cannot switch this";

Unexpected unknown(const spec::Spec& spec, const plan::Plan& plan, const std::string& name) {
  std::vector<std::string_view> known;
  for (const spec::Component& one : spec.components) {
    known.push_back(one.path);
    known.push_back(text::leaf(one.path));
  }
  for (const plan::PlannedOperation& one : plan.operations) known.push_back(one.name);
  const std::string nearest = text::nearest(name, known);
  return fail(Exit::kData, kCannot,
              fmt::format("nothing here is called '{}', or like that", name.substr(0, 200)),
              nearest.empty() ? "A snapshot names components and operations."
                              : fmt::format("Is '{}' meant?", nearest));
}

}  // namespace

Switching::Switching(Parts parts) : parts_(std::move(parts)), off_(parts_.plan.operations.size()) {}

Result<Switching::Operations> Switching::named(const std::string& name) const {
  if (name.empty())
    return fail(Exit::kData, kCannot, "it is not said what",
                "Name a component, an operation, or a pattern of such names.");
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
  const auto refused = [&](size_t i) { return parts_.states[i].refused(); };
  if (std::ranges::all_of(out, refused))
    return fail(Exit::kData, kCannot, fmt::format("no probe sees '{}'", name.substr(0, 200)),
                parts_.states[out.front()].reason);
  std::erase_if(out, refused);
  return out;
}

Result<std::string> Switching::set(const std::string& name, bool on) {
  const auto operations = named(name);
  if (!operations) return Unexpected(operations.error());
  const auto differs = [&](size_t i) { return off_[i] == on; };
  const auto changed = size_t(std::ranges::count_if(*operations, differs));
  const std::string which =
      fmt::format("{} of '{}'", text::counted(operations->size(), "operation"), name);
  if (changed == 0) return fmt::format("{} switched {} already", which, on ? "on" : "off");
  const std::vector<bool> before = off_;
  for (const size_t i : *operations) off_[i] = !on;
  if (auto done = carry_out(name, on); !done) {
    off_ = before;
    return Unexpected(done.error());
  }
  return fmt::format("{} switched {}{}", which, on ? "on" : "off",
                     on && all_off_ ? ": seen again when probes are resumed" : "");
}

Result<std::string> Switching::set_all(bool on) {
  if (all_off_ != on)
    return std::string(on ? "probes are not paused" : "probes are paused already");
  all_off_ = !on;
  if (auto done = carry_out("", on); !done) {
    all_off_ = on;
    return Unexpected(done.error());
  }
  parts_.placement.pause_transfers(all_off_);
  return std::string(on ? "probes are back" : "all probes are paused");
}

Result<void> Switching::carry_out(const std::string& what, bool on) {
  plan::OperationStates& states = parts_.states;
  Operations go, come;
  for (size_t i = 0; i < states.size(); ++i) {
    if (states[i].refused()) continue;
    const bool is_to_be_off = off_[i] || all_off_;
    if (is_to_be_off && !states[i].is_off()) go.push_back(i);
    if (!is_to_be_off && states[i].is_off()) come.push_back(i);
  }
  if (!come.empty() && !parts_.room(come))
    return fail(Exit::kUnavailable, "cannot switch this on",
                "the copies of code that probes need do not fit into the targets' memory",
                "Raise the limit of their memory control group.");
  const uint64_t now = parts_.clock();
  states.switches().add({now, on, what});
  const std::string since = text::moment(double(now - parts_.start_ns), 1e8);
  if (!go.empty()) {
    Operations attached;  // what is paused has no probes
    std::ranges::copy_if(go, std::back_inserter(attached),
                         [&](size_t i) { return states[i].attached(); });
    for (const size_t i : go) states.switch_off(i, now, plan::switched_off_since(since));
    if (!attached.empty()) parts_.rehanger.take_away(attached);
  }
  std::erase_if(
      come, [&](size_t i) { return !states.switch_on(i, now, "switched on again at " + since); });
  if (come.empty()) return {};
  const Window moment{now, parts_.rehanger.bring_back(come)};
  for (const size_t i : come) states.missed(i, moment);
  return {};
}

}  // namespace compmond::run
