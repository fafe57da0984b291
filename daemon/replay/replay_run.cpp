// SPDX-License-Identifier: Apache-2.0
#include "replay/replay_run.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "core/limits.h"
#include "figures/slo.h"
#include "imported/import.h"
#include "present/estimated.h"
#include "present/heat.h"
#include "present/inside.h"
#include "present/known.h"
#include "present/slo.h"
#include "present/snapshot_builder.h"
#include "text/numbers.h"

namespace compmond::replay {
namespace {

constexpr size_t kShownDamage = 5;  // in the notes; the rest is counted
// Events of other threads may follow so much later in the log than their times say, by far.
constexpr uint64_t kLateNs = 1'000'000'000;
constexpr uint64_t kLateSamplesNs = 3'000'000'000;  // likewise what tells how long they stand for
constexpr uint64_t kViewAgeNs = 20'000'000;         // as in a live run

pipeline::Options pipeline_options(const recording::Header& header, const LoggedRun& run,
                                   int history_mib) {
  pipeline::Options out;
  for (const plan::PlannedOperation& op : run.plan.operations)
    out.component_of.push_back(op.component);
  out.objectives = present::objectives_of(run.plan, run.states);
  // What the log says is not to be believed beyond what logs may take.
  const size_t bytes = history_mib > 0 ? size_t(history_mib) << 20
                                       : std::min(size_t(header.history_bytes),
                                                  MemoryBound::of_machine().bytes() / 2);
  out.history_bytes = std::clamp(bytes, size_t(1) << 20, limits::kHistoryBytesMost);
  out.switches_stacks = header.switches_stacks;
  out.open_exits = header.open_exits;
  return out;
}

std::optional<estimate::Model> sampled_model(const recording::Header& header,
                                             const LoggedRun& run) {
  if (!(header.samples_hz > 0)) return std::nullopt;
  return present::estimate_model_of(run.spec, run.plan);
}

// A log of Kieker is played from a copy in memory.
Result<recording::LogReader> open_log(const std::string& path) {
  if (!imported::is_foreign(path)) return recording::LogReader::open(path);
  const auto copy = imported::import_log(path);
  if (!copy) return Unexpected(copy.error());
  auto reader = recording::LogReader::open(copy->proc_path());
  if (!reader) reader.error().what = fmt::format("cannot replay the log '{}'", path);
  return reader;
}

// Where --to asks for it, the rest of the log is not read.
uint64_t last_ns(const ReplaySource& log, const std::optional<text::Moment>& to) {
  if (!to) return log.end_ns();
  const uint64_t late_ns = log.header().samples_hz > 0 ? kLateSamplesNs : kLateNs;
  return std::min(log.end_ns(), moment_of(log.header(), *to) + late_ns);
}

// That the log has something of the time that is asked for.
Result<void> check_times(const recording::LogReader& log, const ReplayRun::Options& options) {
  const recording::Header& header = log.header();
  const auto seconds = [&](uint64_t ns) {
    return double(ns - std::min(ns, header.start_ns)) / 1e9;
  };
  const auto &from = options.from, &to = options.to;
  if (from && to && moment_of(header, *from) >= moment_of(header, *to))
    return fail(Exit::kUsage, "nothing to show",
                fmt::format("{} is not before {}", from->text(), to->text()),
                "Give an end, --to, that is later than --from.");
  const bool beyond = from && moment_of(header, *from) >= log.end_ns();
  const bool before = to && moment_of(header, *to) <= log.begin_ns();
  if (!beyond && !before) return {};
  const text::Moment begin{std::nullopt, log.begin_ns() + header.realtime_less_ns};
  return fail(Exit::kUsage,
              beyond ? fmt::format("nothing to show from {} on", from->text())
                     : fmt::format("nothing to show up to {}", to->text()),
              fmt::format("the log is of {:.1f} s to {:.1f} s after the run's start, from {} on",
                          seconds(log.begin_ns()), seconds(log.end_ns()), begin.text()),
              "Give --from and --to within these.");
}

}  // namespace

Result<std::unique_ptr<ReplayRun>> ReplayRun::open(const std::string& path,
                                                   const Options& options) {
  auto reader = open_log(path);
  if (!reader) return Unexpected(std::move(reader.error()));
  if (auto fine = check_times(*reader, options); !fine) return Unexpected(std::move(fine.error()));
  auto run = logged_run(reader->header());
  if (!run) return Unexpected(std::move(run.error()));
  correct(run->costs, reader->last_state());
  auto pipeline = pipeline_options(reader->header(), *run, options.history_mib);
  if (options.history_mib > 0)
    reader->bound_by(MemoryBound::of_machine(pipeline.history_bytes * 2));
  auto sampled = sampled_model(reader->header(), *run);
  return std::unique_ptr<ReplayRun>(new ReplayRun(std::move(*reader), std::move(pipeline),
                                                  std::move(sampled), std::move(*run), options));
}

ReplayRun::ReplayRun(recording::LogReader reader, pipeline::Options pipeline,
                     std::optional<estimate::Model> sampled, LoggedRun run, const Options& options)
    : run_(std::move(run)),
      options_(options),
      player_(std::move(reader), std::move(pipeline), std::move(sampled)),
      transport_(player_, last_ns(player_.source(), options.to)) {}

uint64_t ReplayRun::moment(const text::Moment& one) const {
  return moment_of(player_.source().header(), one);
}

void ReplayRun::play(double speed) {
  const bool later = speed > 0 && options_.from;
  transport_.play(speed, later ? std::optional(moment(*options_.from)) : std::nullopt);
}

void ReplayRun::service() {
  transport_.service();
  player_.publish_due(monotonic_ns());
  if (options_.exit_on_slo && !missed_) missed_ = first_missed(false);
}

void ReplayRun::stop() {
  player_.pause();
  if (options_.exit_on_slo) missed_ = first_missed(true);
}

const ReplayRun::Told& ReplayRun::tell(const ReplayPlayer::Picture& picture) {
  if (told_.of == picture.checkpoint) return told_;
  const ReplaySource& log = player_.source();
  const bool at_end = picture.position.at_end;
  recording::State state = log.state();
  run_.states =
      logged_states(picture.position.time_ns, state, log.last_state(), log.header(), run_.plan);
  told_ = {picture.checkpoint, state, logged_processes(state), notes(state, picture.position),
           at_end && state.ended};
  return told_;
}

present::RunParts ReplayRun::parts(const Told& told) const {
  const recording::Header& header = player_.source().header();
  present::RunParts out{run_.spec,    run_.plan,      run_.states, run_.costs,
                        run_.engines, told.processes, told.notes,  player_.store(),
                        *told.of,     run_.programs,  told.ended};
  out.raw_costs = options_.raw_costs;
  out.strangers = told.state.strangers;
  out.host = header.host.name;
  out.processes_are_hosts = imported::is_import(header);
  if (const auto* samples = player_.samples())
    out.samples.emplace(present::RunSamples{*samples, header.samples_hz});
  if (const auto& too_hot = told.state.too_hot) {
    out.slices.emplace(
        present::RunSlices{player_.slices().store(), player_.slices().singles(), {}});
    out.slices->too_hot.resize(run_.plan.operations.size());
    for (const uint32_t op : *too_hot) out.slices->too_hot[op] = true;
    out.slices->was_too_hot_until_ns = told.state.was_too_hot_until_ns;
    out.slices->stopped = told.state.slices_stopped;
  }
  if (baseline_) out.baseline = &*baseline_;
  return out;
}

// None: the whole run.
std::optional<Window> ReplayRun::window(uint64_t now_ns) const {
  if (!options_.from && !options_.to) return std::nullopt;
  const uint64_t begin = player_.source().begin_ns();
  const uint64_t from = options_.from ? std::max(begin, moment(*options_.from)) : begin;
  const uint64_t to = std::min(now_ns, options_.to ? moment(*options_.to) : UINT64_MAX);
  return Window{std::min(from, to), to};
}

snapshot::Snapshot ReplayRun::snapshot(double window_s, const std::string& metric,
                                       const snapshot::HeatWish& heat) {
  const ReplayPlayer::Picture& picture = player_.look(0);
  const Told& told = tell(picture);
  const auto wanted = window_s > 0 ? std::nullopt : window(picture.position.time_ns);
  const present::RunParts run = parts(told);
  present::SnapshotChoice choice{wanted ? *wanted : present::last_seconds(run, window_s), metric};
  choice.heat = heat;
  if (wanted) choice.cpu_ns = player_.source().cpu_used_ns(*wanted);
  snapshot::Snapshot out = present::build_snapshot(run, choice);
  out.host = player_.source().header().host;
  return out;
}

void ReplayRun::compare_with(const snapshot::Snapshot& saved) {
  baseline_ = present::baseline_of(saved);
}

Result<snapshot::View> ReplayRun::view(const snapshot::ViewRequest& request) {
  const ReplayPlayer::Picture& picture = player_.look(kViewAgeNs);
  const ReplaySource::Position& position = picture.position;
  present::RunStatus status;
  status.live = !position.at_end;
  status.replay = true;
  status.events_per_s = player_.events_per_s();
  status.paused = !position.moving && !position.at_end;
  status.speed = position.speed;
  status.end_ns = player_.source().end_ns();
  auto out = present::answer_view(parts(tell(picture)), request, status, analyst_);
  if (out && out->snapshot) out->snapshot->host = player_.source().header().host;
  return out;
}

Result<snapshot::AnalysisRequest> ReplayRun::inside_of(const std::string& name) const {
  return present::inside_request(run_.spec, run_.plan, name,
                                 player_.source().header().samples_hz > 0);
}

// Of a part it is known at its end alone.
std::optional<std::string> ReplayRun::missed_in_part() {
  const snapshot::Snapshot told = snapshot(0, "overall", {});
  if (!told.slo || told.slo->violations + told.slo->violating_now == 0) return std::nullopt;
  const ReplayPlayer::Picture& picture = player_.look(0);
  const present::RunParts run = parts(tell(picture));
  const auto kept =
      figures::newest_violations(run.checkpoint, present::model_of(run),
                                 *window(picture.position.time_ns), limits::kViolationsKept);
  return kept.empty() ? fmt::format("{} missed their objective, and newer ones of the log too",
                                    text::counted(told.slo->violations, "execution"))
                      : present::violation_text(run, kept.back());
}

std::optional<std::string> ReplayRun::first_missed(bool with_open) {
  if (options_.from || options_.to) return with_open ? missed_in_part() : std::nullopt;
  const present::RunParts run = parts(tell(player_.look(0)));
  const auto first = figures::first_violation(run.checkpoint, present::model_of(run));
  if (!first || (first->open && !with_open)) return std::nullopt;
  return present::violation_text(run, *first);
}

// The run's own, and what the log lacks.
std::vector<std::string> ReplayRun::notes(const recording::State& state,
                                          const ReplaySource::Position& position) const {
  const ReplaySource& log = player_.source();
  const bool at_end = position.at_end;
  const uint64_t start = log.header().start_ns;
  std::vector<std::string> out = state.notes;
  if (options_.from || options_.to)
    out.push_back(fmt::format(
        "events, losses, accounts and processes are not of the part, but of the run up to {}",
        text::moment(double(position.time_ns - start), 1e8)));
  if (log.begin_ns() > start)
    out.push_back(fmt::format(
        "the log begins {} after its run: what came before is not in it, and calls that were "
        "open then are not counted",
        text::moment(double(log.begin_ns() - start), 1e8)));
  if (at_end && !log.last_state().ended)
    out.push_back(
        "the log has no end: its run was killed, or the file was cut off or saved before");
  if (const auto* samples = player_.samples();
      at_end && samples && !log.last_state().ended && samples->known_ns() < log.end_ns())
    out.push_back(fmt::format(
        "samples are counted up to {} of the run, {} before the log's end: "
        "what they tell is too little by that part",
        text::moment(double(samples->known_ns() - std::min(start, samples->known_ns())), 1e8),
        text::moment(double(log.end_ns() - samples->known_ns()), 1e8)));
  if (const uint64_t taken = log.last_state().samples;
      at_end && taken > 0 && player_.samples() && player_.samples()->known_ns() == 0)
    out.push_back(fmt::format(
        "the log has none of the {} samples that the run took: nothing is estimated from them",
        taken));
  const std::vector<recording::Damage> all = log.damage();
  for (size_t i = 0; i < std::min(all.size(), kShownDamage); ++i)
    out.push_back(sentence(all[i], start));
  if (all.size() > kShownDamage)
    out.push_back(fmt::format("… and at {} more places", all.size() - kShownDamage));
  return out;
}

std::vector<std::string> ReplayRun::last_words() const {
  std::vector<std::string> out;
  for (const recording::Damage& damage : player_.source().damage())
    out.push_back(sentence(damage, player_.source().header().start_ns));
  return out;
}

Result<std::string> ReplayRun::save_recording() {
  return fail(Exit::kData, "cannot save a recording", "this is a replay of one");
}

Result<std::string> ReplayRun::control(const snapshot::ControlRequest& request) {
  return transport_.control(request);
}

}  // namespace compmond::replay
