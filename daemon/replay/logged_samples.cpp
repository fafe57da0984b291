// SPDX-License-Identifier: Apache-2.0
#include "replay/logged_samples.h"

#include <algorithm>
#include <utility>

#include "core/limits.h"
#include "estimate/sample_store.h"
#include "present/estimated.h"
#include "present/inside.h"
#include "recording/log_reader.h"
#include "replay/logged_run.h"
#include "replay/sample_feed.h"

namespace compmond::replay {
namespace {

// What samples of a moment stand for is told some seconds later.
constexpr uint64_t kToldNs = 12'000'000'000;

Result<estimate::Part> part_of(const LoggedRun& run, const std::string& name) {
  if (name.empty()) return estimate::Part{estimate::Part::Kind::kAll, 0};
  const auto found = present::inside_request(run.spec, run.plan, name, true);
  if (!found) return Unexpected(found.error());
  return present::part_of(run.spec, run.plan, found->component, found->operation, false);
}

void read(recording::LogReader& log, uint64_t until_ns, estimate::SampleStore& store) {
  SampleFeed feed(&store);
  recording::DecodedChunk chunk;
  while (store.known_ns() <= until_ns && log.next(chunk)) {
    if (!chunk.samples) continue;
    feed.take(std::move(*chunk.samples));
    feed.deliver(UINT64_MAX, SIZE_MAX);
  }
}

}  // namespace

Result<LoggedInside> inside_of_log(const std::string& path, const SamplesAsked& asked) {
  auto log = recording::LogReader::open(path);
  if (!log) return Unexpected(std::move(log.error()));
  const recording::Header& header = log->header();
  if (!(header.samples_hz > 0))
    return fail(Exit::kData, fmt::format("cannot look inside the log '{}'", path),
                "it holds no samples, which tell functions",
                "Record with --engine sampling, or with --samples HZ.");
  auto run = logged_run(header);
  if (!run) return Unexpected(std::move(run.error()));
  const auto part = part_of(*run, asked.part);
  if (!part) return Unexpected(part.error());
  Window window{log->begin_ns(), log->end_ns()};
  if (asked.from) window.start_ns = std::max(window.start_ns, moment_of(header, *asked.from));
  if (asked.to) window.end_ns = std::min(window.end_ns, moment_of(header, *asked.to));
  window.end_ns = std::max(window.start_ns, window.end_ns);

  estimate::SampleStore::Options options;
  options.recent_bytes = limits::kAnalysedSamplesBytes;
  options.stacks_bytes = limits::kAnalysedSamplesBytes;
  estimate::SampleStore store(present::estimate_model_of(run->spec, run->plan), options);
  read(*log, asked.to ? window.end_ns + kToldNs : UINT64_MAX - 1, store);

  LoggedInside out;
  out.view.report = snapshot::Report::kInside;
  out.view.start_ns = window.start_ns + header.realtime_less_ns;
  out.view.end_ns = window.end_ns + header.realtime_less_ns;
  out.view.content =
      present::inside_report(store, *part, window, limits::kExecutionsShown, out.view.left_out);
  out.view.partial = !out.view.as<snapshot::Inside>()->complete;
  out.damaged = log->damage().size();
  return out;
}

}  // namespace compmond::replay
