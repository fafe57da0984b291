// SPDX-License-Identifier: Apache-2.0
#include "run/placement.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "target/process.h"

namespace compmond::run {

bool Placement::mapped_by_strangers(const plan::PlannedImage& image) const {
  const auto pids = target::processes_mapping(image.device, image.inode);
  return std::any_of(pids.begin(), pids.end(), [&](pid_t pid) { return !kernel_.is_target(pid); });
}

Result<void> Placement::place(Program program) {
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
    if (whole || !strangers) {
      if (auto done = attach({int(i), 0}); !done) return done;
      if (first && strangers && program == Program::kServer)
        notes_.add(
            fmt::format("other processes run {} too: their calls hit the probes and are not "
                        "counted; --no-children spares them",
                        planned.path));
      continue;
    }
    per_process_images_.push_back(int(i));
    for (const target::ObservedProcess& process : processes_.all()) {
      auto done = attach({int(i), process.pid});
      if (!done && done.error().code != Exit::kNoInput)
        return done;  // one that ended meanwhile is no error
    }
  }
  return {};
}

Result<void> Placement::attach(uprobe::Scope scope) {
  std::vector<size_t> together, alone;
  for (size_t i = 0; i < plan_.operations.size(); ++i)
    if (plan_.operations[i].image == scope.image)
      (plan_.operations[i].alone ? alone : together).push_back(i);
  if (auto done = attach(scope, together, std::nullopt); !done) return done;
  for (const size_t operation : alone)
    if (!plan_.operations[operation].paused)
      if (auto done = attach(scope, {&operation, 1}, operation); !done) return done;
  return {};
}

Result<void> Placement::attach(uprobe::Scope scope, std::span<const size_t> operations,
                               std::optional<size_t> alone) {
  auto attachment =
      uprobe::Attachment::attach(plan_, scope, kernel_.kind(), kernel_.programs(), operations);
  if (!attachment) return Unexpected(attachment.error());
  for (const uprobe::Attachment::Refusal& refusal : attachment->refused()) {
    plan::PlannedOperation& op = plan_.operations[refusal.operation];
    const bool elsewhere = scope.pid != 0 && !hung_.empty();
    if (elsewhere) {  // observed in other processes all the same
      notes_.add(
          fmt::format("{} is not observed in process {}: {}", op.name, scope.pid, refusal.reason));
      continue;
    }
    op.refused = true;
    op.reason = refusal.reason;
  }
  hung_.push_back({std::move(*attachment), alone});
  return {};
}

std::vector<uprobe::Scope> Placement::scopes_of(int image) const {
  if (std::ranges::find(per_process_images_, image) == per_process_images_.end())
    return {{image, 0}};
  std::vector<uprobe::Scope> out;
  for (const target::ObservedProcess& process : processes_.all())
    if (process.alive) out.push_back({image, process.pid});
  return out;
}

void Placement::take_away(std::span<const size_t> operations) {
  std::vector<uprobe::Attachment> gone;
  std::vector<Hung> kept;
  for (Hung& one : hung_) {
    if (one.alone && std::ranges::find(operations, *one.alone) != operations.end())
      gone.push_back(std::move(one.attachment));
    else
      kept.push_back(std::move(one));
  }
  hung_ = std::move(kept);
  uprobe::Attachment::detach(std::move(gone));
}

Result<void> Placement::bring_back(std::span<const size_t> operations) {
  for (const size_t operation : operations)
    for (const uprobe::Scope scope : scopes_of(plan_.operations[operation].image)) {
      auto done = attach(scope, {&operation, 1}, operation);
      if (!done && done.error().code != Exit::kNoInput)
        return done;  // a process that ended meanwhile is no error
    }
  return {};
}

void Placement::place_in_newcomer(pid_t pid) {
  size_t attached = 0;
  for (const int image : per_process_images_) {
    const auto done = attach({image, pid});
    if (done)
      ++attached;
    else if (done.error().code != Exit::kNoInput)
      notes_.add(fmt::format("calls into {} of process {} are not counted: {}",
                             plan_.images[size_t(image)].path, pid, done.error().text()));
  }
  if (attached > 0)
    notes_.add(
        fmt::format("process {} came while observing: calls into {} before its probes were "
                    "placed are not counted",
                    pid, plan_.images[size_t(per_process_images_[0])].path));
}

void Placement::let_go_of_ended() {
  if (detaching_.valid() &&
      detaching_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return;
  std::vector<Hung> kept;
  std::vector<uprobe::Attachment> ended;
  for (Hung& one : hung_) {
    const pid_t pid = one.attachment.scope().pid;
    if (pid != 0 && !processes_.alive(pid))
      ended.push_back(std::move(one.attachment));
    else
      kept.push_back(std::move(one));
  }
  hung_ = std::move(kept);
  if (ended.empty()) return;
  detaching_ = std::async(std::launch::async, uprobe::Attachment::detach, std::move(ended));
}

void Placement::remove() {
  std::vector<uprobe::Attachment> all;
  for (Hung& one : hung_) all.push_back(std::move(one.attachment));
  hung_.clear();
  uprobe::Attachment::detach(std::move(all));
}

}  // namespace compmond::run
