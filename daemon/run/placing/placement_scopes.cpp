// SPDX-License-Identifier: Apache-2.0
// Where operations hang: once for all processes, or in each of them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/clock.h"
#include "placing/placement.h"
#include "target/proc_folder.h"
#include "target/process.h"

namespace compmond::run {

// What no process has loaded yet goes on by its next way until one has.
Result<void> Placement::attach_in_processes(int image, const engine::StepsDone& told) {
  const std::vector<engine::Scope> scopes = scopes_of(image);
  for (size_t i = 0; i < scopes.size(); ++i) {
    const engine::Scope scope = scopes[i];
    if (told) told(size_t(image) * scopes.size() + i, plan_.images.size() * scopes.size());
    if (scope.pid == 0) continue;
    auto done = attach(scope);
    if (!done && done.error().code != Exit::kNoInput) return done;  // else it ended meanwhile
  }
  for (size_t i = 0; i < states_.size(); ++i) {
    const size_t way = states_[i].way;
    if (plan_.operations[i].image != image || taken_[i] || !states_[i].attached() ||
        !captures_.by_process(plan::way_of(plan_, states_, i)) || !later_.awaits(image, i))
      continue;
    later_.fell(image, i, way);
    if (states_.fall_through(plan_, i, "no process maps its code yet")) displaced_.push_back(i);
  }
  return {};
}

// Those that fell through to an engine that hangs them in other scopes.
Result<void> Placement::place_displaced() {
  const std::vector<size_t> operations = std::exchange(displaced_, {});
  return operations.empty() ? Result<void>() : place_anew(operations);
}

bool Placement::apart(int image) const {
  return std::ranges::find(per_process_images_, image) != per_process_images_.end();
}

bool Placement::hangs_singly(size_t operation) const {
  return apart(plan_.operations[operation].image) ||
         captures_.by_process(plan::way_of(plan_, states_, operation));
}

// All of the image's that are to be observed there.
std::vector<size_t> Placement::operations_of(engine::Scope scope) const {
  std::vector<size_t> out;
  for (size_t i = 0; i < plan_.operations.size(); ++i)
    if (plan_.operations[i].image == scope.image && states_[i].attached()) out.push_back(i);
  return hanging_in(scope, std::move(out));
}

std::vector<size_t> Placement::hanging_in(engine::Scope scope, std::vector<size_t> of_image) const {
  std::erase_if(of_image, [&](size_t i) { return hangs_singly(i) != (scope.pid != 0); });
  return of_image;
}

bool Placement::any_singly(int image) const {
  for (size_t i = 0; i < plan_.operations.size(); ++i)
    if (plan_.operations[i].image == image && !states_[i].refused() && hangs_singly(i)) return true;
  return apart(image);  // with nothing but transfers
}

std::vector<engine::Scope> Placement::scopes_of(int image) const {
  std::vector<engine::Scope> out;
  const bool singly = any_singly(image);
  for (const target::ObservedProcess& process : processes_.all())
    if (singly && process.alive) out.push_back({image, process.pid});
  // What cannot be observed in one without its main thread can be in the others.
  std::ranges::stable_partition(
      out, [](const engine::Scope scope) { return target::live_thread(scope.pid) == scope.pid; });
  if (!apart(image)) out.insert(out.begin(), {image, 0});
  return out;
}

std::vector<engine::Placed::Refusal> Placement::change_over(
    engine::Scope scope, std::span<engine::Captures::PlacedBy> placed) {
  std::vector<engine::Placed::Refusal> out;
  for (auto& [one, its] : placed) {
    for (const engine::Placed::Refusal& refusal : one->refused()) {
      std::erase(its, refusal.operation);
      if (refusal.later)
        later_.await(scope, refusal.operation, states_[refusal.operation].way, monotonic_ns());
      else if (taken_[refusal.operation])
        falls_through(scope, refusal);
      else
        out.push_back(refusal);
    }
    for (const size_t i : its) taken_[i] = true;
    hung_.push_back({std::move(one), std::move(its), false});
  }
  not_observed_.tell(plan_, notes_);
  return out;
}

Result<std::vector<engine::Placed::Refusal>> Placement::change_over(
    std::span<const size_t> operations) {
  std::vector<engine::Placed::Refusal> out;
  std::map<int, std::vector<size_t>> of_image;
  for (const size_t i : operations) {
    of_image[plan_.operations[i].image].push_back(i);
    taken_[i] = false;  // by this engine
  }
  for (auto& [image, its] : of_image)
    for (const engine::Scope scope : scopes_of(image)) {
      const std::vector<size_t> here = hanging_in(scope, its);
      if (here.empty()) continue;
      auto placed = captures_.place(plan_, states_, scope, here, plan::See::kCalls);
      if (!placed && placed.error().code == Exit::kNoInput) continue;  // it ended meanwhile
      if (!placed) return Unexpected(placed.error());
      for (engine::Placed::Refusal& refusal : change_over(scope, *placed)) {
        std::erase(its, refusal.operation);
        out.push_back(std::move(refusal));
      }
    }
  for (const auto& [image, its] : of_image)
    for (const size_t i : its)
      if (taken_[i])
        later_.changed_over(image, i);
      else
        out.push_back({i, "no process maps its code any more"});
  for (const engine::Placed::Refusal& one : out) taken_[one.operation] = true;  // by the one before
  return out;
}

}  // namespace compmond::run
