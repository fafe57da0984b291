// SPDX-License-Identifier: Apache-2.0
#include "record/merge.h"

#include <algorithm>
#include <utility>

#include "core/limits.h"
#include "core/word_sums.h"
#include "record/last.h"

namespace compmond::record {
namespace {

constexpr ThreadId kNobody = ~ThreadId(0);

bool is_record(const Event& event) { return event.kind != EventKind::kLoss; }

}  // namespace

struct Merge::Queue {
  bool empty() const { return next == events.size(); }
  // One behind the next event, the contexts before it taken along.
  size_t unit_end() const {
    size_t end = next;
    while (end < events.size() && events[end].kind == EventKind::kContext) ++end;
    return end + 1;
  }
  // When the next of them is due; times that run backwards do not move it before what was said
  // earlier. Contexts whose entry is not here yet are due when it comes.
  uint64_t due_ns() const {
    const size_t end = unit_end();
    return end <= events.size() ? std::max(latest_ns, events[end - 1].time_ns) : kEnded;
  }

  // The next, and those after it that are due before.
  std::span<const Event> take(uint64_t before_ns) {
    const size_t from = next;
    do {
      const uint64_t due = due_ns();
      if (due != kEnded) latest_ns = due;
      next = std::min(unit_end(), events.size());
    } while (!empty() && due_ns() < before_ns);
    return std::span(events).subspan(from, next - from);
  }

  std::vector<Event> events;
  size_t next = 0;         // those before it were released
  uint64_t latest_ns = 0;  // of those that were released
};

struct Merge::Thread {
  Identity identity{};
  std::vector<Queue> queues;  // by source
  bool waiting = false;
};

// Gives the threads of a source the numbers that they have here.
class Merge::Intake : public EventSink {
 public:
  Intake(Merge& merge, size_t source) : merge_(merge), source_(source) {}

  size_t drain(EventSource& source, EventSink& sink) {
    sink_ = &sink;
    return source.drain(*this);
  }
  void on_thread(ThreadId thread, const ThreadInfo& info) override {
    if (thread >= here_.size()) here_.resize(thread + 1);
    here_[thread] = merge_.meet(info, *sink_);
  }
  void on_events(ThreadId thread, std::span<const Event> events) override {
    if (here_[thread] != kNobody) merge_.take(source_, here_[thread], events);
  }
  void rename(ThreadId from, ThreadId to) { std::ranges::replace(here_, from, to); }

