// SPDX-License-Identifier: Apache-2.0
#include "figures/tally.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace compmond::figures {
namespace {

using trace::kNoOperation;

bool contains(const std::vector<int>& parent_of, int outer, int component) {
  for (size_t steps = 0; component >= 0 && steps <= parent_of.size(); ++steps) {
    if (component == outer) return true;
    component = size_t(component) < parent_of.size() ? parent_of[size_t(component)] : -1;
  }
  return false;
}

void correct(Figures& figures, double correction_ns) {
  const double left = double(figures.real_ns) - correction_ns;
  figures.net_real_ns = left <= 0 ? 0 : std::min(uint64_t(left), figures.real_ns);
  figures.uncertain = figures.calls > 0 && correction_ns > double(figures.real_ns) / 3;
}

void describe_ended(Figures& figures, const history::Histogram& ended, uint64_t raw_ns) {
  if (ended.count() == 0) {
    figures.min_ns = 0;
    return;
  }
  const auto quantile = [&](double q) {
    return std::clamp(ended.quantile(q), figures.min_ns, figures.max_ns);
  };
  figures.mean_ns = raw_ns / ended.count();
  figures.p50_ns = quantile(0.5);
  figures.p90_ns = quantile(0.9);
  figures.p99_ns = quantile(0.99);
}

void add(Figures& to, const Figures& from) {
  to.calls += from.calls;
  to.open += from.open;
  to.real_ns += from.real_ns;
  to.net_real_ns += from.net_real_ns;
  to.violations += from.violations;
  to.unseen_violations += from.unseen_violations;
  to.violating_now += from.violating_now;
}

// So that sums of floating-point numbers do not depend on the order in which edges were seen.
std::vector<history::EdgeTotals> sorted(const history::EdgeTable& table) {
  std::vector<history::EdgeTotals> out = table.edges();
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::tie(a.caller, a.callee) < std::tie(b.caller, b.callee);
  });
  return out;
}

}  // namespace

Sieve::Sieve(const Model& model, const Filter& filter)
    : operations_(model.component_of.size(), 1),
      threads_(filter.threads),
      min_duration_ns_(filter.min_duration_ns) {
  std::sort(threads_.begin(), threads_.end());
  for (OperationId op = 0; op < operations_.size(); ++op) {
    const auto inside = [&](int outer) {
      return contains(model.parent_of, outer, model.component_of[op]);
    };
    const bool component = filter.components.empty() ||
                           std::any_of(filter.components.begin(), filter.components.end(), inside);
    const bool operation = filter.operations.empty() ||
                           std::find(filter.operations.begin(), filter.operations.end(), op) !=
                               filter.operations.end();
    operations_[op] = component && operation;
  }
}

bool Sieve::thread(uint32_t id) const {
  return threads_.empty() || std::binary_search(threads_.begin(), threads_.end(), id);
}

Tallies::Tallies(const Model& model, const history::Checkpoint& checkpoint)
    : model_(model), checkpoint_(checkpoint), operations_(model.component_of.size()) {
  for (Tally& tally : operations_) tally.figures.min_ns = UINT64_MAX;
  for (const auto& totals : checkpoint.threads) threads_.push_back({totals.info, 0, 0});
}

void Tallies::add_nested_cost() {
  for (const history::EdgeTotals& edge : sorted(nested_))
    if (edge.caller < operations_.size() && edge.callee < model_.outside_ns.size())
      operations_[edge.caller].correction_ns += model_.outside_ns[edge.callee] * double(edge.calls);
}

void Tallies::sum_edges(Result& result) const {
  std::map<std::pair<int, int>, Edge> sums;
  for (const history::EdgeTotals& edge : edges_.edges()) {
    const int from =
        edge.caller < model_.component_of.size() ? model_.component_of[edge.caller] : -1;
    const int to = model_.component_of[edge.callee];
    if (from == to || (edge.calls == 0 && edge.raw_ns == 0)) continue;
    Edge& sum = sums.try_emplace({from, to}, Edge{from, to}).first->second;
    sum.calls += edge.calls;
    sum.raw_ns += edge.raw_ns;
  }
  for (const auto& [between, edge] : sums) result.edges.push_back(edge);
}

