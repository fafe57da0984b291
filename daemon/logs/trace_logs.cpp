// SPDX-License-Identifier: Apache-2.0
#include "logs/trace_logs.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/window.h"
#include "core/message.h"
#include "core/progress.h"
#include "kieker/reader.h"
#include "logs/recorded_traces.h"
#include "text/numbers.h"

namespace compmond::logs {
namespace {

// "3 places of the log could not be read:" and the first of them.
void say_with_examples(std::string text, uint64_t count, const std::vector<std::string>& examples) {
  for (const std::string& example : examples) text += "\n  " + example;
  if (count > examples.size())
    text += fmt::format("\n  and {} more", text::count(count - examples.size()));
  say(text);
}

// "3 traces are broken and left out (--repair mends 2 of them)"
void say_broken(const traces::TraceAssembler& assembler, bool repaired) {
  const auto& counts = assembler.counts();
  const uint64_t mendable = repaired ? 0 : counts.broken - counts.beyond_repair;
  std::string text = text::counted(counts.broken, "trace is broken and left out",
                                   "traces are broken and left out");
  if (mendable == 0)
    text += "; nothing is known of executions that could be mended";
  else if (mendable == counts.broken)
    text += counts.broken == 1 ? " (compmond analyze --repair mends it)"
                               : " (compmond analyze --repair mends them)";
  else
    text += fmt::format(" (compmond analyze --repair mends {} of them)", mendable);
  say_with_examples(text, counts.broken, assembler.examples());
}

// What the traces lack, although all was read that could be.
void say_doubts(uint64_t absent_contexts, uint64_t early, bool repaired,
                const traces::TraceAssembler& assembler) {
  const auto& counts = assembler.counts();
  if (absent_contexts > 0)
    say(
        fmt::format("{} of trace or session ids could not be read (not in memory then, or longer "
                    "than 64 bytes): these calls are in traces of their threads",
                    text::count(absent_contexts)));
  if (early > 0)
    say(
        fmt::format("there was not enough room to look for connections over the whole length of "
                    "the logs: it was looked for in {} stretches",
                    text::count(early + 1)));
  if (counts.broken > 0) say_broken(assembler, repaired);
  if (counts.repaired > 0)
    say_with_examples(
        text::counted(counts.repaired, "trace was broken and is repaired by its times",
                      "traces were broken and are repaired by their times"),
        counts.repaired, assembler.examples());
}

}  // namespace

Result<TraceLogs> TraceLogs::open(const std::vector<std::string>& paths, bool raw_costs) {
  TraceLogs out;
  for (const std::string& path : paths)
    if (auto added = out.add(path, raw_costs); !added) return Unexpected(std::move(added.error()));
  return out;
}

Result<void> TraceLogs::add(const std::string& path, bool raw_costs) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0)
    return fail_errno(is_permission(errno) ? Exit::kNoPermission : Exit::kNoInput,
                      fmt::format("cannot read the log '{}'", path), errno, "Check the path.");
  if (S_ISDIR(st.st_mode) || kieker::KiekerReader::is_archive(path)) {
    auto reader = kieker::KiekerReader::open(path, *catalogue_);
    if (!reader) return Unexpected(std::move(reader.error()));
    logs_.push_back(std::move(*reader));
  } else {
    auto reader = RecordedTraces::open(path, int64_t(logs_.size()), *catalogue_, raw_costs);
    if (!reader) return Unexpected(std::move(reader.error()));
    logs_.push_back(std::move(*reader));
  }
  paths_.push_back(path);
  return {};
}

TraceLogs::Unread TraceLogs::say_unread(Window time) const {
  Unread out;
  for (const auto& log : logs_) {
    if (const std::string lacks = log->lacks(time); !lacks.empty()) say(lacks);
    out.contexts += log->absent_contexts();
    const traces::BadRecords& damage = log->bad_records();
    out.records += damage.count;
    if (damage.count == 0) continue;
    if (out.example.empty()) out.example = damage.examples.front();
    say_with_examples(text::counted(damage.count, "place of the log cannot be read; the rest was",
                                    "places of the log cannot be read; the rest was"),
                      damage.count, damage.examples);
  }
  return out;
}

void TraceLogs::assemble(traces::TraceAssembler& assembler, traces::TraceLinker& linker) {
  Progress progress("reading");
  traces::read_merged(logs_, assembler, [&] {
    double share = 0;  // each log counts the same
    for (const auto& log : logs_)
      share += double(log->done()) / double(std::max<uint64_t>(log->total(), 1));
    progress.update(share / double(logs_.size()));
  });
  assembler.finish();
  linker.finish();
}

