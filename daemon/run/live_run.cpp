// SPDX-License-Identifier: Apache-2.0
#include "run/live_run.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>

#include "base/clock.h"
#include "base/message.h"
#include "base/process_status.h"
#include "figures/figures.h"
#include "present/slo.h"
#include "present/snapshot_builder.h"
#include "run/log_values.h"

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

LiveRun::LiveRun(Parts parts, const AttachOptions& options)
    : parts_(std::move(parts)),
      options_(options),
      states_(parts_.resolved.plan),
      objectives_({options.exit_on_slo,
                   options.record_path.empty() ? 0 : uint64_t(options.record_last_s * 1e9)}),
      files_(parts_.resolved.plan.images) {
  publisher_.add([this](const auto& checkpoint) { event_rate_.add(*checkpoint); });
}

LiveRun::~LiveRun() { stop(); }

Result<std::unique_ptr<LiveRun>> LiveRun::attach(Parts parts, const AttachOptions& options) {
  std::unique_ptr<LiveRun> session(new LiveRun(std::move(parts), options));
  if (auto placed = session->place_probes(); !placed) return Unexpected(placed.error());
  return session;
}

Result<void> LiveRun::place_probes() {
  auto captures = parts_.engines.open(
      parts_.resolved.plan,
      {.follow_forks = options_.target.children,
       .all_of_exe = parts_.targets.by_exe(),
       .exe_inode = parts_.targets.exe_inode(),
       .exe_device = comparable_device(*parts_.resolved.program.file, parts_.targets.exe_device()),
       .ring_bytes = size_t(options_.ring_mib) << 20});
  if (!captures) return Unexpected(captures.error());
  captures_.emplace(std::move(*captures));
  attach_ = captures_->attach();
  for (const std::string& note : parts_.resolved.notes) notes_.add(note);
  for (const std::string& note : captures_->notes()) notes_.add(note);

  family_.emplace(options_.target, parts_.targets, captures_->targets());
  if (auto adopted = family_->adopt(); !adopted) return adopted;
  placement_.emplace(parts_.resolved.plan, states_, *captures_, family_->processes(), notes_);
  if (auto placed = placement_->place(family_->program()); !placed) return placed;
  if (auto any = check_anything_attached(parts_.resolved.plan, states_); !any) return any;
  if (options_.exit_on_slo)
    if (auto any = present::check_objectives(parts_.resolved.plan, states_); !any) return any;
  return open_log();
}

guard::Needs LiveRun::needs() const {
  guard::Needs needs;
  needs.perf_events = captures_->opens_perf_events();
  needs.hidden_processes = guard::processes_are_hidden();
  return needs;
}

Result<void> LiveRun::record() {
  pipeline::Options pipeline_options;
  for (const plan::PlannedOperation& op : parts_.resolved.plan.operations)
    pipeline_options.component_of.push_back(op.component);
  pipeline_options.objectives = present::objectives_of(parts_.resolved.plan, states_);
  pipeline_options.history_bytes = size_t(options_.history_mib) << 20;
  pipeline_options.switches_stacks = parts_.resolved.program.switches_stacks;
  pipeline_options.return_probes = captures_->open_exits();
  pipeline_options.start_ns = monotonic_ns();
  begin_log(pipeline_options.start_ns);
  pipeline_options.recorder = log_->recorder();
  events_.emplace(captures_->sources());
  pipeline_ = std::make_unique<pipeline::Pipeline>(*events_, pipeline_options);
  pipeline_->start();
  publisher_.follow(*pipeline_);
  if (options_.max_overhead_pct > 0)
    budgeter_.emplace(
        Budgeter::Parts{parts_.resolved.plan, states_, parts_.costs, *captures_, *placement_,
                        notes_, [this] { return family_->program(); },
                        [this](uint64_t now_ns, std::vector<record::OperationId> operations) {
                          pipeline_->interrupt(now_ns, std::move(operations));
                        }},
        options_.max_overhead_pct, pipeline_options.start_ns);
  captures_->record(engine::Recording::kOn);
  meet(family_->watched());  // came before recording began: never announced
  return parts_.command ? parts_.command->release() : Result<void>();
}

Result<void> LiveRun::open_log() {
  auto log = RunLog::open(
      {options_.record_path, uint64_t(options_.record_limit_mib) << 20, options_.record_last_s});
  if (!log) return Unexpected(std::move(log.error()));
  log_.emplace(std::move(*log));
  return {};
}

