// SPDX-License-Identifier: Apache-2.0
#include "imported/import.h"

#include <sys/stat.h>

#include <algorithm>
#include <numeric>
#include <queue>

#include "core/limits.h"
#include "core/progress.h"
#include "imported/pieces.h"
#include "imported/run_of.h"
#include "imported/written_log.h"
#include "kieker/reader.h"
#include "logs/trace_logs.h"
#include "text/clean.h"
#include "text/numbers.h"

namespace compmond::imported {
namespace {

using record::Event;
using record::EventKind;

// Frames lie below each other so far apart that what leaves one without a return is in between.
constexpr uint64_t kStackTop = 0x7fff'ffff'0000, kFrameBytes = 64;

uint64_t sp_of(uint16_t depth) { return kStackTop - depth * kFrameBytes; }

// The thread of each piece: per host the one that has been free for longest, else a new one.
class Lanes {
 public:
  std::vector<uint32_t> assign(const std::vector<Piece>& pieces,
                               const traces::Catalogue& catalogue) {
    std::vector<uint32_t> order(pieces.size()), out(pieces.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return pieces[a].start_ns < pieces[b].start_ns;
    });
    using Free = std::pair<uint64_t, uint32_t>;  // since when, thread
    std::vector<std::priority_queue<Free, std::vector<Free>, std::greater<>>> free(
        catalogue.hosts().size());
    for (const uint32_t piece : order) {
      auto& lanes = free[pieces[piece].host];
      uint32_t lane = uint32_t(threads_.size());
      if (!lanes.empty() && lanes.top().first <= pieces[piece].start_ns) {
        lane = lanes.top().second;
        lanes.pop();
      } else {
        add_thread(pieces[piece].host, catalogue);
      }
      lanes.emplace(pieces[piece].end_ns, lane);
      out[piece] = lane;
    }
    return out;
  }
  const record::ThreadInfo& thread(uint32_t lane) const { return threads_[lane]; }

 private:
  void add_thread(uint32_t host, const traces::Catalogue& catalogue) {
    record::ThreadInfo info;
    info.pid = host + 1;
    info.tid = uint32_t(threads_.size() + 1);
    info.start_ns = 1;
    info.name = text::printable(catalogue.hosts()[host], 15);  // as long as those of threads
    threads_.push_back(std::move(info));
  }

  std::vector<record::ThreadInfo> threads_;
};

// A move on its way to the log, in the order of the log.
struct Step {
  uint64_t time_ns;
  uint32_t lane;
  uint32_t piece;  // its rank on the lane follows from its start
  uint64_t move;
};

class Import {
 public:
  Result<Fd> run(const std::string& path) {
    auto logs = logs::TraceLogs::open({path});
    if (!logs) return Unexpected(std::move(logs.error()));
    const traces::Catalogue& catalogue = logs->catalogue();
    Pieces pieces(catalogue);
    uint64_t executions = 0;
    const auto facts = logs->read({}, [&](const traces::Trace& trace) {
      executions += trace.executions.size();
      if (executions <= limits::kReplayedExecutions &&
          catalogue.operations().size() <= limits::kOperationsMany)
        pieces.add(trace);
    });
    if (!facts) return Unexpected(facts.error());
    if (executions > limits::kReplayedExecutions)
      return fail(Exit::kData, fmt::format("cannot replay the log '{}'", path),
                  fmt::format("it has {}, and {} can be put in the order of their times",
                              text::counted(executions, "execution", "executions"),
                              text::count(limits::kReplayedExecutions)),
                  kInstead);
    const std::vector<Placed> operations = operations_of(catalogue, pieces.operations());
    auto header = header_of(catalogue, operations, path);
    if (!header) return Unexpected(std::move(header.error()));
    for (const Placed& one : pieces.operations())
      numbers_.push_back(uint32_t(std::ranges::lower_bound(operations, one) - operations.begin()));
    return write(pieces, catalogue, std::move(*header), *facts);
  }

 private:
  Result<Fd> write(const Pieces& pieces, const traces::Catalogue& catalogue,
                   recording::Header header, const traces::LogFacts& facts) {
    const std::vector<uint32_t> lane_of = lanes_.assign(pieces.pieces(), catalogue);
    const std::vector<Step> steps = sorted(pieces, lane_of);
    header.realtime_less_ns = std::max(steps.front().time_ns, kBeginNs) - kBeginNs;
    auto log = WrittenLog::begin(header);
    if (!log) return Unexpected(std::move(log.error()));
    uint64_t end_ns = 0;
    Progress progress("preparing the replay");
    for (size_t i = 0; i < steps.size(); ++i) {
      constexpr size_t kOften = 1 << 16;  // some ms
      if (i % kOften == 0) progress.update(double(i) / double(steps.size()));
      const Step& step = steps[i];
      const uint64_t at_ns = step.time_ns - std::min(step.time_ns, header.realtime_less_ns);
      end_ns = std::max(end_ns, at_ns);
      if (auto written = write(*log, pieces, step, at_ns); !written)
        return Unexpected(std::move(written.error()));
    }
    recording::State state = state_of(catalogue, end_ns + 1);
    state.notes = notes(facts, catalogue.hosts().size());
    // Places that cannot be read and traces left out: as many records at least.
    return log->finish(std::move(state), facts.bad_records + facts.broken);
  }