// A log that does not say when it begins takes a reading of its own for it.
uint64_t TraceLogs::begin_ns() const {
  uint64_t out = UINT64_MAX;
  std::vector<std::string> silent;
  for (size_t i = 0; i < logs_.size(); ++i)
    if (const auto begin = logs_[i]->begin_ns())
      out = std::min(out, *begin);
    else
      silent.push_back(paths_[i]);
  if (auto again = open(silent); again && !silent.empty()) {
    traces::TraceLinker linker(*again->catalogue_, [](const traces::Trace&) {});
    traces::TraceAssembler::Options options;
    options.linger_ns = traces::kLingerNs;
    options.repair = true;  // of broken ones, too
    traces::TraceAssembler assembler(
        options, [&](const traces::Trace& trace) { out = std::min(out, trace.start_ns()); });
    again->assemble(assembler, linker);
  }
  return out == UINT64_MAX ? 0 : out;
}

Window TraceLogs::span(const Choice& choice) const {
  const auto counted = [](const auto& moment) { return moment && moment->seconds; };
  const uint64_t begin = counted(choice.from) || counted(choice.to) ? begin_ns() : 0;
  return {choice.from ? choice.from->at(begin) : 0, choice.to ? choice.to->at(begin) : UINT64_MAX};
}

bool TraceLogs::saw_all_of(const traces::Trace& trace) const {
  return std::ranges::all_of(logs_, [&](const auto& log) { return log->saw_all_of(trace); });
}

Result<traces::LogFacts> TraceLogs::read(const Choice& choice,
                                         traces::TraceAssembler::Deliver deliver) {
  const Window span = this->span(choice);
  const auto has = [&](uint64_t start_ns, uint64_t end_ns) {
    return start_ns < span.end_ns && end_ns >= span.start_ns;
  };
  traces::TraceAssembler::Options options;
  options.repair = choice.repair;
  options.concerns = has;
  options.observed = [this](const traces::Trace& trace) { return saw_all_of(trace); };
  const bool immediate = std::all_of(logs_.begin(), logs_.end(),
                                     [](const auto& log) { return log->traces_end_with_first(); });
  options.linger_ns = immediate ? 0 : traces::kLingerNs;
  traces::LogFacts facts;
  traces::TraceLinker linker(*catalogue_, [&](const traces::Trace& trace) {
    if (!has(trace.start_ns(), trace.end_ns())) return;
    ++facts.traces;
    facts.executions += trace.executions.size();
    deliver(trace);
  });
  traces::TraceAssembler assembler(options, [&](const traces::Trace& trace) {
    if (saw_all_of(trace))
      linker.add(trace);
    else
      facts.not_observed += has(trace.start_ns(), trace.end_ns());
  });
  assemble(assembler, linker);

  const Unread unread = say_unread(span);
  facts.broken = assembler.counts().broken;
  facts.repaired = assembler.counts().repaired;
  facts.bad_records = unread.records;
  if (facts.not_observed > 0)
    say(text::counted(facts.not_observed, "trace is left out, as probes were away in its time",
                      "traces are left out, as probes were away in their time"));
  say_doubts(unread.contexts, linker.counts().early, choice.repair, assembler);
  if (facts.traces == 0) return unusable(choice, assembler, unread, facts.not_observed);
  return facts;
}

Unexpected TraceLogs::unusable(const Choice& choice, const traces::TraceAssembler& assembler,
                               const Unread& unread, uint64_t not_seen) const {
  const auto& counts = assembler.counts();
  const char* const what = "the log has no trace that can be used";
  if (not_seen > 0)
    return fail(Exit::kData, what,
                fmt::format("probes were away in the time of {}",
                            text::counted(not_seen, "trace", "traces")),
                "See what samples and slices tell: compmond replay. Record with --max-overhead "
                "off, observe less, or switch nothing off.");
  if (counts.broken > 0)
    return fail(Exit::kData, what,
                text::counted(counts.broken, "trace is broken", "traces are broken"),
                counts.beyond_repair < counts.broken && !choice.repair
                    ? "Try compmond analyze --repair, which nests what there is by times alone."
                    : "Check that the log is complete.");
  if (counts.traces > 0)
    return fail(Exit::kData, what,
                fmt::format("none of its {} is of the time between --from and --to",
                            text::counted(counts.traces, "trace", "traces")),
                "Leave these out to see when they are.");
  if (unread.records > 0)
    return fail(Exit::kData, "the log holds nothing that can be read", unread.example,
                "Check that it is a log of compmond or of Kieker.");
  return fail(Exit::kData, what, "no execution ended in it",
              "Record for longer, or while what the spec names is in use.");
}

}  // namespace compmond::logs
