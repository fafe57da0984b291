// SPDX-License-Identifier: Apache-2.0
// The data side as a whole: record::Stream, trace::Tracer, history::Store. An input is a list of
// commands: what threads of the target do, and when the drain looks. With bit 0 of its first byte
// the events are arbitrary instead, as a damaged log's.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "bytes.h"
#include "check.h"
#include "history/store.h"
#include "kernel_side.h"
#include "record/checked_source.h"
#include "record/stream.h"
#include "trace/contexts.h"
#include "trace/tracer.h"

namespace compmond::fuzz {
namespace {

using record::Event;
using record::EventKind;
using record::ThreadId;
using trace::Execution;

constexpr uint32_t kSlots = 4;
constexpr uint32_t kOpenExits = 64;
constexpr uint64_t kBegin = 1'000'000'000'000;
constexpr size_t kCommands = 1000;           // sums of times stay far from 64 bits
constexpr size_t kHistoryBytes = 512 << 10;  // so that executions are evicted
const std::vector<int> kComponents = {0, 0, 1, 1, 2, -1};

uint64_t sum_closed(const uint64_t (&closed)[trace::kClosedReasons]) {
  return std::accumulate(std::begin(closed), std::end(closed), uint64_t{0});
}

history::Store::Options store_options() {
  history::Store::Options options;
  options.operations = kComponents.size();
  options.start_ns = kBegin;
  options.budget_bytes = kHistoryBytes;
  return options;
}

// Tracer and store as run::Pipeline wires them, with a look at everything that passes between.
class DataSide : public record::EventSink, public trace::ExecutionSink {
 public:
  // `sane`: times are a clock's; else any number may come.
  DataSide(bool sane, bool switching)
      : sane_(sane),
        store_(store_options()),
        tracer_(kComponents, *this,
                switching ? trace::Tracer::Stacks::kSwitching : trace::Tracer::Stacks::kOrdinary,
                kOpenExits) {}

  void on_thread(ThreadId thread, const record::ThreadInfo& info) override {
    FUZZ_CHECK(threads_.try_emplace(thread).second);
    tracer_.on_thread(thread, info);
    store_.on_thread(thread, info);
  }

  void on_events(ThreadId thread, std::span<const Event> events) override {
    FUZZ_CHECK(!events.empty());
    Span& span = threads_.at(thread);
    for (const Event& event : events) {
      span.first = std::min(span.first, event.time_ns);
      span.last = std::max(span.last, event.time_ns);
    }
    tracer_.on_events(thread, events);
    FUZZ_CHECK(tracer_.ledger().balanced());
  }

  void on_orphan(trace::OperationId op) override { store_.on_orphan(op); }

  void on_context(uint64_t trace_id, uint32_t eoi, const trace::Context& context) override {
    FUZZ_CHECK(!context.absent && context.text.size() < CM_TEXT_BYTES + 8);
    ++said_;
    store_.on_context(trace_id, eoi, context);
  }

  void on_begin(const trace::Begun& execution) override {
    FUZZ_CHECK(execution.op < kComponents.size());
    store_.on_begin(execution);
  }

  void on_top(trace::OperationId op, uint64_t from_ns, uint64_t to_ns) override {
    FUZZ_CHECK(op < kComponents.size() && from_ns < to_ns);
    real_[op] += to_ns - from_ns;
    store_.on_top(op, from_ns, to_ns);
  }

  void on_closed(const Execution& execution) override {
    look_at(execution);
    store_.on_closed(execution);
  }

  void on_whole(const Execution& execution) override {
    FUZZ_CHECK(execution.op < kComponents.size());
    FUZZ_CHECK(execution.start_ns / trace::kToldTogetherNs ==
               execution.end_ns / trace::kToldTogetherNs);
    real_[execution.op] += execution.end_ns - execution.start_ns - execution.nested_ns;
    look_at(execution);
    store_.on_whole(execution);
  }

  const trace::Ledger& ledger() const { return tracer_.ledger(); }
  void check() const;

