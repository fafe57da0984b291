// SPDX-License-Identifier: Apache-2.0
#include "placing/not_observed.h"

#include <fmt/format.h>

#include "text/numbers.h"
#include "text/processes.h"

namespace compmond::run {
namespace {

std::string operations_are(size_t count) {
  return text::counted(count, "operation is", "operations are");
}

// By which engines those go on.
std::string seen_instead(const std::set<size_t>& operations, const plan::Plan& plan,
                         const plan::OperationStates& states) {
  std::map<std::string, size_t> engines;
  for (const size_t i : operations)
    ++engines[states[i].refused() ? "" : plan::way_of(plan, states, i).engine];
  std::string out;
  for (const auto& [engine, count] : engines)
    out += fmt::format("{}{} {}", out.empty() ? "; " : ", ", operations_are(count),
                       engine.empty() ? "not observed" : "observed by " + engine + " instead");
  return out;
}

}  // namespace

// Nothing where there are too many reasons.
NotObserved::Whole* NotObserved::whole(pid_t pid, const std::string& reason) {
  constexpr size_t kMost = 20;
  if (whole_.size() == kMost && !whole_.contains(reason)) return nullptr;
  Whole& out = whole_[reason];
  if (out.last == pid) return &out;
  out.first = out.processes == 0 ? pid : out.first;
  out.last = pid;
  ++out.processes;
  return &out;
}

void NotObserved::add(pid_t pid, const engine::Placed::Refusal& refusal) {
  if (!refusal.whole)
    fresh_[{pid, refusal.reason}].push_back(refusal.operation);
  else if (Whole* const its = whole(pid, refusal.reason))
    its->not_there.insert(refusal.operation);
}

void NotObserved::add_moved(pid_t pid, const engine::Placed::Refusal& refusal) {
  if (!refusal.whole) return;
  if (Whole* const its = whole(pid, refusal.reason)) its->moved.insert(refusal.operation);
}

void NotObserved::tell(const plan::Plan& plan, Notes& notes) {
  for (const auto& [where, operations] : std::exchange(fresh_, {})) {
    const std::string& first = plan.operations[operations.front()].name;
    const std::string all =
        operations.size() == 1
            ? first + " is"
            : fmt::format("{} and {} are", first, text::counted(operations.size() - 1, "other"));
    notes.add_of(all + " not observed in ", where.first, ": " + where.second);
  }
}

std::vector<std::string> NotObserved::notes(const plan::Plan& plan,
                                            const plan::OperationStates& states) const {
  std::vector<std::string> out;
  for (const auto& [reason, its] : whole_) {
    std::string note =
        fmt::format("{} cannot be patched: {}", text::processes(its.first, its.processes), reason);
    if (!its.moved.empty()) note += seen_instead(its.moved, plan, states);
    if (!its.not_there.empty())
      note += fmt::format("; {} not observed there", operations_are(its.not_there.size()));
    out.push_back(std::move(note));
  }
  return out;
}

}  // namespace compmond::run
