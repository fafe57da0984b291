// SPDX-License-Identifier: Apache-2.0
#include "logs/trace_logs.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "core/message.h"
#include "kieker/reader.h"
#include "logs/progress.h"
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

// What the traces lack, although all was read that could be.
void say_doubts(uint64_t absent_contexts, uint64_t early, const traces::TraceAssembler& assembler) {
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
  if (counts.broken > 0)
    say_with_examples(
        text::counted(counts.broken, "trace is broken and left out (--repair mends it)",
                      "traces are broken and left out (--repair mends them)"),
        counts.broken, assembler.examples());
  if (counts.repaired > 0)
    say_with_examples(
        text::counted(counts.repaired, "trace was broken and is repaired by its times",
                      "traces were broken and are repaired by their times"),
        counts.repaired, assembler.examples());
}

}  // namespace

Result<TraceLogs> TraceLogs::open(const std::vector<std::string>& paths) {
  TraceLogs out;
  for (const std::string& path : paths)
    if (auto added = out.add(path); !added) return Unexpected(std::move(added.error()));
  return out;
}

Result<void> TraceLogs::add(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0)
    return fail_errno(is_permission(errno) ? Exit::kNoPermission : Exit::kNoInput,
                      fmt::format("cannot read the log '{}'", path), errno, "Check the path.");
  if (S_ISDIR(st.st_mode)) {
    auto reader = kieker::KiekerReader::open(path, *catalogue_);
    if (!reader) return Unexpected(std::move(reader.error()));
    logs_.push_back(std::move(*reader));
  } else {
    auto reader = RecordedTraces::open(path, int64_t(logs_.size()), *catalogue_);
    if (!reader) return Unexpected(std::move(reader.error()));
    logs_.push_back(std::move(*reader));
  }
  return {};
}

TraceLogs::Unread TraceLogs::say_unread() const {
  Unread out;
  for (const auto& log : logs_) {
    if (const std::string lacks = log->lacks(); !lacks.empty()) say(lacks);
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

Result<traces::LogFacts> TraceLogs::read(bool repair, traces::TraceAssembler::Deliver deliver) {
  traces::TraceAssembler::Options options;
  options.repair = repair;
  const bool immediate = std::all_of(logs_.begin(), logs_.end(),
                                     [](const auto& log) { return log->traces_end_with_first(); });
  options.linger_ns = immediate ? 0 : traces::kLingerNs;
  traces::TraceLinker linker(*catalogue_, std::move(deliver));
  traces::TraceAssembler assembler(options, [&](const auto& trace) { linker.add(trace); });
  assemble(assembler, linker);

  const auto& counts = assembler.counts();
  const Unread unread = say_unread();
  const traces::LogFacts facts{linker.counts().traces, counts.executions, counts.broken,
                               counts.repaired, unread.records};
  if (facts.traces == 0 && facts.broken == 0 && facts.bad_records > 0)
    return fail(Exit::kData, "the log holds nothing that can be read", unread.example,
                "Check that it is a log of compmond or of Kieker.");
  say_doubts(unread.contexts, linker.counts().early, assembler);
  return facts;
}

}  // namespace compmond::logs
