// SPDX-License-Identifier: Apache-2.0
#include "run/live_run.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "core/message.h"
#include "core/process_status.h"
#include "engines/engine_list.h"
#include "figures/figures.h"
#include "present/heat.h"
#include "present/inside.h"
#include "present/known.h"
#include "present/slo.h"
#include "present/snapshot_builder.h"
#include "run_log/log_values.h"
#include "target/proc_folder.h"

namespace compmond::run {

LiveRun::LiveRun(Parts parts, const AttachOptions& options)
    : parts_(std::move(parts)),
      options_(options),
      objectives_({options.exit_on_slo,
                   options.record_path.empty() ? 0 : uint64_t(options.record_last_s * 1e9)}) {}

LiveRun::~LiveRun() { stop(); }

Result<std::unique_ptr<LiveRun>> LiveRun::attach(Parts parts, const AttachOptions& options) {
  std::unique_ptr<LiveRun> out(new LiveRun(std::move(parts), options));
  if (auto placed = out->place_probes(); !placed) return Unexpected(placed.error());
  if (auto opened = out->open_log(); !opened) return Unexpected(opened.error());
  return out;
}

// From here on the targets pay, and nobody answers alarms: what takes its time comes before.
Result<void> LiveRun::place_probes() {
  for (const std::string& note : parts_.resolved.notes) notes_.add(note);
  auto control =
      ControlSide::open({parts_.spec, options_.target, parts_.targets, parts_.resolved,
                         parts_.costs, notes_, options_.max_overhead_pct, options_.exit_on_slo},
                        parts_.engines, size_t(options_.ring_mib) << 20);
  if (!control) return Unexpected(control.error());
  control_ = std::move(*control);
  if (auto* source = control_->captures().samples())
    samples_.emplace(*source, parts_.spec, parts_.resolved.plan,
                     engines::samples_hz(options_.planning.engines),
                     size_t(options_.history_mib) << 20, control_->slice_times());
  const bool shared = parts_.command && plan::writes_code(parts_.resolved.plan, control_->states());
  if (shared)
    if (auto stopped = parts_.command->let_others_trace(); !stopped) return stopped;
  if (auto placed = control_->place(std::move(parts_.hindrances)); !placed) return placed;
  if (shared)
    if (auto held = parts_.command->hold_again(); !held) return held;
  if (!options_.exit_on_slo) return {};
  return present::check_objectives(parts_.resolved.plan, control_->states());
}

guard::Needs LiveRun::needs() const {
  guard::Needs needs;
  needs.perf_events = control_->captures().opens_perf_events();
  needs.hidden_processes = guard::processes_are_hidden();
  return needs;
}

bool LiveRun::sees_calls() const {
  return std::ranges::any_of(control_->captures().at_work(),
                             [](const auto& one) { return one.traits.calls; });
}

pipeline::Options LiveRun::pipeline_options() const {
  pipeline::Options out;
  for (const plan::PlannedOperation& op : parts_.resolved.plan.operations)
    out.component_of.push_back(op.component);
  out.objectives = present::objectives_of(parts_.resolved.plan, control_->states());
  out.history_bytes = size_t(options_.history_mib) << 20;
  out.switches_stacks = parts_.resolved.switches_stacks;
  out.open_exits = control_->captures().open_exits();
  out.start_ns = monotonic_ns();
  out.calls = sees_calls();
  out.recorder = log_->recorder();
  return out;
}

Result<void> LiveRun::record() {
  const pipeline::Options options = pipeline_options();
  if (auto started = data_.start(); !started) return started;
  if (auto begun = begin_log(options.start_ns); !begun) return begun;
  events_.emplace(control_->captures().sources());
  data_.begin(*events_, options);
  control_->begin(data_.pipeline(), samples_ ? &*samples_ : nullptr, log_->recorder());
  if (samples_)
    if (auto begun = samples_->begin(log_->recorder()); !begun) return begun;
  return parts_.command ? parts_.command->release() : Result<void>();
}

Result<void> LiveRun::open_log() {
  auto log = RunLog::open(
      {options_.record_path, uint64_t(options_.record_limit_mib) << 20, options_.record_last_s});
  if (!log) return Unexpected(std::move(log.error()));
  log_.emplace(std::move(*log));
  return {};
}

Result<void> LiveRun::begin_log(uint64_t start_ns) {
  if (!log_->recorder()) return {};
  recording::Header header = log_header(parts_.spec, parts_.resolved.plan, control_->states(),
                                        parts_.costs, engines_of(control_->captures()));
  header.open_exits = control_->captures().open_exits();
  const std::vector<target::Program>& programs = parts_.resolved.programs;
  header.build_id = programs.front().build_id;
  if (programs.size() > 1)
    for (const target::Program& one : programs) header.programs.push_back({one.exe, one.build_id});
  header.switches_stacks = parts_.resolved.switches_stacks;
  header.history_bytes = uint64_t(options_.history_mib) << 20;
  if (control_->captures().samples())
    header.samples_hz = engines::samples_hz(options_.planning.engines);
  header.start_ns = header.begin_ns = start_ns;
  return log_->begin(std::move(header), [this](const recording::Header& began) {
    recording::State out =
        log_state(began, parts_.resolved.plan, control_->states(), control_->processes(),
                  parts_.costs, parts_.resolved.programs, tell_notes(), strangers());
    if (const Slicer* slicer = control_->slices()) {
      const present::RunSlices slices = slicer->told();
      out.too_hot.emplace();
      for (uint32_t i = 0; i < slices.too_hot.size(); ++i)
        if (slices.too_hot[i]) out.too_hot->push_back(i);
      out.was_too_hot_until_ns = slices.was_too_hot_until_ns;
      out.slices_stopped = slices.stopped;
    }
    return out;
  });
}

// The run's own, and what the engines and the log have to say by now.
const std::vector<std::string>& LiveRun::tell_notes() {
  std::vector<std::string> others = control_->captures().notes();
  std::ranges::move(control_->notes(), std::back_inserter(others));
  std::ranges::move(log_->notes(), std::back_inserter(others));
  notes_.tell_of_others(std::move(others));
  return notes_.all();
}

std::optional<snapshot::Health::Strangers> LiveRun::strangers() const {
  return strangers_of(control_->strangers(), parts_.resolved.plan,
                      control_->processes().cpu_used_ns());
}

// A terminal stops all processes of its group, the command among them, one after another.
bool LiveRun::may_be_suspended() const {
  if (stopped_) return true;
  if (!parts_.command || strangers()) return false;
  const auto has_stopped = [](const target::ObservedProcess& process) {
    const auto stat = target::read_stat(target::live_folder(process.pid));
    return !process.alive || !stat || stat->state == 'T' || stat->state == 'Z';
  };
  constexpr int kLooks = 10;
  for (int i = 0; i < kLooks; ++i) {
    if (std::ranges::all_of(control_->processes().all(), has_stopped)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

void LiveRun::service() {
  see_command();
  if (stopped_) return;
  look_after_all();
  if (!control_->lives()) stop();
}

void LiveRun::see_command() {
  if (!parts_.command || !parts_.command->has_ended()) return;
  control_->refresh();
  if (const auto status = parts_.command->collect()) {
    end_of_command_ = status_text(*status);
    code_of_command_ = exit_code_of(*status);
  }
}

std::vector<std::string> LiveRun::last_words() const {
  if (end_of_command_.empty()) return {};
  return {fmt::format("'{}' {}", options_.target.command.front(), end_of_command_)};
}

const Fd& LiveRun::wake_fd() const {
  static const Fd kNone;
  return stopped_ ? kNone : control_->wake_fd();
}

void LiveRun::look_after_all() {
  control_->look_after();
  look_at_files();
  data_.publish_due(monotonic_ns());
  keep_objectives();
  if (sees_calls() && cost_watch_.due(monotonic_ns())) correct_costs();
  log_->serve(monotonic_ns());
  tell_notes();
  free_memory_.give_back(monotonic_ns());
}

void LiveRun::look_at_files() {
  control_->look_at_files(samples_ ? samples_->take_images() : std::vector<sampling::Image>(),
                          stopped_);
}

// Looks whether executions missed their objectives since.
void LiveRun::keep_objectives() {
  if (!objectives_.looks()) return;
  const pipeline::SharedCheckpoint now = data_.read();
  if (!objectives_.look(run_parts(*now), monotonic_ns())) return;
  if (const auto saved = save_recording())
    say("an objective was missed: " + *saved);
  else
    report(saved.error());  // the run goes on
}

void LiveRun::correct_costs() {
  constexpr uint64_t kAgeNs = 1'000'000'000;  // what is read for others will do
  const pipeline::SharedCheckpoint now = data_.read(stopped_ ? 0 : kAgeNs);
  cost_watch_.look(run_parts(*now), parts_.costs, monotonic_ns());
}

present::RunParts LiveRun::run_parts(const history::Checkpoint& checkpoint) const {
  return {parts_.spec,
          parts_.resolved.plan,
          control_->states(),
          parts_.costs,
          engines_of(control_->captures()),
          control_->processes(),
          notes_.all(),
          data_.pipeline().store(),
          checkpoint,
          parts_.resolved.programs,
          stopped_,
          samples_ ? std::optional(samples_->samples()) : std::nullopt,
          baseline_ ? &*baseline_ : nullptr,
          options_.raw_costs,
          strangers(),
          control_->slices() ? std::optional(control_->slices()->told()) : std::nullopt};
}

snapshot::Snapshot LiveRun::snapshot(double window_s, const std::string& metric,
                                     const snapshot::HeatWish& heat) {
  const pipeline::SharedCheckpoint now = data_.read();
  const present::RunParts parts = run_parts(*now);
  return present::build_snapshot(
      parts, {present::last_seconds(parts, window_s), metric, {}, std::nullopt, heat});
}

void LiveRun::compare_with(const snapshot::Snapshot& saved) {
  baseline_ = present::baseline_of(saved);
}

Result<snapshot::View> LiveRun::view(const snapshot::ViewRequest& request) {
  // So that many clients do not keep the data thread busy with copies for them.
  constexpr uint64_t kViewAgeNs = 20'000'000;
  const pipeline::SharedCheckpoint now = data_.read(stopped_ ? 0 : kViewAgeNs);
  return present::answer_view(run_parts(*now), request,
                              {.live = !stopped_, .events_per_s = data_.events_per_s()}, analyst_);
}

Result<snapshot::AnalysisRequest> LiveRun::inside_of(const std::string& name) const {
  return present::inside_request(parts_.spec, parts_.resolved.plan, name,
                                 control_->captures().samples() != nullptr);
}

void LiveRun::stop() {
  see_command();
  if (stopped_ || !data_.began()) return;
  look_after_all();
  stopped_ = true;
  const uint64_t end_ns = control_->end();
  if (samples_) samples_->end();
  look_at_files();
  data_.pipeline().stop(end_ns);
  correct_costs();
  log_->end(data_.read()->capture, end_ns);
  tell_notes();
  keep_objectives();  // what was still under way
}

}  // namespace compmond::run
