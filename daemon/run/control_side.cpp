// SPDX-License-Identifier: Apache-2.0
#include "run/control_side.h"

#include <linux/magic.h>
#include <sys/epoll.h>
#include <sys/vfs.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/window.h"
#include "budget/see_all.h"
#include "core/progress.h"
#include "intact/looker.h"

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

std::vector<engine::ProgramFile> files_of(const std::vector<target::Program>& programs) {
  std::vector<engine::ProgramFile> out;
  for (const target::Program& one : programs)
    out.push_back({one.inode, one.file ? comparable_device(*one.file, one.device) : 0});
  return out;
}

Result<void> check_anything_attached(const plan::Plan& plan, const plan::OperationStates& states) {
  if (states.observed() > 0) return {};
  return fail(Exit::kUnavailable, "nothing could be attached",
              plan::why_none_is_observed(plan, states), "`compmond doctor` tells what works here.");
}

// Of those, whatever the budget.
std::vector<bool> exempt(const ControlSide::Parts& parts) {
  if (parts.max_overhead_pct <= 0) return {};
  return see_all(parts.resolved.plan, parts.exit_on_slo);
}

}  // namespace

ControlSide::ControlSide(const Parts& parts, engine::Captures captures, intact::Looker looker,
                         std::optional<later::RiskWatch> risks)
    : parts_(parts),
      captures_(std::move(captures)),
      states_(parts.resolved.plan),
      family_(parts.asked, parts.targets, captures_.targets(), parts.notes),
      copied_(parts.resolved.plan, states_,
              [&notes = parts.notes](std::string note) { notes.add(std::move(note)); }),
      later_copies_(copied_,
                    [&notes = parts.notes](std::string note) { notes.add(std::move(note)); }),
      check_(parts.resolved.plan, std::move(looker)),
      placement_(parts.resolved.plan, states_, captures_, family_.processes(), parts.notes,
                 exempt(parts), &check_),
      watch_(parts.resolved.plan, check_),
      files_(parts.spec, parts.resolved, parts.targets.by_exe()),
      risks_(std::move(risks)),
      wake_(::epoll_create1(EPOLL_CLOEXEC)) {
  for (const int fd : captures_.alarm_fds()) watch(fd);
}

Result<std::unique_ptr<ControlSide>> ControlSide::open(const Parts& parts, engine::Engines& engines,
                                                       size_t ring_bytes) {
  auto captures = engines.open(
      parts.resolved.plan, {.targets = {.follow_forks = parts.asked.children,
                                        .all_of_exe = parts.targets.by_exe(),
                                        .programs = files_of(parts.resolved.programs),
                                        .user = parts.targets.narrowing().user,
                                        .pid_namespace = parts.targets.narrowing().pid_namespace,
                                        .cgroup = parts.targets.narrowing().cgroup},
                            .ring_bytes = ring_bytes,
                            .guarded = parts.max_overhead_pct > 0});
  if (!captures) return Unexpected(captures.error());
  auto looker = intact::Looker::start();
  if (!looker) return Unexpected(looker.error());
  auto risks = later::RiskWatch::open(
      parts.resolved.plan,
      [&engines](const plan::Candidate& image) { return engines.risk_of(image); });
  if (!risks) return Unexpected(risks.error());
  return std::unique_ptr<ControlSide>(
      new ControlSide(parts, std::move(*captures), std::move(*looker), std::move(*risks)));
}

void ControlSide::watch(int fd) {
  epoll_event event{.events = EPOLLIN, .data = {}};
  ::epoll_ctl(wake_.get(), EPOLL_CTL_ADD, fd, &event);  // else it is looked at every 0.1 s
}

Result<void> ControlSide::place(Result<hindrance::Hindrances> hindrances) {
  if (auto watch = hindrance::Watch::of(parts_.resolved.plan, std::move(hindrances)))
    hindrances_ = std::move(*watch);
  else
    parts_.notes.add(hindrance::note_of_none(watch.error()));
  if (auto adopted = family_.adopt(); !adopted) return adopted;
  for (const plan::PlannedImage& image : parts_.resolved.plan.images)
    if (image.main)
      std::ranges::copy(family_.bystanders(image.device, image.inode),
                        std::back_inserter(bystanders_));
  copied_.fit({family_.processes(), bystanders_});
  {
    Progress progress("placing probes");
    const auto told = [&](size_t done, size_t of) { progress.update(done, of); };
    if (auto placed = placement_.place(family_.program(), told); !placed) return placed;
  }
  return check_anything_attached(parts_.resolved.plan, states_);
}

void ControlSide::begin(pipeline::Pipeline& pipeline, const SampleSide* samples,
                        recording::Recorder* log) {
  pipeline_ = &pipeline;
  family_.begin();
  watch(pipeline.arrivals().fd().get());
  if (parts_.max_overhead_pct > 0)
    budgeter_.emplace(
        Budgeter::Parts{
            parts_.resolved.plan, states_, parts_.costs, placement_, parts_.notes, pipeline,
            [this] { return pipeline_->counts(); }, [this] { return cpu_used_ns(); },
            [this] {
              const sampling::SampleSource* source = captures_.samples();
              return source ? source->cost_ns() : 0;
            },
            [this] { return captures_.strangers(parts_.resolved.plan, states_); }, monotonic_ns,
            [this](const std::vector<size_t>& away) { return has_room(away); },
            [this] { return slicer_->all_fit(); },
            [this](const std::vector<bool>& those) { return slicer_->pct(those); },
            [this](const std::vector<bool>& those) { return slicer_->calls_per_ns(those); }},
        parts_.max_overhead_pct, exempt(parts_), pipeline.start_ns());
  if (budgeter_) begin_slicing(samples, log);
  begin_switching();
  captures_.record(engine::Recording::kOn);
  watch_.begin(pipeline.start_ns());
  if (hindrances_) hindrances_->begin(pipeline.start_ns());
  meet(family_.watched());  // came before recording began: never announced
}

