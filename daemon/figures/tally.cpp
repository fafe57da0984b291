// SPDX-License-Identifier: Apache-2.0
#include "figures/tally.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

bool is_uncertain(const Figures& figures, double correction_ns, bool corrected) {
  return figures.calls > 0 && correction_ns > double(figures.real_ns) / (corrected ? 10 : 3);
}

bool holds(const std::vector<char>& flags, OperationId op) {
  return op < flags.size() && flags[op];
}

// A raw time q contains what a call's own probes cost, and of what those below it cost a part in
// proportion to q, as all calls together do: own + (all - own) * q / mean. Up to which q that is
// more than a third of it; 0: of none that there was.
uint64_t uncertain_below(double own_ns, double all_ns, const Figures& f) {
  const double below = f.mean_ns > 0 ? (all_ns - own_ns) / double(f.mean_ns) : 0;
  const double third = 1.0 / 3 - below;
  const double end_ns = third > 0 ? own_ns / third : std::numeric_limits<double>::infinity();
  if (end_ns > double(f.max_ns)) return f.max_ns + 1;
  return end_ns > double(f.min_ns) ? uint64_t(std::ceil(end_ns)) : 0;
}

// What a component and all that it contains have in common.
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

void Tally::add(const Tally& other) {
  sums += other.sums;
  open += other.open;
  violating_now += other.violating_now;
  executions += other.executions;
  real_ns += other.real_ns;
  correction_ns += other.correction_ns;
  corrected |= other.corrected;
  own_probes_ns += other.own_probes_ns;
  all_probes_ns += other.all_probes_ns;
  ended.merge(other.ended);
}

Figures Tally::figures() const {
  Figures out;
  out.calls = sums.calls;
  out.open = open;
  out.raw_ns = sums.outer_raw_ns;
  out.real_ns = real_ns;
  out.executions = executions;
  std::ranges::copy(sums.closed, out.closed);
  out.truncated = sums.truncated;
  out.unsure_ns = sums.unsure_ns;
  out.violations = sums.violations;
  out.unseen_violations = sums.unseen_violations;
  out.violating_now = violating_now;
  if (ended.count() == 0) return out;
  out.min_ns = std::min(sums.min_ns, sums.max_ns);  // of none the end may be known
  const auto quantile = [&](double q) {
    return std::clamp(ended.quantile(q), out.min_ns, sums.max_ns);
  };
  out.max_ns = sums.max_ns;
  out.mean_ns = sums.raw_ns / ended.count();
  out.p50_ns = quantile(0.5);
  out.p90_ns = quantile(0.9);
  out.p99_ns = quantile(0.99);
  const double count = double(ended.count());
  out.uncertain_below_ns = uncertain_below(own_probes_ns / count, all_probes_ns / count, out);
  return out;
}

Sieve::Sieve(const Model& model, const Filter& filter)
    : operations_(model.component_of.size(), 1),
      all_(model.parent_of.size()),
      passing_(model.parent_of.size()),
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
    if (const int of = model.component_of[op]; of >= 0 && size_t(of) < all_.size()) {
      ++all_[size_t(of)];
      passing_[size_t(of)] += uint32_t(operations_[op]);
    }
  }
}

Sieve::Share Sieve::share(int component) const {
  const uint32_t passing = passing_[size_t(component)];
  if (passing == all_[size_t(component)]) return Share::kAll;
  return passing == 0 ? Share::kNone : passing == 1 ? Share::kOne : Share::kSome;
}

bool Sieve::cuts() const {
  for (size_t i = 0; i < all_.size(); ++i)
    if (share(int(i)) == Share::kSome) return true;
  return false;
}

bool Sieve::thread(uint32_t id) const {
  return threads_.empty() || std::binary_search(threads_.begin(), threads_.end(), id);
}

std::vector<double> nested_cost(const CallCosts& costs,
                                const std::vector<history::EdgeTotals>& edges) {
  std::vector<double> out(costs.outside_ns.size());
  for (const history::EdgeTotals& edge : edges)
    if (edge.caller < out.size() && edge.callee < costs.outside_ns.size())
      out[edge.caller] += costs.outside_ns[edge.callee] * double(edge.calls);
  return out;
}

Tallies::Tallies(const Model& model, const history::Checkpoint& checkpoint)
    : model_(model),
      checkpoint_(checkpoint),
      costs_(call_costs(model, checkpoint)),
      operations_(model.component_of.size()) {
  for (const auto& totals : checkpoint.threads) threads_.push_back({totals.info, 0, 0});
}