 private:
  void look_at(const Execution& execution) {
    FUZZ_CHECK(execution.end_ns >= execution.start_ns);
    const uint64_t raw = execution.end_ns - execution.start_ns;
    FUZZ_CHECK(execution.nested_ns <= raw);
    Span& span = threads_.at(execution.thread);
    FUZZ_CHECK(execution.start_ns >= span.first && execution.end_ns <= span.last);
    span.real += raw - execution.nested_ns;
    // A damaged log may go on with a thread that has ended, at any time.
    if (sane_) FUZZ_CHECK(span.real <= span.last - span.first);
  }

  struct Span {  // of one thread
    uint64_t first = UINT64_MAX, last = 0;
    uint64_t real = 0;
  };
  void check_operations(const history::Checkpoint& now) const;
  void check_open(const history::Checkpoint& now) const;
  void check_history(const history::Checkpoint& now) const;

  bool sane_;
  uint64_t said_ = 0;  // by arguments
  std::map<ThreadId, Span> threads_;
  std::map<trace::OperationId, uint64_t> real_;  // as told by on_top
  history::Store store_;
  trace::Tracer tracer_;
};

void DataSide::check() const {
  history::Checkpoint now;
  store_.fill(now);
  tracer_.open_executions(now.open);
  FUZZ_CHECK(ledger().open == now.open.size());
  if (store_.contexts().lost_up_to() == 0)
    FUZZ_CHECK(store_.contexts().of_traces(0, UINT64_MAX).size() == said_);
  check_operations(now);
  check_open(now);
  check_history(now);
}

void DataSide::check_operations(const history::Checkpoint& now) const {
  uint64_t calls = 0;
  for (size_t op = 0; op < now.operations.size(); ++op) {
    const history::OperationTotals& total = now.operations[op];
    const auto open = std::ranges::count(now.open, op, &trace::OpenExecution::op);
    FUZZ_CHECK(total.calls == sum_closed(total.closed) + uint64_t(open));
    calls += total.calls;
    const auto real = real_.find(uint32_t(op));
    FUZZ_CHECK(total.raw.count() == sum_closed(total.closed) - total.entry_only);
    if (!sane_) continue;  // sums may pass 64 bits
    FUZZ_CHECK(total.nested_ns <= total.raw_ns);
    FUZZ_CHECK(total.component_raw_ns <= total.outer_raw_ns || kComponents[op] < 0);
    FUZZ_CHECK(total.outer_raw_ns <= total.raw_ns);
    FUZZ_CHECK(total.raw_ns - total.nested_ns <= (real == real_.end() ? 0 : real->second));
  }
  FUZZ_CHECK(calls == ledger().entries);
  uint64_t edge_calls = 0, thread_calls = 0;
  for (const auto& edge : now.edges) edge_calls += edge.calls;
  for (const auto& thread : now.threads) thread_calls += thread.calls;
  FUZZ_CHECK(edge_calls == calls && thread_calls == calls);
}

void DataSide::check_open(const history::Checkpoint& now) const {
  std::map<ThreadId, int> on_top;
  for (const trace::OpenExecution& open : now.open) {
    const Span& span = threads_.at(open.thread);
    FUZZ_CHECK(open.start_ns >= span.first && open.start_ns <= span.last);
    FUZZ_CHECK(open.own_ns <= span.last - open.start_ns);
    FUZZ_CHECK(open.nested_ns <= span.last - open.start_ns - open.own_ns);
    FUZZ_CHECK((on_top[open.thread] += open.on_top) <= 1);
  }
}

void DataSide::check_history(const history::Checkpoint& now) const {
  uint64_t seen = 0;
  const auto scan = store_.scan(now.first_execution, now.end_execution, 0, UINT64_MAX,
                                [&](const Execution& execution) {
                                  FUZZ_CHECK(execution.op < kComponents.size());
                                  FUZZ_CHECK(execution.end_ns >= execution.start_ns);
                                  ++seen;
                                });
  FUZZ_CHECK(scan.evicted == 0);
  FUZZ_CHECK(seen <= now.end_execution - now.first_execution);
  uint64_t last = kBegin;
  for (const auto& [thread, span] : threads_) last = std::max(last, span.last);
  for (uint32_t op = 0; op < kComponents.size(); ++op) {
    const history::Tile whole = store_.tile_sum(op, 0, last + 1);
    FUZZ_CHECK(whole.calls <= now.operations[op].calls);
    uint64_t calls = 0, real_ns = 0;
    for (const history::Tile& column : store_.tiles(op, kBegin, last + 1, 7)) {
      calls += column.calls;
      real_ns += column.real_ns;
    }
    FUZZ_CHECK(calls <= now.operations[op].calls);
    if (!sane_) continue;
    const auto real = real_.find(op);
    FUZZ_CHECK(whole.real_ns <= (real == real_.end() ? 0 : real->second));
    FUZZ_CHECK(real_ns <= (real == real_.end() ? 0 : real->second));
  }
}

// A target with a few threads, under a drain that looks now and then.
class Scene {
 public:
  explicit Scene(bool switching)
      : data_(true, switching), kernel_(kSlots), stream_(kernel_.slots(), kSlots) {}