 private:
  Merge& merge_;
  size_t source_;
  EventSink* sink_ = nullptr;   // during a drain
  std::vector<ThreadId> here_;  // by the source's own number
};

Merge::Merge(std::vector<EventSource*> sources) : sources_(std::move(sources)) {
  for (size_t i = 0; i < sources_.size(); ++i) intakes_.emplace_back(*this, i);
}

Merge::~Merge() = default;

size_t Merge::drain(EventSink& sink) {
  if (sources_.size() == 1) {
    const size_t count = sources_[0]->drain(sink);
    now_ns_ = sources_[0]->now_ns();
    return count;
  }
  size_t taken = 0;
  uint64_t now = kEnded;
  for (size_t i = sources_.size(); i-- > 0;) {  // the first knows the end of whom others saw gone
    taken += intakes_[i].drain(*sources_[i], sink);
    now = std::min(now, sources_[i]->now_ns());
  }
  name_those_gone(sink);
  now_ns_ = std::max(now_ns_, now);
  const size_t held = held_;
  release(held > limits::kMergedEvents ? kEnded : now_ns_, sink);
  return std::max(taken, held - held_);
}

bool Merge::hurries() const {
  return std::ranges::any_of(sources_, [](const EventSource* one) { return one->hurries(); });
}

Ledger Merge::ledger() const {
  Ledger out;
  for (const EventSource* source : sources_) add_words(out, source->ledger());
  const uint64_t held = std::min<uint64_t>(held_records_, out.delivered);
  out.delivered -= held;
  out.pending += held;
  return out;
}

// Some know when a thread began to a tick of /proc alone: theirs is the one that began in it.
Merge::Identity Merge::as_known(const Identity& identity) const {
  constexpr uint64_t kTickNs = 10'000'000;
  const auto [pid, tid, start_ns] = identity;
  const uint64_t tick_ns = start_ns - start_ns % kTickNs;
  for (auto at = known_.lower_bound({pid, tid, tick_ns});
       at != known_.end() && at->first.pid == pid && at->first.tid == tid &&
       at->first.start_ns < tick_ns + kTickNs;
       ++at)
    if (start_ns == tick_ns || at->first.start_ns == tick_ns) return at->first;
  return identity;
}

ThreadId Merge::meet(const ThreadInfo& info, EventSink& sink) {
  if (info.start_ns == 0) {
    const auto id = ThreadId(threads_.size());
    threads_.push_back(std::make_unique<Thread>());
    nameless_.emplace(id, info);
    return id;
  }
  const Identity identity = as_known({info.pid, info.tid, info.start_ns});
  const auto [known, fresh] = known_.try_emplace(identity, ThreadId(threads_.size()));
  if (fresh) {
    threads_.push_back(std::make_unique<Thread>());
    threads_.back()->identity = identity;
    sink.on_thread(known->second, info);
  }
  return known->second;
}

void Merge::name_those_gone(EventSink& sink) {
  for (const auto& [id, info] : std::exchange(nameless_, {})) {
    const auto known = std::ranges::max_element(known_, {}, [&](const auto& one) {
      return one.first.tid == info.tid ? one.first.start_ns : 0;
    });
    const bool named = known != known_.end() && known->first.tid == info.tid;
    const std::vector<Queue> said = std::exchange(threads_[id]->queues, {});
    threads_[id].reset();
    std::erase(waiting_, id);
    if (!named && info.or_nobody) {
      for (const Queue& one : said) {
        held_ -= one.events.size();
        held_records_ -= size_t(std::ranges::count_if(one.events, is_record));
      }
      for (Intake& intake : intakes_) intake.rename(id, kNobody);
      continue;
    }
    if (!named) sink.on_thread(id, info);
    for (Intake& intake : intakes_)
      if (named) intake.rename(id, known->second);
    for (size_t source = 0; source < said.size(); ++source)
      queue(source, named ? known->second : id, said[source].events);
    if (named || waiting_.empty() || waiting_.back() != id) continue;
    Event end;
    end.kind = EventKind::kThreadExit;
    for (const Queue& one : said)
      if (!one.empty()) end.time_ns = std::max(end.time_ns, one.events.back().time_ns);
    queue(said.size() - 1, id, {&end, 1});
    ++held_, ++held_records_;
  }
}

void Merge::take(size_t source, ThreadId id, std::span<const Event> events) {
  queue(source, id, events);
  held_ += events.size();
  held_records_ += size_t(std::ranges::count_if(events, is_record));
}

void Merge::queue(size_t source, ThreadId id, std::span<const Event> events) {
  if (events.empty()) return;
  if (!threads_[id]) threads_[id] = std::make_unique<Thread>();  // late news of one that ended
  Thread& thread = *threads_[id];
  thread.queues.resize(sources_.size());
  Queue& to = thread.queues[source];
  to.events.insert(to.events.end(), events.begin(), events.end());
  if (!std::exchange(thread.waiting, true)) waiting_.push_back(id);
}

void Merge::release(uint64_t until_ns, EventSink& sink) {
  std::vector<ThreadId> still;
  for (const ThreadId id : waiting_) {
    release(id, until_ns, sink);
    if (threads_[id] && threads_[id]->waiting) still.push_back(id);
  }
  waiting_ = std::move(still);
}

void Merge::release(ThreadId id, uint64_t until_ns, EventSink& sink) {
  Thread& thread = *threads_[id];
  bool last = false;
  for (;;) {
    const auto first = std::ranges::min_element(thread.queues, {}, [](const Queue& queue) {
      return queue.empty() ? std::pair{true, kEnded} : std::pair{false, queue.due_ns()};
    });
    if (first->empty() || (until_ns != kEnded && first->due_ns() >= until_ns)) break;
    uint64_t before_ns = until_ns;
    for (auto other = thread.queues.begin(); other != thread.queues.end(); ++other)
      if (other != first && !other->empty())
        before_ns = std::min(before_ns, other->due_ns() + (other > first ? 1 : 0));
    const std::span<const Event> run = first->take(before_ns);
    held_ -= run.size();
    held_records_ -= size_t(std::ranges::count_if(run, is_record));
    last = is_last(run.back());
    sink.on_events(id, run);
  }
  thread.waiting = false;
  for (Queue& queue : thread.queues) {
    queue.events.erase(queue.events.begin(), queue.events.begin() + ptrdiff_t(queue.next));
    queue.next = 0;
    thread.waiting |= !queue.empty();
  }
  if (last && !thread.waiting) forget(id);
}

void Merge::forget(ThreadId id) {
  if (const auto known = known_.find(threads_[id]->identity);
      known != known_.end() && known->second == id)
    known_.erase(known);
  threads_[id].reset();
}

}  // namespace compmond::record