void ControlSide::begin_slicing(const SampleSide* samples, recording::Recorder* log) {
  slicer_.emplace(
      Slicer::Parts{
          parts_.resolved.plan, states_, parts_.costs, captures_, placement_, *pipeline_,
          parts_.notes, slice_times_, [this] { return alive(); }, [this] { return cpu_used_ns(); },
          [this] { return captures_.strangers(parts_.resolved.plan, states_); },
          [this](double ns) { budgeter_->charge(ns); },
          [this](const std::vector<size_t>& away) { return has_room(away); },
          [samples] { return samples ? samples->callers() : std::vector<counts::Pair>(); }, log},
      parts_.max_overhead_pct);
  watch(slicer_->timer().get());
}

bool ControlSide::has_room(const std::vector<size_t>& away) {
  return copied_.fit_again(away, {processes(), bystanders_});
}

uint64_t ControlSide::cpu_used_ns() {
  family_.refresh();
  return processes().cpu_used_ns();
}

void ControlSide::meet(const std::vector<pid_t>& arrived) {
  if (slicer_) slicer_->meet(arrived);
  const std::vector<pid_t> newcomers = family_.look(arrived);
  for (const Window& there : family_.take_unmet()) placement_.miss(there);
  for (const pid_t pid : newcomers) {
    later_copies_.meet(pid);
    placement_.place_in_newcomer(pid);
  }
}

// How long they live, and what they fork, is not known.
void ControlSide::miss_those_without_place() {
  const uint64_t before_ns = std::exchange(looked_ns_, monotonic_ns());
  const uint64_t now = family_.without_place();
  if (std::exchange(without_place_, now) == now) return;
  for (size_t i = 0; i < states_.size(); ++i) states_.unseen(i, {before_ns, UINT64_MAX});
}

std::vector<std::string> ControlSide::notes() const {
  std::vector<std::string> out = placement_.notes();
  std::ranges::move(family_.notes(), std::back_inserter(out));
  if (auto note = plan::note_of(strangers_, parts_.resolved.plan); !note.empty())
    out.push_back(std::move(note));
  return out;
}

void ControlSide::look_at_files(const std::vector<sampling::Image>& met, bool last) {
  const uint64_t now = monotonic_ns();
  const auto tell = [this](std::string note) { parts_.notes.add(std::move(note)); };
  std::vector<later::FileWatch::Missed> missed = files_.look(now, tell, last);
  for (const sampling::Image& image : met) {
    if (files_.knows(image)) continue;
    missed.push_back(files_.meet(image, now, tell));
    if (risks_) risks_->meet(image);
  }
  for (const later::FileWatch::Missed& one : missed)
    for (const size_t i : one.operations) states_.unseen(i, {one.since_ns, UINT64_MAX});
  if (risks_ && !last) place_anew(risks_->look(now, states_, tell));
}

// For the copies that forked processes get when probes go.
void ControlSide::keep_room() {
  const auto excess = later_copies_.look(processes());
  if (!excess) return;
  const uint64_t now = monotonic_ns();
  for (const size_t i : excess->operations) states_.refuse_from(now, i, excess->reason);
  place_anew(excess->operations);
}

void ControlSide::answer_alarm() {
  if (!budgeter_) return;
  const auto alarm = captures_.take_alarm();
  if (!alarm || alarm->since_ns < alarms_since_ns_) return;
  if (!slicer_->alarm(*alarm)) budgeter_->alarm();
  alarms_since_ns_ = monotonic_ns();  // what began before holds the cost of probes that are gone
}

void ControlSide::keep_budget() {
  if (!budgeter_) return;
  answer_alarm();
  const uint64_t now = monotonic_ns();
  if (budgeter_->due(now) && !slicer_->in_slice()) budgeter_->look(now);
  const bool sliced = slicer_->in_slice();
  slicer_->look(monotonic_ns(), budgeter_->left_pct(), budgeter_->tries());
  if (sliced && !slicer_->in_slice()) alarms_since_ns_ = monotonic_ns();  // of its probes
}

void ControlSide::look_after() {
  meet(pipeline_->arrivals().take());
  for (const auto& [pid, at_ns] : pipeline_->arrivals().take_executed())
    placement_.executed(pid, at_ns);
  answer_alarm();  // before what takes longer
  keep_room();
  miss_those_without_place();
  placement_.let_go_of_ended();
  patch_what_was_loaded();
  constexpr uint64_t kStrangersEveryNs = 1'000'000'000;
  if (monotonic_ns() - strangers_seen_ns_ >= kStrangersEveryNs) look_at_strangers();
  keep_standing();
  keep_calls_arriving();
  keep_budget();
}

std::vector<pid_t> ControlSide::alive() const {
  std::vector<pid_t> out;
  for (const target::ObservedProcess& process : processes().all())
    if (process.alive) out.push_back(process.pid);
  return out;
}

void ControlSide::look_at_strangers() {
  strangers_ = captures_.strangers(parts_.resolved.plan, states_);
  strangers_seen_ns_ = monotonic_ns();
}

void ControlSide::keep_calls_arriving() {
  if (!hindrances_) return;
  place_anew(hindrances_->look(monotonic_ns(), alive(), states_,
                               [this](std::string note) { parts_.notes.add(std::move(note)); }));
}

void ControlSide::hand_on() {
  if (slicer_) slicer_->hand_on();
}

}  // namespace compmond::run
