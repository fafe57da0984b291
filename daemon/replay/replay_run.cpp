// SPDX-License-Identifier: Apache-2.0
#include "replay/replay_run.h"

#include <algorithm>

#include "base/clock.h"
#include "base/limits.h"
#include "figures/slo.h"
#include "present/slo.h"
#include "present/snapshot_builder.h"

namespace compmond::replay {
namespace {

constexpr size_t kShownDamage = 5;  // in the notes; the rest is counted

}  // namespace

Result<std::unique_ptr<ReplayRun>> ReplayRun::open(const std::string& path, size_t history_bytes) {
  auto reader = recording::LogReader::open(path);
  if (!reader) return Unexpected(std::move(reader.error()));
  auto run = run::logged_run(reader->header());
  if (!run) return Unexpected(std::move(run.error()));
  if (history_bytes == 0) history_bytes = size_t(reader->header().history_bytes);
  history_bytes = std::clamp(history_bytes, size_t(1) << 20, limits::kHistoryBytesMost);
  return std::unique_ptr<ReplayRun>(
      new ReplayRun(std::move(*reader), std::move(*run), history_bytes));
}

ReplayRun::ReplayRun(recording::LogReader reader, run::LoggedRun run, size_t history_bytes)
    : source_(std::move(reader)), run_(std::move(run)), history_bytes_(history_bytes) {}

ReplayRun::~ReplayRun() { source_.pause(); }

// Has a pipeline that stands at the beginning, or where it is.
void ReplayRun::begin() {
  if (pipeline_) return;
  source_.rewind();
  pipeline::Options options;
  for (const plan::PlannedOperation& op : run_.plan.operations)
    options.component_of.push_back(op.component);
  options.objectives = present::objectives_of(run_.plan);
  options.history_bytes = history_bytes_;
  options.switches_stacks = source_.header().switches_stacks;
  options.start_ns = source_.begin_ns();
  pipeline_ = std::make_unique<pipeline::Pipeline>(source_, options);
  pipeline_->start();
  publisher_.follow(*pipeline_);
}

void ReplayRun::settle() {
  while (!source_.wait(1)) {
  }
}

void ReplayRun::play(double speed) {
  begin();
  source_.play(speed);
}

void ReplayRun::start_step(uint64_t events) {
  begin();
  source_.step(events);
}

void ReplayRun::step(uint64_t events) {
  start_step(events);
  settle();
}

void ReplayRun::start_seek(uint64_t time_ns) {
  source_.pause();
  viewed_.reset();  // events per second do not reach over a jump
  if (time_ns < source_.position().time_ns) pipeline_.reset();
  begin();
  source_.run_to(time_ns);
}

void ReplayRun::seek(uint64_t time_ns) {
  start_seek(time_ns);
  settle();
}

ReplayRun::Told ReplayRun::told(bool at_end) {
  Told out{source_.state(), {}, {}, false};
  run::apply(out.state, source_.header(), run_.plan);
  out.processes = run::logged_processes(out.state);
  out.notes = notes(out.state);
  out.ended = at_end && out.state.ended;
  return out;
}

present::RunParts ReplayRun::parts(const Told& told, const history::Checkpoint& checkpoint) const {
  return {run_.spec,          run_.plan,      run_.costs,
          run_.kind,          told.processes, told.notes,
          pipeline_->store(), checkpoint,     source_.header().build_id,
          told.ended};
}

snapshot::Snapshot ReplayRun::snapshot(double window_s, const std::string& metric,
                                       std::optional<figures::Window> window) {
  begin();
  const bool at_end = source_.position().at_end;  // before, so that the checkpoint has everything
  const pipeline::SharedCheckpoint checkpoint = publisher_.read();
  const Told told = this->told(at_end);
  snapshot::Snapshot out = present::build_snapshot(
      parts(told, *checkpoint),
      {window.value_or(figures::last_seconds(*checkpoint, window_s)), metric});
  out.host = source_.header().host;
  return out;
}

// Makes viewed_ one of the position.
void ReplayRun::look() {
  constexpr uint64_t kAgeNs = 20'000'000;  // as in a live run
  begin();
  const ReplaySource::Position position = source_.position();
  if (!viewed_) viewed_.emplace();
  Viewed& viewed = *viewed_;
  const uint64_t now = monotonic_ns();
  if (viewed.taken_ns > 0 &&
      (position == viewed.position || (position.moving && now < viewed.taken_ns + kAgeNs)))
    return;
  viewed.checkpoint = publisher_.read();
  viewed.position = position;
  viewed.told = told(position.at_end);
  viewed.taken_ns = now;
  viewed.rate.add(*viewed.checkpoint);
}

Result<snapshot::View> ReplayRun::view(const snapshot::ViewRequest& request) {
  look();
  const ReplaySource::Position& position = viewed_->position;
  present::RunStatus status;
  status.live = !position.at_end;
  status.replay = true;
  status.events_per_s = viewed_->rate.per_second();
  status.paused = !position.moving && !position.at_end;
  status.speed = position.speed;
  status.end_ns = end_ns();
  auto out =
      present::answer_view(parts(viewed_->told, *viewed_->checkpoint), request, status, analyst_);
  if (out && out->snapshot) out->snapshot->host = source_.header().host;
  return out;
}

std::optional<std::string> ReplayRun::missed_objective(bool with_open) {
  begin();
  const pipeline::SharedCheckpoint checkpoint = publisher_.read();
  const Told now = told(false);
  const present::RunParts run = parts(now, *checkpoint);
  const auto first = figures::first_violation(*checkpoint, present::model_of(run));
  if (!first || (first->open && !with_open)) return std::nullopt;
  return present::violation_text(run, *first);
}

// The run's own, and what the log lacks.
std::vector<std::string> ReplayRun::notes(const recording::State& state) const {
  std::vector<std::string> out = state.notes;
  if (begin_ns() > start_ns())
    out.push_back(fmt::format(
        "the log begins {:.1f} s after its run: what came before is not in it, and calls that were "
        "open then are not counted",
        double(begin_ns() - start_ns()) / 1e9));
  if (position().at_end && !source_.last_state().ended)
    out.push_back(
        "the log has no end: its run was killed, or the file was cut off or saved before");
  const std::vector<recording::Damage> all = damage();
  for (size_t i = 0; i < std::min(all.size(), kShownDamage); ++i)
    out.push_back("the log is damaged: " + to_text(all[i], start_ns()));
  if (all.size() > kShownDamage)
    out.push_back(fmt::format("… and at {} more places", all.size() - kShownDamage));
  return out;
}

}  // namespace compmond::replay