void Tallies::sum_edges(Result& result) const {
  std::map<std::pair<int, int>, Edge> sums;
  for (const history::EdgeTotals& edge : edges_.edges()) {
    const int from =
        edge.caller < model_.component_of.size() ? model_.component_of[edge.caller] : -1;
    const int to = model_.component_of[edge.callee];
    if (from == to || (edge.calls == 0 && edge.raw_ns == 0)) continue;
    sums.try_emplace({from, to}, Edge{{}, from, to}).first->second += edge;
  }
  for (const auto& [between, edge] : sums) result.edges.push_back(edge);
}

void Tallies::add_thread(uint32_t thread, const history::ThreadSums& sums) {
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
  threads_[latest_thread_].calls += sums.calls;
  threads_[latest_thread_].raw_ns += sums.bottom_raw_ns;
}

void Tallies::sum_components(Result& result, const Sieve& sieve,
                             const std::vector<uint64_t>& cut_raw_ns) {
  const size_t count = model_.parent_of.size();
  result.subtrees.resize(count);
  std::vector<Tally> own(count), working(count);
  std::vector<uint64_t> net_real_ns(count), working_ns(count);
  std::vector<double> correction_ns(count);  // of subtrees
  std::vector<char> corrected(count);        // likewise
  for (OperationId op = 0; op < operations_.size(); ++op) {
    const int component = model_.component_of[op];
    if (component < 0 || size_t(component) >= count) continue;
    own[size_t(component)].add(operations_[op]);
    net_real_ns[size_t(component)] += result.operations[op].net_real_ns;
    if (holds(model_.waits, op)) continue;
    working[size_t(component)].add(operations_[op]);
    working_ns[size_t(component)] += result.operations[op].net_real_ns;
  }
  for (size_t c = 0; c < count; ++c) {
    Figures figures = own[c].figures();
    // Flags say what is the outermost of all; of one operation it is that of the operation.
    const Sieve::Share share = sieve.share(int(c));
    if (share == Sieve::Share::kAll) figures.raw_ns = own[c].sums.component_raw_ns;
    if (share == Sieve::Share::kSome) figures.raw_ns = c < cut_raw_ns.size() ? cut_raw_ns[c] : 0;
    figures.net_real_ns = net_real_ns[c];
    figures.uncertain = is_uncertain(figures, own[c].correction_ns, own[c].corrected);
    result.components.push_back(figures);
    result.working.push_back(working[c].figures());
    result.working.back().net_real_ns = working_ns[c];
    int at = int(c);
    for (size_t steps = 0; at >= 0 && size_t(at) < count && steps <= count; ++steps) {
      add(result.subtrees[size_t(at)], figures);
      correction_ns[size_t(at)] += own[c].correction_ns;
      corrected[size_t(at)] |= own[c].corrected;
      at = model_.parent_of[size_t(at)];
    }
  }
  for (size_t c = 0; c < count; ++c)
    result.subtrees[c].uncertain = is_uncertain(result.subtrees[c], correction_ns[c], corrected[c]);
}

Result Tallies::finish(Window window, const Sieve& sieve, const std::vector<uint64_t>& cut_raw_ns) {
  Result result;
  result.window = window;
  const std::vector<double> nested = nested_cost(costs_, sorted(nested_));
  const std::vector<double> contained = contained_cost(costs_, checkpoint_);
  for (OperationId op = 0; op < operations_.size(); ++op) {
    Tally& tally = operations_[op];
    tally.corrected = holds(model_.corrected, op);
    tally.correction_ns += nested[op];
    tally.correction_ns += costs_.inside_ns[op] * double(tally.sums.calls - tally.sums.entry_only);
    tally.own_probes_ns = costs_.inside_ns[op] * double(tally.ended.count());
    tally.all_probes_ns = contained[op] * double(tally.ended.count());
    Figures figures = tally.figures();
    const double left = double(figures.real_ns) - (model_.raw_costs ? 0 : tally.correction_ns);
    figures.net_real_ns = left <= 0 ? 0 : std::min(uint64_t(left), figures.real_ns);
    figures.uncertain = is_uncertain(figures, tally.correction_ns, tally.corrected);
    result.operations.push_back(figures);
    result.working_operations.push_back(holds(model_.waits, op) ? Figures{} : figures);
  }
  sum_components(result, sieve, cut_raw_ns);
  sum_edges(result);
  for (const ThreadFigures& thread : threads_)
    if (thread.calls > 0 || thread.raw_ns > 0) result.threads.push_back(thread);
  return result;
}

}  // namespace compmond::figures