void LiveRun::begin_log(uint64_t start_ns) {
  if (!log_->recorder()) return;
  recording::Header header =
      log_header(parts_.spec, parts_.resolved.plan, states_, parts_.costs, captures_->attach());
  header.build_id = parts_.resolved.program.build_id;
  header.switches_stacks = parts_.resolved.program.switches_stacks;
  header.history_bytes = uint64_t(options_.history_mib) << 20;
  header.start_ns = header.begin_ns = start_ns;
  log_->begin(std::move(header), [this](const recording::Header& began) {
    return log_state(began, parts_.resolved.plan, states_, family_->processes(),
                     parts_.resolved.program.build_id, notes());
  });
}

void LiveRun::meet(const std::vector<pid_t>& arrived) {
  for (const pid_t pid : family_->look(arrived)) placement_->place_in_newcomer(pid);
}

void LiveRun::keep_budget() {
  const uint64_t now = monotonic_ns();
  if (budgeter_ && budgeter_->due(now))
    budgeter_->look(pipeline_->calls(), family_->processes().cpu_used_ns(), now);
}

void LiveRun::service() {
  see_command();
  if (stopped_) return;
  look_after_all();
  if (!family_->lives()) stop();
}

void LiveRun::see_command() {
  if (!parts_.command) return;
  if (const auto status = parts_.command->ended()) end_of_command_ = status_text(*status);
}

std::vector<std::string> LiveRun::last_words() const {
  if (end_of_command_.empty()) return {};
  return {fmt::format("'{}' {}", options_.target.command.front(), end_of_command_)};
}

const Fd& LiveRun::wake_fd() const {
  static const Fd kNone;
  return stopped_ ? kNone : pipeline_->arrivals().fd();
}

void LiveRun::look_after_all() {
  meet(pipeline_->arrivals().take());
  placement_->let_go_of_ended();
  files_.look(monotonic_ns(), notes_);
  if (publisher_.due(monotonic_ns())) publisher_.read();
  keep_budget();
  keep_objectives();
  log_->serve(monotonic_ns());
  shown_notes_ = notes();
  free_memory_.give_back(monotonic_ns());
}

// Looks whether executions missed their objectives since.
void LiveRun::keep_objectives() {
  if (!objectives_.looks()) return;
  const pipeline::SharedCheckpoint now = publisher_.read();
  if (!objectives_.look(run_parts(*now), monotonic_ns())) return;
  if (const auto saved = save_recording())
    say("an objective was missed: " + *saved);
  else
    report(saved.error());  // the run goes on
}

Result<std::string> LiveRun::save_recording() {
  if (auto saved = log_->save(publisher_.read()->capture, monotonic_ns()); !saved)
    return Unexpected(std::move(saved.error()));
  return fmt::format("the last {:g} s are in '{}'", options_.record_last_s, options_.record_path);
}

Result<std::string> LiveRun::move(const snapshot::ControlRequest& request) {
  return fail(Exit::kData, fmt::format("cannot {}", request.action.text()),
              "this is a live run: only a replay can be paused and moved",
              "Record it with --record FILE, then: compmond replay FILE.");
}

// The run's own, and what the log could not hold.
std::vector<std::string> LiveRun::notes() const {
  std::vector<std::string> out = notes_.all();
  for (std::string& note : log_->notes()) out.push_back(std::move(note));
  return out;
}

present::RunParts LiveRun::run_parts(const history::Checkpoint& checkpoint) const {
  return {parts_.spec,  parts_.resolved.plan,
          states_,      parts_.costs,
          attach_,      family_->processes(),
          shown_notes_, pipeline_->store(),
          checkpoint,   parts_.resolved.program.build_id,
          stopped_};
}

snapshot::Snapshot LiveRun::snapshot(double window_s, const std::string& metric) {
  const pipeline::SharedCheckpoint now = publisher_.read();
  return present::build_snapshot(run_parts(*now), {figures::last_seconds(*now, window_s), metric});
}

Result<snapshot::View> LiveRun::view(const snapshot::ViewRequest& request) {
  // So that many clients do not keep the data thread busy with copies for them.
  constexpr uint64_t kViewAgeNs = 20'000'000;
  const pipeline::SharedCheckpoint now = publisher_.read(stopped_ ? 0 : kViewAgeNs);
  return present::answer_view(run_parts(*now), request,
                              {.live = !stopped_, .events_per_s = event_rate_.per_second()},
                              analyst_);
}

void LiveRun::stop() {
  see_command();
  if (stopped_ || !pipeline_) return;
  look_after_all();
  stopped_ = true;
  captures_->record(engine::Recording::kOff);
  end_ns_ = monotonic_ns();
  placement_->remove();
  pipeline_->stop(end_ns_);
  log_->end(publisher_.read()->capture, end_ns_);
  shown_notes_ = notes();
  keep_objectives();  // what was still under way
}

}  // namespace compmond::run
