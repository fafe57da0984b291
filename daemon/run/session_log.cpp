// SPDX-License-Identifier: Apache-2.0
// What a session does for its monitoring log.
#include "base/clock.h"
#include "base/message.h"
#include "guard/file_writer.h"
#include "run/log_values.h"
#include "run/session.h"

namespace compmond::run {
namespace {

// A killed run leaves a log that knows targets and CPU time as of this long before.
constexpr uint64_t kStateEveryNs = 2'000'000'000;

}  // namespace

// While files can still be created anywhere.
Result<void> Session::open_log() {
  if (options_.record_path.empty()) return {};
  recording::Recorder::Options options;
  options.path = options_.record_path;
  options.limit_bytes = uint64_t(options_.record_limit_mib) << 20;
  options.last_ns = uint64_t(options_.record_last_s * 1e9);
  if (options.last_ns > 0) {
    auto writer = guard::FileWriter::start(options.path);
    if (!writer) return Unexpected(std::move(writer.error()));
    const auto shared = std::make_shared<guard::FileWriter>(std::move(*writer));
    options.save_log = [shared](std::string_view log) { return shared->write(log); };
  }
  auto recorder = recording::Recorder::open(std::move(options));
  if (!recorder) return Unexpected(std::move(recorder.error()));
  recorder_ = std::move(*recorder);
  return {};
}

void Session::begin_log(uint64_t start_ns) {
  log_header_ = log_header(parts_.spec, parts_.resolved.plan, parts_.costs, parts_.kind);
  log_header_.build_id = parts_.resolved.program.build_id;
  log_header_.switches_stacks = parts_.resolved.program.switches_stacks;
  log_header_.history_bytes = uint64_t(options_.history_mib) << 20;
  log_header_.start_ns = log_header_.begin_ns = start_ns;
  log_header_.state = log_state();
  log_header_.state.as_of_ns = start_ns;
  recorder_->start(log_header_);
}

recording::State Session::log_state() const {
  recording::State out = run::log_state(log_header_, parts_.resolved.plan, processes_,
                                        parts_.resolved.program.build_id, notes());
  out.as_of_ns = monotonic_ns();
  return out;
}

void Session::serve_log() {
  if (const auto error = recorder_->take_error()) {
    report(*error);
    say("the run goes on; what finds no room is missing in the log");
  }
  const uint64_t now = monotonic_ns();
  if (now - logged_state_ns_ < kStateEveryNs) return;
  logged_state_ns_ = now;
  recorder_->update(log_state());
}

void Session::end_log() {
  recorder_->flush();  // from now on it is known what found no room
  shown_notes_ = notes();
  recording::State state = log_state();
  state.as_of_ns = end_ns_;
  state.ended = true;
  state.capture = pipeline_->checkpoint().capture;
  recorder_->finish(std::move(state));
  if (const auto error = recorder_->take_error()) report(*error);
}

Result<void> Session::save_recording() {
  if (!recorder_ || options_.record_last_s <= 0)
    return fail(Exit::kUsage, "nothing to save", "the run keeps no flight recorder",
                "Start with --record FILE --record-last SEC.");
  recording::State state = log_state();
  state.capture = pipeline_->checkpoint().capture;
  if (stopped_) state.as_of_ns = end_ns_;
  state.ended = stopped_;
  return recorder_->save(std::move(state));
}

// The run's own, and what the log could not hold.
std::vector<std::string> Session::notes() const {
  std::vector<std::string> out = notes_.all();
  if (!recorder_) return out;
  const recording::Recorder::Status status = recorder_->status();
  if (status.dropped > 0)
    out.push_back(fmt::format(
        "the log '{}' misses {} of {} events: the disk was too slow or full; the figures here have "
        "them all",
        options_.record_path, status.dropped, status.events));
  if (status.overflowed)
    out.push_back(fmt::format("{} s of events do not fit into the {} MiB of --record-last",
                              options_.record_last_s, limits::kFlightBytes >> 20));
  return out;
}

}  // namespace compmond::run