void Tallies::add_thread(uint32_t thread, uint64_t begun, uint64_t bottom_raw_ns) {
  const auto& known = checkpoint_.threads;
  if (latest_thread_ >= known.size() || known[latest_thread_].thread != thread) {
    const bool folded = !known.empty() && known[0].thread == history::kOlderThreads;
    const auto at =
        std::lower_bound(known.begin() + folded, known.end(), thread,
                         [](const history::ThreadTotals& t, uint32_t id) { return t.thread < id; });
    if (at != known.end() && at->thread == thread)
      latest_thread_ = size_t(at - known.begin());
    else if (folded)
      latest_thread_ = 0;
    else
      return;
  }
  threads_[latest_thread_].calls += begun;
  threads_[latest_thread_].raw_ns += bottom_raw_ns;
}

void Tallies::sum_components(Result& result) {
  const size_t count = model_.parent_of.size();
  result.components.resize(count);
  result.subtrees.resize(count);
  std::vector<history::Histogram> ended(count);
  std::vector<uint64_t> ended_raw(count);
  std::vector<double> correction(count), subtree_correction(count);
  for (Figures& figures : result.components) figures.min_ns = UINT64_MAX;
  for (OperationId op = 0; op < operations_.size(); ++op) {
    const int component = model_.component_of[op];
    if (component < 0 || size_t(component) >= count) continue;
    const Tally& tally = operations_[op];
    Figures& to = result.components[size_t(component)];
    add(to, result.operations[op]);
    to.raw_ns += tally.component_raw_ns;
    to.executions += tally.figures.executions;
    to.truncated += tally.figures.truncated;
    for (int reason = 0; reason < trace::kClosedReasons; ++reason)
      to.closed[reason] += tally.figures.closed[reason];
    if (tally.ended.count() > 0) {
      to.min_ns = std::min(to.min_ns, tally.figures.min_ns);
      to.max_ns = std::max(to.max_ns, tally.figures.max_ns);
    }
    ended[size_t(component)].merge(tally.ended);
    ended_raw[size_t(component)] += tally.ended_raw_ns;
    correction[size_t(component)] += tally.correction_ns;
  }
  for (size_t c = 0; c < count; ++c) {
    Figures& own = result.components[c];
    describe_ended(own, ended[c], ended_raw[c]);
    own.uncertain = own.calls > 0 && correction[c] > double(own.real_ns) / 3;
    int at = int(c);
    for (size_t steps = 0; at >= 0 && size_t(at) < count && steps <= count; ++steps) {
      add(result.subtrees[size_t(at)], own);
      subtree_correction[size_t(at)] += correction[c];
      at = model_.parent_of[size_t(at)];
    }
  }
  for (size_t c = 0; c < count; ++c) {
    Figures& all = result.subtrees[c];
    all.uncertain = all.calls > 0 && subtree_correction[c] > double(all.real_ns) / 3;
  }
}

Result Tallies::finish(Window window) {
  Result result;
  result.window = window;
  add_nested_cost();
  for (OperationId op = 0; op < operations_.size(); ++op) {
    Tally& tally = operations_[op];
    if (op < model_.inside_ns.size())
      tally.correction_ns += model_.inside_ns[op] * double(tally.timed_calls);
    Figures figures = tally.figures;
    describe_ended(figures, tally.ended, tally.ended_raw_ns);
    correct(figures, tally.correction_ns);
    result.operations.push_back(figures);
  }
  sum_components(result);
  sum_edges(result);
  for (const ThreadFigures& thread : threads_)
    if (thread.calls > 0 || thread.raw_ns > 0) result.threads.push_back(thread);
  return result;
}

}  // namespace compmond::figures
