// SPDX-License-Identifier: Apache-2.0
#include "run_log/run_log.h"

#include <utility>

#include "core/limits.h"
#include "core/message.h"
#include "guard/file_writer.h"

namespace compmond::run {
namespace {

// A killed run leaves a log that knows targets and CPU time as of this long before.
constexpr uint64_t kStateEveryNs = 2'000'000'000;

}  // namespace

Result<RunLog> RunLog::open(const Options& options) {
  RunLog out(options);
  if (options.path.empty()) return out;
  recording::Recorder::Options recording;
  recording.path = options.path;
  recording.limit_bytes = options.limit_bytes;
  recording.last_ns = uint64_t(options.last_s * 1e9);
  if (recording.last_ns > 0) {
    auto writer = guard::FileWriter::start(recording.path);
    if (!writer) return Unexpected(std::move(writer.error()));
    const auto shared = std::make_shared<guard::FileWriter>(std::move(*writer));
    recording.save_log = [shared](std::string_view log) { return shared->write(log); };
  }
  auto recorder = recording::Recorder::open(std::move(recording));
  if (!recorder) return Unexpected(std::move(recorder.error()));
  out.recorder_ = std::move(*recorder);
  return out;
}

Result<void> RunLog::begin(recording::Header header, Tell tell) {
  if (!recorder_) return {};
  header_ = std::move(header);
  tell_ = std::move(tell);
  header_.state = state(header_.start_ns);
  return recorder_->start(header_);
}

recording::State RunLog::state(uint64_t now_ns) const {
  recording::State out = tell_(header_);
  out.ended = end_ns_ > 0;
  out.as_of_ns = out.ended ? end_ns_ : now_ns;
  return out;
}

// What went wrong since, once.
bool RunLog::report_failure() {
  auto error = recorder_->take_error();
  if (!error) return false;
  report(*error);
  failed_ = std::move(error);
  return true;
}

void RunLog::serve(uint64_t now_ns) {
  if (!recorder_) return;
  if (report_failure()) say("the run goes on; what finds no room is missing in the log");
  if (now_ns - told_ns_ < kStateEveryNs) return;
  told_ns_ = now_ns;
  recorder_->update(state(now_ns));
}

Result<void> RunLog::save(const record::Ledger& capture, uint64_t now_ns) {
  if (!keeps_newest())
    return fail(Exit::kUsage, "nothing to save", "the run keeps no flight recorder",
                "Start with --record FILE --record-last SEC.");
  recording::State last = state(now_ns);
  last.capture = capture;
  return recorder_->save(std::move(last));
}

void RunLog::end(const record::Ledger& capture, uint64_t end_ns) {
  if (!recorder_) return;
  recorder_->flush();  // from now on it is known what found no room
  end_ns_ = end_ns;
  recording::State last = state(end_ns);
  last.capture = capture;
  recorder_->finish(std::move(last));
  report_failure();
}

std::optional<Error> RunLog::failure() const {
  if (!failed_) return std::nullopt;
  const recording::Recorder::Status status = recorder_->status();
  std::string kept =
      fmt::format("it has {} of {} events", status.events - status.dropped, status.events);
  if (status.samples > 0)
    kept += fmt::format(" and {} of {} samples", status.samples - status.dropped_samples,
                        status.samples);
  return Error{failed_->code, fmt::format("the log '{}' is not whole", options_.path), kept,
               "compmond replay shows what it has."};
}

std::vector<std::string> RunLog::notes() const {
  std::vector<std::string> out;
  if (!recorder_) return out;
  const recording::Recorder::Status status = recorder_->status();
  if (status.dropped > 0)
    out.push_back(fmt::format(
        "the log '{}' misses {} of {} events: the disk was too slow or full; the figures here have "
        "them all",
        options_.path, status.dropped, status.events));
  if (status.dropped_samples > 0)
    out.push_back(fmt::format(
        "the log '{}' misses {} of {} samples: the disk was too slow or full; the figures here "
        "have them all",
        options_.path, status.dropped_samples, status.samples));
  if (status.dropped_slices)
    out.push_back(fmt::format(
        "the log '{}' misses some slices: the disk was too slow or full; replayed, it tells less "
        "of calls than the figures here",
        options_.path));
  if (status.overflowed)
    out.push_back(
        fmt::format("{} s of what was observed do not fit into the {} MiB of --record-last",
                    options_.last_s, limits::kFlightBytes >> 20));
  return out;
}

}  // namespace compmond::run
