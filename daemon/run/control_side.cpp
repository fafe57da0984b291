// SPDX-License-Identifier: Apache-2.0
#include "run/control_side.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <string>
#include <utility>

#include "base/clock.h"

namespace compmond::run {
namespace {

// On these file systems stat() tells another device than the kernel has: only the inode can be
// compared.
uint32_t comparable_device(const Fd& program, uint64_t device) {
  struct statfs info {};
  if (::fstatfs(program.get(), &info) != 0) return 0;
  const auto type = uint32_t(info.f_type);
  return type == BTRFS_SUPER_MAGIC || type == OVERLAYFS_SUPER_MAGIC ? 0 : uint32_t(device);
}

Result<void> check_anything_attached(const plan::Plan& plan, const plan::OperationStates& states) {
  if (states.observed() > 0) return {};
  return fail(Exit::kUnavailable, "nothing could be attached",
              plan::why_none_is_observed(plan, states), "`compmond doctor` tells what works here.");
}

}  // namespace

ControlSide::ControlSide(const Parts& parts, engine::Captures captures)
    : parts_(parts),
      captures_(std::move(captures)),
      states_(parts.resolved.plan),
      family_(parts.asked, parts.targets, captures_.targets()),
      placement_(parts.resolved.plan, states_, captures_, family_.processes(), parts.notes),
      files_(parts.resolved.plan.images) {}

Result<std::unique_ptr<ControlSide>> ControlSide::place(const Parts& parts,
                                                        engine::Engines& engines,
                                                        size_t ring_bytes) {
  auto captures =
      engines.open(parts.resolved.plan,
                   {.targets = {.follow_forks = parts.asked.children,
                                .all_of_exe = parts.targets.by_exe(),
                                .exe_inode = parts.targets.exe_inode(),
                                .exe_device = comparable_device(*parts.resolved.program.file,
                                                                parts.targets.exe_device())},
                    .ring_bytes = ring_bytes});
  if (!captures) return Unexpected(captures.error());
  std::unique_ptr<ControlSide> out(new ControlSide(parts, std::move(*captures)));
  if (auto placed = out->place(); !placed) return Unexpected(placed.error());
  return out;
}

Result<void> ControlSide::place() {
  if (auto adopted = family_.adopt(); !adopted) return adopted;
  if (auto placed = placement_.place(family_.program()); !placed) return placed;
  return check_anything_attached(parts_.resolved.plan, states_);
}

void ControlSide::begin(pipeline::Pipeline& pipeline, double max_overhead_pct) {
  pipeline_ = &pipeline;
  if (max_overhead_pct > 0)
    budgeter_.emplace(
        Budgeter::Parts{parts_.resolved.plan, states_, parts_.costs, captures_, placement_,
                        parts_.notes, [this] { return family_.program(); },
                        [this](uint64_t now_ns, std::vector<record::OperationId> operations) {
                          pipeline_->interrupt(now_ns, std::move(operations));
                        }},
        max_overhead_pct, pipeline.start_ns());
  captures_.record(engine::Recording::kOn);
  meet(family_.watched());  // came before recording began: never announced
}

void ControlSide::meet(const std::vector<pid_t>& arrived) {
  for (const pid_t pid : family_.look(arrived)) placement_.place_in_newcomer(pid);
}

void ControlSide::keep_budget() {
  const uint64_t now = monotonic_ns();
  if (!budgeter_) return;
  if (budgeter_->due(now))
    budgeter_->look(pipeline_->calls(), processes().cpu_used_ns(), now);
  else if (pipeline_->arrivals().take_flood())
    budgeter_->glance(pipeline_->calls(), processes().cpu_used_ns(), now);
}

void ControlSide::look_after() {
  meet(pipeline_->arrivals().take());
  placement_.let_go_of_ended();
  files_.look(monotonic_ns(), parts_.notes);
  keep_budget();
}

uint64_t ControlSide::end() {
  captures_.record(engine::Recording::kOff);
  const uint64_t out = monotonic_ns();
  placement_.remove();
  return out;
}

}  // namespace compmond::run
