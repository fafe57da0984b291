// SPDX-License-Identifier: Apache-2.0
#include "figures/executions.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "figures/clip.h"
#include "figures/overlap.h"
#include "figures/tally.h"

namespace compmond::figures {
namespace {

using trace::Execution;

// Keeps the longest of the executions and folds that it is given.
class Longest {
 public:
  explicit Longest(size_t limit) : limit_(limit) {}
  void add(const Fold& fold, const Single& first) {
    if (fold.count > 1)
      keep(folds_, fold, fold.end_ns - fold.start_ns, fold.count);
    else
      add(first);
  }
  void add(const Single& single) {
    keep(singles_, single, single.execution.end_ns - single.execution.start_ns, 1);
  }
  Executions finish() {
    Executions out;
    while (!shortest_.empty()) {
      const Entry& entry = shortest_.top();
      if (entry.fold)
        out.folds.push_back(folds_[entry.place]);
      else
        out.singles.push_back(singles_[entry.place]);
      shortest_.pop();
    }
    out.left_out = left_out_;
    std::ranges::sort(out.folds, {}, [](const Fold& f) {
      return std::tuple(f.start_ns, f.thread, f.ess, f.op, f.end_ns);
    });
    std::ranges::sort(out.singles, {}, [](const Single& s) {
      return std::tuple(s.execution.start_ns, s.execution.thread, s.execution.ess, s.execution.eoi,
                        s.execution.trace_id);
    });
    return out;
  }

 private:
  struct Entry {
    uint64_t length_ns, count;
    size_t place;
    bool fold;
    bool operator>(const Entry& other) const { return length_ns > other.length_ns; }
  };
  template <class T>
  void keep(std::vector<T>& list, const T& value, uint64_t length_ns, uint64_t count) {
    if (shortest_.size() >= limit_) {
      const Entry shortest = shortest_.top();
      if (shortest.length_ns >= length_ns) {
        left_out_ += count;
        return;
      }
      left_out_ += shortest.count;
      shortest_.pop();
      (shortest.fold ? free_folds_ : free_singles_).push_back(shortest.place);
    }
    std::vector<size_t>& free = std::is_same_v<T, Fold> ? free_folds_ : free_singles_;
    size_t place = list.size();
    if (free.empty()) {
      list.push_back(value);
    } else {
      place = free.back();
      free.pop_back();
      list[place] = value;
    }
    shortest_.push({length_ns, count, place, std::is_same_v<T, Fold>});
  }

  size_t limit_;
  std::vector<Single> singles_;
  std::vector<Fold> folds_;
  std::vector<size_t> free_singles_, free_folds_;  // places in them
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> shortest_;
  uint64_t left_out_ = 0;
};

// Folds short executions as they come: per operation and thread in the order in which they closed.
class Folder {
 public:
  Folder(uint64_t pixel_ns, const history::Objectives& objectives, Longest& out)
      : pixel_ns_(pixel_ns), objectives_(objectives), out_(out) {}

  void add(const Single& single) {
    const Execution& e = single.execution;
    const uint64_t raw_ns = e.end_ns - e.start_ns;
    if (raw_ns >= pixel_ns_ || single.open) return out_.add(single);
    Run& run = runs_[uint64_t(e.op) << 32 | e.thread];
    Fold& fold = run.fold;
    const bool near = fold.count > 0 && e.start_ns <= fold.end_ns + pixel_ns_ &&
                      fold.start_ns <= e.end_ns + pixel_ns_;
    if (!near) {
      if (fold.count > 0) out_.add(fold, run.first);
      run = {{e.op, e.thread, e.ess, e.start_ns, e.end_ns}, single};
    }
    fold.ess = std::min(fold.ess, e.ess);
    fold.start_ns = std::min(fold.start_ns, e.start_ns);
    fold.end_ns = std::max(fold.end_ns, e.end_ns);
    ++fold.count;
    fold.raw_ns += raw_ns;
    fold.real_ns += single.real_ns();
    fold.violations += objectives_.missed(e);
  }
  void finish() {
    for (const auto& [key, run] : runs_) out_.add(run.fold, run.first);
  }

