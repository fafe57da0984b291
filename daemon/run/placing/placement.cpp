// SPDX-License-Identifier: Apache-2.0
#include "placing/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/clock.h"
#include "target/proc_folder.h"
#include "target/process.h"

namespace compmond::run {
namespace {

// Of images that strangers map too: some links in each process, which take time to come and go.
constexpr size_t kWatchedProcesses = 64;
// Links that are made and removed one by one in about the time of one.
constexpr size_t kApart = 64;

}  // namespace

bool Placement::holds_operations(int image) const {
  return std::ranges::count(plan_.operations, image, &plan::PlannedOperation::image) > 0;
}

// Whether some of it hang for all processes together.
bool Placement::hits_strangers(int image) const {
  for (size_t i = 0; i < plan_.operations.size(); ++i)
    if (plan_.operations[i].image == image && states_[i].attached() && !hangs_singly(i) &&
        !plan::way_of(plan_, states_, i).sampled())
      return true;
  return false;
}

Placement::Placement(const plan::Plan& plan, plan::OperationStates& states,
                     const engine::Captures& captures, const target::ObservedProcesses& processes,
                     Notes& notes, std::vector<bool> see_all, intact::Check* check)
    : plan_(plan),
      states_(states),
      captures_(captures),
      processes_(processes),
      notes_(notes),
      see_all_(std::move(see_all)),
      check_(check),
      taken_(plan.operations.size()),
      later_(plan) {
  see_all_.resize(plan.operations.size());
}

bool Placement::mapped_by_strangers(const plan::PlannedImage& image) const {
  const auto pids = target::processes_mapping(image.device, image.inode);
  return std::any_of(pids.begin(), pids.end(),
                     [&](pid_t pid) { return !captures_.targets().has(pid); });
}

Result<void> Placement::place(Program program, const engine::StepsDone& told) {
  const bool first = !strangers_.has_value();
  if (first) {
    strangers_.emplace();
    for (const plan::PlannedImage& image : plan_.images)
      strangers_->push_back(mapped_by_strangers(image));
  }
  per_process_images_.clear();
  for (size_t i = 0; i < plan_.images.size(); ++i) {
    const plan::PlannedImage& planned = plan_.images[i];
    const bool strangers = (*strangers_)[i];
    const bool whole = planned.main && program != Program::kAsOthers;
    const bool harmless = planned.main || !captures_.harms_strangers(plan_, states_, int(i));
    const bool once = whole || (!strangers && harmless);
    if (!once) per_process_images_.push_back(int(i));
    if (auto done = attach_in_processes(int(i), told); !done) return done;
    if (once) displaced_.clear();  // these hang once for all now
    if (auto done = place_displaced(); !done) return done;
    if (!once) continue;
    if (auto done = attach({int(i), 0}); !done) return done;
    if (auto done = place_displaced(); !done) return done;
    if (first && strangers && hits_strangers(int(i)) && program == Program::kServer)
      notes_.add(
          fmt::format("other processes run {} too: their calls hit the probes and are not "
                      "counted; --no-children spares them",
                      planned.path));
  }
  return {};
}

Result<void> Placement::attach(engine::Scope scope) {
  if (auto done = attach(scope, without_changed(scope, operations_of(scope)), plan::See::kCalls,
                         Hang::kApart);
      !done)
    return done;
  if (apart(scope.image) != (scope.pid != 0)) return {};
  leave_changed_transfers(scope);
  watch(scope);
  return {};
}

std::vector<pid_t> Placement::processes_in(engine::Scope scope) const {
  if (scope.pid != 0) return {scope.pid};
  std::vector<pid_t> out;
  for (const target::ObservedProcess& process : processes_.all())
    if (process.alive) out.push_back(process.pid);
  return out;
}

// Those to be placed there. One of which some process of the scope has other code than the file
// goes on by its next way.
std::vector<size_t> Placement::without_changed(engine::Scope scope,
                                               std::vector<size_t> operations) {
  if (!check_) return operations;
  for (const pid_t pid : processes_in(scope))
    for (const auto& [refusal, moved] : check_->changed(states_, pid, scope.image, operations)) {
      const bool nobody_knows_it = moved && !taken_[refusal.operation];
      if (nobody_knows_it) states_.refuse(refusal.operation, refusal.reason);
      if (nobody_knows_it || !falls_through(scope, refusal))
        std::erase(operations, refusal.operation);
    }
  for (std::string& note : check_->take_notes()) notes_.add(std::move(note));
  return operations;
}

void Placement::leave_changed_transfers(engine::Scope scope) {
  if (!check_) return;
  for (const pid_t pid : processes_in(scope))
    for (const size_t i : check_->changed_transfers(pid, scope.image)) {
      if (!changed_transfers_.insert(i).second) continue;
      notes_.add(
          fmt::format("{} is not watched: process {} has other code at it in memory than "
                      "its file has (patched), or such that cannot be read",
                      plan_.transfers[i].symbol, pid));
    }
}

// Where transfers cannot be watched, ends of what they leave are known within bounds: no error.
void Placement::watch(engine::Scope scope) {
  if (!watches_ || paused_ || apart(scope.image) != (scope.pid != 0)) return;
  const auto in_processes = std::ranges::count_if(hung_, [&](const Hung& one) {
    return one.transfers && one.placed->scope().image == scope.image;
  });
  if (scope.pid != 0 && size_t(in_processes) >= kWatchedProcesses) return;
  auto placed = captures_.watch(plan_, scope, changed_transfers_);
  if (placed)
    for (auto& one : *placed) hung_.push_back({std::move(one), {}, true});
  else if (placed.error().code != Exit::kNoInput)
    notes_.add("exceptions and jumps are not watched everywhere: " + placed.error().text());
}

void Placement::watch_transfers(bool watch) { change_watch(watches_, watch); }

void Placement::pause_transfers(bool pause) { change_watch(paused_, pause); }

void Placement::change_watch(bool& which, bool to) {
  const bool before = watches_ && !paused_;
  which = to;
  const bool now = watches_ && !paused_;
  if (before && !now) engine::take_away(release([](const Hung& one) { return one.transfers; }));
  if (before || !now) return;
  for (size_t image = 0; image < plan_.images.size(); ++image)
    for (const engine::Scope scope : scopes_of(int(image))) watch(scope);
}

// What is to go or stay apart from others.
std::vector<std::vector<size_t>> Placement::groups(engine::Scope scope,
                                                   const std::vector<size_t>& operations,
                                                   Hang how) const {
  using Key = std::pair<bool, size_t>;  // those that see every call go last
  const bool all_apart = plan_.operations.size() <= kApart;
  std::map<Key, std::vector<size_t>> out;
  for (const size_t i : operations) {
    const size_t apart = all_apart ? i : size_t(plan_.operations[i].component) % kApart;
    out[{see_all_[i], how == Hang::kApart && scope.pid == 0 ? apart : 0}].push_back(i);
  }
  std::vector<std::vector<size_t>> groups;
  for (auto& [key, its] : out) groups.push_back(std::move(its));
  return groups;
}

Result<void> Placement::attach(engine::Scope scope, const std::vector<size_t>& operations,
                               plan::See see, Hang how) {
  for (std::vector<size_t>& group : groups(scope, operations, how))
    if (auto done = hang(scope, std::move(group), see); !done) return done;
  return {};
}

// Together. Each round places what fell through in the one before.
Result<void> Placement::hang(engine::Scope scope, std::vector<size_t> operations, plan::See see) {
  while (!operations.empty()) {
    auto placed = captures_.place(plan_, states_, scope, operations, see);
    if (!placed) return Unexpected(placed.error());
    std::vector<size_t> next;
    for (auto& [one, its] : *placed) {
      for (const engine::Placed::Refusal& refusal : one->refused()) {
        std::erase(its, refusal.operation);
        if (refusal.later)
          later_.await(scope, refusal.operation, states_[refusal.operation].way, monotonic_ns());
        if (refusal.later || !falls_through(scope, refusal)) continue;
        const bool here = hangs_singly(refusal.operation) == (scope.pid != 0);
        (here ? next : displaced_).push_back(refusal.operation);
      }
      for (const size_t i : its) taken_[i] = true;
      hung_.push_back({std::move(one), std::move(its), false});
    }
    operations = std::move(next);
  }
  not_observed_.tell(plan_, notes_);
  return {};
}

// Whether another engine is to try.
bool Placement::falls_through(engine::Scope scope, const engine::Placed::Refusal& refusal) {
  const size_t i = refusal.operation;
  if (scope.pid != 0 && taken_[i]) {  // observed in other processes all the same
    states_.unseen(i, {monotonic_ns(), UINT64_MAX});
    not_observed_.add(scope.pid, refusal);
    return false;
  }
  not_observed_.add_moved(scope.pid, refusal);
  if (!taken_[i]) return states_.fall_through(plan_, i, refusal.reason);
  states_.refuse_from(monotonic_ns(), i, refusal.reason);
  return false;
}

std::vector<std::unique_ptr<engine::Placed>> Placement::release(
    const std::function<bool(const Hung&)>& leaves) {
  std::vector<std::unique_ptr<engine::Placed>> gone;
  std::vector<Hung> kept;
  for (Hung& one : hung_) {
    if (leaves(one))
      gone.push_back(std::move(one.placed));
    else
      kept.push_back(std::move(one));
  }
  hung_ = std::move(kept);
  return gone;
}

bool Placement::Hung::has(std::span<const size_t> some) const {
  return std::ranges::find_first_of(operations, some) != operations.end();
}

void Placement::take_away(std::span<const size_t> operations) {
  engine::take_away(release([&](const Hung& one) { return one.has(operations); }));
}

std::vector<size_t> Placement::hang_with(std::span<const size_t> operations) const {
  std::set<size_t> out;
  for (const Hung& one : hung_)
    if (one.has(operations)) out.insert(one.operations.begin(), one.operations.end());
  for (const size_t i : operations) out.erase(i);
  return {out.begin(), out.end()};
}

Result<void> Placement::bring_back(std::span<const size_t> operations, plan::See see, Hang how) {
  return place_where_they_were(operations, see, how,
                               [](engine::Scope, std::vector<size_t> its) { return its; });
}

Result<void> Placement::place_anew(std::span<const size_t> operations) {
  return place_where_they_were(operations, plan::See::kCalls, Hang::kApart,
                               [this](engine::Scope scope, std::vector<size_t> its) {
                                 return without_changed(scope, std::move(its));
                               });
}

Result<void> Placement::place_where_they_were(
    std::span<const size_t> operations, plan::See see, Hang how,
    const std::function<std::vector<size_t>(engine::Scope, std::vector<size_t>)>& choose) {
  std::map<int, std::vector<size_t>> of_image;
  for (const size_t i : operations) of_image[plan_.operations[i].image].push_back(i);
  for (const auto& [image, its] : of_image)
    for (const engine::Scope scope : scopes_of(image)) {
      auto done = attach(scope, choose(scope, hanging_in(scope, its)), see, how);
      if (!done && done.error().code != Exit::kNoInput) return done;  // else it ended meanwhile
    }
  return place_displaced();
}

bool Placement::hangs(size_t operation, pid_t pid) const {
  return std::ranges::any_of(hung_, [&](const Hung& one) {
    const pid_t where = one.placed->scope().pid;
    return (where == 0 || where == pid) &&
           std::ranges::find(one.operations, operation) != one.operations.end();
  });
}

void Placement::remove(const engine::StepsDone& told) {
  engine::take_away(release([](const Hung&) { return true; }), told);
}

}  // namespace compmond::run
