// SPDX-License-Identifier: Apache-2.0
// Merge against sorting everything at the end, with sources that lag, lose, and end.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <ranges>

#include "collected.h"
#include "record/merge.h"

using namespace compmond::record;

namespace {

constexpr size_t kThreads = 3;
constexpr uint64_t kTimes = 40;  // few, so that many events have the same

// Of the whole range, also in the first and smallest cases.
uint64_t draw(uint64_t below) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<uint64_t>(0, below));
}

// What one source has to say, by thread; `sp` says which source, `arg` is its number there.
std::vector<std::vector<Event>> draw_events(uint64_t source) {
  std::vector<std::vector<Event>> out(kThreads);
  for (std::vector<Event>& events : out) {
    std::vector<uint64_t> sorted(draw(30));
    for (uint64_t& time : sorted) time = draw(kTimes);
    std::ranges::sort(sorted);
    for (const uint64_t time : sorted) {
      constexpr EventKind kKinds[] = {EventKind::kEntry, EventKind::kExit, EventKind::kContext,
                                      EventKind::kLoss, EventKind::kEntry};
      Event event;
      event.kind = kKinds[draw(std::size(kKinds))];
      event.sp = source;
      event.arg = events.size();
      event.time_ns = time;
      events.push_back(event);
    }
    while (!events.empty() && events.back().kind == EventKind::kContext) events.pop_back();
  }
  return out;
}

// Says some of it at each drain: all that it promised, and of some threads more.
class LaggingSource : public EventSource {
 public:
  explicit LaggingSource(const std::vector<std::vector<Event>>& events) : events_(events) {}

  size_t drain(EventSink& sink) override {
    if (now_ == kEnded) return 0;
    now_ += 1 + draw(kTimes / 4);
    size_t count = 0;
    for (size_t i = draw(kThreads), n = 0; n < kThreads; ++n, i = (i + 1) % kThreads) {
      const std::vector<Event>& all = events_[i];
      size_t end = next_[i];
      while (end < all.size() && all[end].time_ns < now_) ++end;
      end = std::min(all.size(), end + draw(4));
      while (next_[i] < end) {
        const size_t part = 1 + draw(end - next_[i]);
        if (ids_[i] < 0) sink.on_thread(ThreadId(ids_[i] = met_++), {1, uint32_t(i), 5, "t"});
        sink.on_events(ThreadId(ids_[i]), std::span(all).subspan(next_[i], part));
        next_[i] += part;
        count += part;
      }
    }
    delivered_ += count;
    bool all_said = true;
    for (size_t i = 0; i < kThreads; ++i) all_said &= next_[i] == events_[i].size();
    if (all_said && (now_ > 2 * kTimes || draw(2) == 1)) now_ = kEnded;
    return count;
  }
  Ledger ledger() const override { return {delivered_, delivered_}; }
  uint64_t now_ns() const override { return now_; }

 private:
  const std::vector<std::vector<Event>>& events_;  // by thread
  size_t next_[kThreads] = {};
  int ids_[kThreads] = {-1, -1, -1};
  int met_ = 0;
  uint64_t now_ = 0, delivered_ = 0;
};

struct Due {
  uint64_t due_ns;
  Event event;
};

// One thread's stream as it must be: a context is due with what it belongs to.
std::vector<Due> reference(const std::vector<std::vector<std::vector<Event>>>& sources,
                           size_t thread) {
  std::vector<Due> out;
  for (const auto& source : sources) {
    uint64_t due = 0;
    const size_t first = out.size();
    for (const Event& event : source[thread]) out.push_back({event.time_ns, event});
    for (size_t i = out.size(); i-- > first;) {
      if (out[i].event.kind != EventKind::kContext) due = out[i].event.time_ns;
      out[i].due_ns = due;
    }
  }
  std::ranges::stable_sort(out, {}, &Due::due_ns);
  return out;
}

}  // namespace

TEST_CASE("merge: any sources come out as if sorted at the end, each event when it is due") {
  int interleaved = 0, waited = 0;
  rc::check([&] {
    std::vector<std::vector<std::vector<Event>>> said;
    const uint64_t count = 2 + draw(3);
    for (uint64_t i = 0; i < count; ++i) said.push_back(draw_events(i));
    std::vector<LaggingSource> sources(said.begin(), said.end());
    std::vector<EventSource*> borrowed;
    for (LaggingSource& source : sources) borrowed.push_back(&source);
    Merge merge(borrowed);
    Collected sink;
    std::vector<Due> expected[kThreads];
    for (size_t i = 0; i < kThreads; ++i) expected[i] = reference(said, i);

    int drains = 0;
    do {
      RC_ASSERT(++drains < 1000);
      merge.drain(sink);
      const uint64_t now = std::ranges::min(
          sources | std::views::transform([](const LaggingSource& s) { return s.now_ns(); }));
      RC_ASSERT(merge.now_ns() == now);
      std::map<uint32_t, std::vector<Event>> got;  // by tid
      for (const auto& [id, events] : sink.events) {
        RC_ASSERT(!got.contains(sink.threads.at(id).tid));
        got[sink.threads.at(id).tid] = events;
      }
      size_t records = 0;
      for (size_t i = 0; i < kThreads; ++i) {
        const std::vector<Event>& events = got[uint32_t(i)];
        const size_t due = size_t(
            std::ranges::count_if(expected[i], [&](const Due& one) { return one.due_ns < now; }));
        RC_ASSERT(events.size() == due);
        for (size_t n = 0; n < due; ++n) {
          RC_ASSERT(events[n].sp == expected[i][n].event.sp);
          RC_ASSERT(events[n].arg == expected[i][n].event.arg);
        }
        for (size_t n = 2; n < due; ++n)
          interleaved += events[n].sp != events[n - 1].sp && events[n].sp == events[n - 2].sp;
        waited += due > 0 && due < expected[i].size();
        records += due;
      }
      RC_ASSERT(merge.ledger().balanced());
      RC_ASSERT(records + merge.ledger().pending <= merge.ledger().hits);
    } while (merge.now_ns() != EventSource::kEnded);
    RC_ASSERT(merge.ledger().pending == 0u);
  });
  CHECK(interleaved > 100);  // else the sources were too alike, or nothing was drawn
  CHECK(waited > 100);
}
