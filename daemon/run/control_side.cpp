// SPDX-License-Identifier: Apache-2.0
#include "run/control_side.h"

#include <linux/magic.h>
#include <sys/epoll.h>
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

// Per operation: those with objectives, where a single miss ends the run.
std::vector<bool> see_all(const ControlSide::Parts& parts) {
  std::vector<bool> out;
  for (const plan::PlannedOperation& op : parts.resolved.plan.operations)
    out.push_back(parts.exit_on_slo && op.slo_ms > 0);
  return out;
}

}  // namespace

ControlSide::ControlSide(const Parts& parts, engine::Captures captures)
    : parts_(parts),
      captures_(std::move(captures)),
      states_(parts.resolved.plan),
      family_(parts.asked, parts.targets, captures_.targets(), parts.notes),
      copied_(parts.resolved.plan, states_,
              [&notes = parts.notes](std::string note) { notes.add(std::move(note)); }),
      placement_(parts.resolved.plan, states_, captures_, family_.processes(), parts.notes,
                 see_all(parts)),
      files_(parts.resolved.plan.images),
      wake_(::epoll_create1(EPOLL_CLOEXEC)) {
  for (const int fd : captures_.alarm_fds()) watch(fd);
}

Result<std::unique_ptr<ControlSide>> ControlSide::place(const Parts& parts,
                                                        engine::Engines& engines,
                                                        size_t ring_bytes) {
  auto captures =
      engines.open(parts.resolved.plan,
                   {.targets = {.follow_forks = parts.asked.children,
                                .all_of_exe = parts.targets.by_exe(),
                                .exe_inode = parts.targets.exe_inode(),
                                .exe_device = comparable_device(*parts.resolved.program.file,
                                                                parts.targets.exe_device()),
                                .user = parts.targets.narrowing().user,
                                .pid_namespace = parts.targets.narrowing().pid_namespace,
                                .cgroup = parts.targets.narrowing().cgroup},
                    .ring_bytes = ring_bytes,
                    .guarded = parts.max_overhead_pct > 0});
  if (!captures) return Unexpected(captures.error());
  std::unique_ptr<ControlSide> out(new ControlSide(parts, std::move(*captures)));
  if (auto placed = out->place(); !placed) return Unexpected(placed.error());
  return out;
}

void ControlSide::watch(int fd) {
  epoll_event event{.events = EPOLLIN, .data = {}};
  ::epoll_ctl(wake_.get(), EPOLL_CTL_ADD, fd, &event);  // else it is looked at every 0.1 s
}

Result<void> ControlSide::place() {
  if (auto adopted = family_.adopt(); !adopted) return adopted;
  copied_.fit(family_.processes());
  if (auto placed = placement_.place(family_.program()); !placed) return placed;
  return check_anything_attached(parts_.resolved.plan, states_);
}

void ControlSide::begin(pipeline::Pipeline& pipeline) {
  pipeline_ = &pipeline;
  watch(pipeline.arrivals().fd().get());
  if (parts_.max_overhead_pct > 0)
    budgeter_.emplace(
        Budgeter::Parts{parts_.resolved.plan, states_, parts_.costs, placement_, parts_.notes,
                        [this] { return pipeline_->counts(); },
                        [this] {
                          family_.refresh();
                          return processes().cpu_used_ns();
                        },
                        [this] {
                          const sampling::SampleSource* samples = captures_.samples();
                          return samples ? samples->cost_ns() : 0;
                        },
                        monotonic_ns,
                        [this](uint64_t now_ns, std::vector<record::OperationId> operations) {
                          pipeline_->interrupt(now_ns, std::move(operations));
                        }},
        parts_.max_overhead_pct, see_all(parts_), pipeline.start_ns());
  captures_.record(engine::Recording::kOn);
  meet(family_.watched());  // came before recording began: never announced
}

void ControlSide::meet(const std::vector<pid_t>& arrived) {
  for (const pid_t pid : family_.look(arrived)) {
    copied_.meet(pid);
    placement_.place_in_newcomer(pid);
  }
}

void ControlSide::keep_budget() {
  if (!budgeter_) return;
  const uint64_t now = monotonic_ns();
  if (const auto alarm = captures_.take_alarm(); alarm && alarm->since_ns >= alarms_since_ns_) {
    budgeter_->alarm();
    alarms_since_ns_ = monotonic_ns();  // what began before holds the cost of probes that are gone
  } else if (budgeter_->due(now)) {
    budgeter_->look(now);
  }
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