  // By time; what is on one thread as it was there.
  static std::vector<Step> sorted(const Pieces& pieces, const std::vector<uint32_t>& lane_of) {
    std::vector<Step> out;
    out.reserve(pieces.moves().size());
    for (uint32_t i = 0; i < pieces.pieces().size(); ++i)
      for (size_t k = 0; k < pieces.pieces()[i].count; ++k) {
        const size_t move = pieces.pieces()[i].first + k;
        out.push_back({pieces.moves()[move].time_ns, lane_of[i], i, move});
      }
    const auto start = [&](const Step& s) { return pieces.pieces()[s.piece].start_ns; };
    const auto end = [&](const Step& s) { return pieces.pieces()[s.piece].end_ns; };
    std::sort(out.begin(), out.end(), [&](const Step& a, const Step& b) {
      if (a.time_ns != b.time_ns) return a.time_ns < b.time_ns;
      if (a.lane != b.lane) return a.lane < b.lane;
      if (a.piece == b.piece) return a.move < b.move;
      if (start(a) != start(b)) return start(a) < start(b);
      if (end(a) != end(b)) return end(a) < end(b);
      return a.piece < b.piece;
    });
    return out;
  }

  Result<void> write(WrittenLog& log, const Pieces& pieces, const Step& step, uint64_t at_ns) {
    const Move& move = pieces.moves()[step.move];
    const record::ThreadInfo& thread = lanes_.thread(step.lane);
    Event event;
    event.time_ns = at_ns;
    event.op = numbers_[move.operation];
    const auto& said = pieces.said();
    auto one = std::lower_bound(said.begin(), said.end(), step.move,
                                [](const Said& a, uint64_t move) { return a.move < move; });
    for (; one != said.end() && one->move == step.move; ++one)
      for (const Event& part : context(*one, event))
        if (auto written = log.add(step.lane, thread, part); !written) return written;
    event.sp = sp_of(move.depth);
    event.kind = move.kind == Move::Kind::kBegin ? EventKind::kEntry : EventKind::kExit;
    if (move.kind == Move::Kind::kFail) {  // an exception left it, and is caught above
      event.kind = EventKind::kTransfer;
      event.flags = uint8_t(record::Transfer::kCatch);
      event.op = 0;
      event.sp += kFrameBytes / 2;
    }
    return log.add(step.lane, thread, event);
  }

  // As the kernel side sends it: a number, or a text in parts of eight bytes.
  static std::vector<Event> context(const Said& said, Event event) {
    std::vector<Event> out;
    event.kind = EventKind::kContext;
    if (said.kind != ContextKind::kSessionId) {
      event.flags = record::context_flags(said.kind, ContextType::kInteger);
      event.arg = said.number;
      return {event};
    }
    constexpr size_t kPart = sizeof event.arg, kMost = 64;
    const std::string text = said.text.substr(0, kMost);
    for (size_t at = 0; at < text.size(); at += kPart) {
      event.arg = 0;
      for (size_t i = 0; i < kPart && at + i < text.size(); ++i)
        event.arg |= uint64_t(uint8_t(text[at + i])) << (8 * i);
      event.flags = record::context_flags(said.kind, ContextType::kString);
      if (at + kPart < text.size()) event.flags |= record::kContextMore;
      out.push_back(event);
    }
    return out;
  }

  static std::vector<std::string> notes(const traces::LogFacts& facts, size_t hosts) {
    std::vector<std::string> out = {
        "a log of Kieker: classes are components, hosts are processes, and threads are made so "
        "that traces do not overlap on them"};
    if (hosts > 1)
      out.push_back(
          "classes stand below their hosts; what is called while its caller does not wait, or by "
          "clocks that differ, is a link between threads");
    if (facts.broken > 0)
      out.push_back(text::counted(facts.broken, "trace of the log is broken and left out",
                                  "traces of the log are broken and left out"));
    if (facts.bad_records > 0)
      out.push_back(text::counted(facts.bad_records, "place of the log cannot be read",
                                  "places of the log cannot be read"));
    return out;
  }

  Lanes lanes_;
  std::vector<uint32_t> numbers_;  // in the run, of those of the pieces
};

}  // namespace

bool is_foreign(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return false;
  return S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && kieker::KiekerReader::is_archive(path));
}

Result<Fd> import_log(const std::string& path) { return Import().run(path); }

}  // namespace compmond::imported