  void play(Bytes input) {
    for (size_t i = 0; i < kCommands && !input.empty(); ++i) command(input);
    for (uint32_t slot = 0; slot < kSlots; ++slot) kernel_.end(slot, clock_, slot % 2 == 0);
    read_ring(SIZE_MAX);
    read_slots();
    check_all_drained();
  }

 private:
  void command(Bytes& input) {
    const auto code = input.take<uint8_t>();
    const uint32_t slot = code % kSlots;
    switch (code / kSlots % 16) {
      case 0:
        return read_slots();
      case 1:
        return read_ring(SIZE_MAX);
      case 2:
        return read_ring(1);
      case 3:
        kernel_.ring_full = !kernel_.ring_full;
        return;
      case 4:
        return kernel_.end(slot, clock_, input.take<uint8_t>() & 1);
      case 5:
        stack_[slot] = uint64_t(input.take<uint16_t>()) << 12;
        return;  // another stack
      case 6:
        clock_ += uint64_t(input.take<uint16_t>()) << 20;
        return;  // up to 68 s
      case 7:
        return record(slot, uint16_t(CM_EXEC + input.take<uint8_t>() % 3), 0, input);
      case 8:
        data_.check();
        return;
      case 9:
        return flood(slot, input);
      case 10:
      case 11:
      case 12:
        return record(slot, CM_EXIT, 0, input);
      case 13:
        return record(slot, CM_CONTEXT, input.take<uint8_t>(), input);
      default:
        return record(slot, CM_ENTRY, input.take<uint8_t>(), input);
    }
  }

  void record(uint32_t slot, uint16_t kind, uint16_t flags, Bytes& input) {
    const uint32_t op = input.take<uint8_t>() % (kComponents.size() + 1);  // one is not in the plan
    const uint64_t sp = stack_[slot] - input.take<uint8_t>() * 16;
    // Mostly onward; a clock may also seem to run backwards.
    clock_ += uint64_t(int64_t(input.take<int8_t>()) + 16);
    kernel_.record(slot, {clock_, sp, op, kind, flags});
    if (kind == CM_THREAD_EXIT) kernel_.end(slot, clock_, false);
  }

  // Ever deeper calls of one operation: up to the limit of a stack with few bytes of input.
  void flood(uint32_t slot, Bytes& input) {
    const uint32_t count = input.take<uint16_t>() % 512;
    for (uint32_t i = 0; i < count; ++i)
      kernel_.record(slot, {++clock_, stack_[slot] -= 16, 0, CM_ENTRY, CM_LIMITED_EXIT});
  }

  void read_ring(size_t chunks) {
    for (; chunks > 0 && !kernel_.ring.empty(); --chunks) {
      stream_.on_chunk(kernel_.ring.front(), data_);
      kernel_.ring.pop_front();
    }
  }