 private:
  struct Run {
    Fold fold;
    Single first;
  };
  uint64_t pixel_ns_;
  const history::Objectives& objectives_;
  Longest& out_;
  std::unordered_map<uint64_t, Run> runs_;
};

// What overlaps the window and passes the filter, one at a time.
template <class Visit>
void each_open(const history::Checkpoint& checkpoint, Window window, const Sieve& sieve,
               Visit&& visit) {
  for (const trace::OpenExecution& open : checkpoint.open) {
    const Single single = as_single(open, checkpoint.as_of_ns);
    const Execution& e = single.execution;
    if (overlaps(e, window) && sieve.passes(e.op, e.thread, e.end_ns - e.start_ns)) visit(single);
  }
}

}  // namespace

Single as_single(const trace::OpenExecution& e, uint64_t now_ns) {
  Single out;
  out.open = true;
  out.execution = {e};
  out.execution.end_ns = std::max(e.start_ns, now_ns);
  const uint64_t raw_ns = out.execution.end_ns - e.start_ns;
  out.execution.nested_ns = raw_ns - std::min(raw_ns, real_so_far(e, now_ns));
  return out;
}

Executions executions(const history::Store& store, const history::Checkpoint& checkpoint,
                      const Model& model, Window window, size_t pixels, size_t limit,
                      const Filter& filter) {
  const Sieve sieve(model, filter);
  const uint64_t span_ns = window.end_ns - std::min(window.start_ns, window.end_ns);
  const Window open_ended = without_end(window, checkpoint);
  Longest longest(limit);
  Folder folder(span_ns / std::max<size_t>(pixels, 1), model.objectives, longest);
  store.scan(checkpoint.first_execution, checkpoint.end_execution, open_ended.start_ns,
             open_ended.end_ns, [&](const Execution& e) {
               if (overlaps(e, open_ended) && sieve.passes(e.op, e.thread, e.end_ns - e.start_ns))
                 folder.add({e, false});
             });
  each_open(checkpoint, open_ended, sieve, [&](const Single& single) { folder.add(single); });
  folder.finish();
  Executions out = longest.finish();
  out.partial = window.start_ns < store.complete_since_ns();
  return out;
}

Executions newest_executions(const history::Store& store, const history::Checkpoint& checkpoint,
                             const Model& model, Window window, size_t most, const Filter& filter) {
  constexpr uint64_t kFirstLook = 16'384;  // some chunks; mostly the newest ones are among them
  const Sieve sieve(model, filter);
  const Window open_ended = without_end(window, checkpoint);
  Executions out;
  each_open(checkpoint, open_ended, sieve,
            [&](const Single& single) { out.singles.push_back(single); });
  // Backwards in growing parts until there are enough.
  uint64_t end = checkpoint.end_execution;
  for (uint64_t look = kFirstLook; end > checkpoint.first_execution && out.singles.size() < most;
       look *= 4) {
    const uint64_t begin = end - std::min(look, end - checkpoint.first_execution);
    std::vector<Single> part;  // a ring of the last ones
    size_t seen = 0;
    const size_t wanted = most - out.singles.size();
    store.scan(begin, end, open_ended.start_ns, open_ended.end_ns, [&](const Execution& e) {
      if (!overlaps(e, open_ended) || !sieve.passes(e.op, e.thread, e.end_ns - e.start_ns)) return;
      if (part.size() < wanted)
        part.push_back({e, false});
      else
        part[seen % wanted] = {e, false};
      ++seen;
    });
    out.singles.insert(out.singles.end(), part.begin(), part.end());
    end = begin;
  }
  if (out.singles.size() > most) out.singles.erase(out.singles.begin(), out.singles.end() - most);
  std::ranges::stable_sort(out.singles, {}, [](const Single& s) { return s.execution.start_ns; });
  out.partial = window.start_ns < store.complete_since_ns();
  return out;
}

}  // namespace compmond::figures