  void read_slots() {
    std::vector<uint32_t> freed;
    stream_.read_slots(data_, freed);
    FUZZ_CHECK(stream_.ledger(kernel_.hits_without_slot).balanced());
  }

  void check_all_drained() {
    data_.check();
    const record::Ledger ledger = stream_.ledger(kernel_.hits_without_slot);
    FUZZ_CHECK(ledger.balanced() && ledger.pending == 0);
    FUZZ_CHECK(data_.ledger().open == 0);
    FUZZ_CHECK(data_.ledger().lost_records == ledger.lost_ring);
    for (uint32_t slot = 0; slot < kSlots; ++slot)
      FUZZ_CHECK(kernel_.slots()[slot].state == CM_FREE);
  }

  DataSide data_;
  KernelSide kernel_;
  record::Stream stream_;
  uint64_t clock_ = kBegin;
  uint64_t stack_[kSlots] = {1ull << 46, 1ull << 45, 1ull << 44, 1ull << 43};
};

Event arbitrary_event(Bytes& input, uint8_t kind) {
  Event event;
  event.kind = EventKind(kind);
  event.flags = input.take<uint8_t>();
  event.op = input.take<uint8_t>() % (kComponents.size() + 1);
  event.time_ns = input.take<uint64_t>();
  event.sp = event.arg = input.take<uint64_t>();
  return event;
}

void play_arbitrary(Bytes input, bool switching) {
  DataSide data(false, switching);
  for (ThreadId thread = 0; thread < kSlots; ++thread)
    data.on_thread(thread, {7, thread + 1, 0, "t"});
  for (size_t i = 0; i < kCommands && !input.empty(); ++i) {
    const auto head = input.take<uint8_t>();
    const Event event = arbitrary_event(input, head / kSlots % 8);
    data.on_events(head % kSlots, std::span<const Event>(&event, 1));
  }
  data.check();
}

uint64_t claims_clock = kBegin;

// What a process may write that wants to deceive: an event at each drain.
class Claims : public record::EventSource {
 public:
  explicit Claims(Bytes& input) : input_(input) {}
  size_t drain(record::EventSink& sink) override {
    const auto head = input_.take<uint8_t>();
    claims_clock += head * 1000;
    const auto thread = input_.take<uint8_t>();
    if (head % 16 == 0) sink.on_thread(met_++, {7u + (thread & 1), thread, thread, "t"});
    const Event event = arbitrary_event(input_, head % 10);
    sink.on_events(thread, std::span<const Event>(&event, 1));
    now_ = input_.take<uint64_t>();
    return 1;
  }
  record::Ledger ledger() const override { return {}; }
  uint64_t now_ns() const override { return now_; }

 private:
  Bytes& input_;
  ThreadId met_ = 0;
  uint64_t now_ = 0;
};

// Whatever it claims, what comes through the checks is sane.
void play_claims(Bytes input, bool switching) {
  DataSide data(true, switching);
  claims_clock = kBegin;
  Claims claims(input);
  record::CheckedSource checked(
      claims, {uint32_t(kComponents.size()), 7, kSlots, [] { return claims_clock; }});
  for (size_t i = 0; i < kCommands && !input.empty(); ++i) {
    const uint64_t promised = checked.now_ns();
    checked.drain(data);
    FUZZ_CHECK(checked.now_ns() >= promised);
    FUZZ_CHECK(checked.ledger().balanced());
  }
  data.check();
  FUZZ_CHECK(data.ledger().invalid == 0 && data.ledger().clamped == 0);
  FUZZ_CHECK(data.ledger().lost_records <= checked.ledger().lost());
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond::fuzz;
  Bytes input(data, size);
  const auto options = input.take<uint8_t>();
  if (options & 4)
    play_claims(input, options & 2);
  else if (options & 1)
    play_arbitrary(input, options & 2);
  else
    Scene(options & 2).play(input);
  return 0;
}
