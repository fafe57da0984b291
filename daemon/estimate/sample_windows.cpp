// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>

#include "estimate/sample_store.h"

// What readers ask of a SampleStore.
namespace compmond::estimate {

using sampling::Sample;

namespace {

OffSample wait_of(const RecentSample& sample, const StackTable::Stack& stack) {
  return {sample.time_ns,   sample.pid,    sample.tid,         stack.ended,
          stack.attributed, sample.off_ns, sample.runnable_ns, sample.weight_ns};
}

double part_of_wait(const RecentSample& sample, uint64_t start_ns, uint64_t end_ns) {
  const uint64_t from = sample.time_ns - std::min(sample.time_ns, sample.off_ns);
  return part_within(from, sample.time_ns, start_ns, end_ns);
}

bool within(uint64_t time_ns, uint64_t start_ns, uint64_t end_ns) {
  return time_ns >= start_ns && time_ns < end_ns;
}

// What stretches say, without what samples do.
Totals of_stretches(Totals totals) {
  const Totals all = totals;
  totals = {};
  totals.time_ns = all.time_ns;
  totals.on_time_ns = all.on_time_ns;
  totals.probes_time_ns = all.probes_time_ns;
  totals.off_time_ns = all.off_time_ns;
  totals.off_period_ms_us = all.off_period_ms_us;
  totals.cpu_ns = all.cpu_ns;
  totals.unsampled_cpu_ns = all.unsampled_cpu_ns;
  totals.lost = all.lost;
  return totals;
}

}  // namespace

void WindowSums::add(const Tile& tile) {
  totals += tile.totals;
  for (const Row& row : tile.rows()) rows[row.key] += row.sums;
}

Sums WindowSums::of(Key key) const {
  const auto found = rows.find(key);
  return found == rows.end() ? Sums{} : found->second;
}

uint64_t SampleStore::told_ns() const {
  if (group_) return group_->tile.end_ns;
  return timeline_.tiles().empty() ? 0 : timeline_.tiles().back().end_ns;
}

uint64_t SampleStore::known_ns() const {
  const std::lock_guard lock(mutex_);
  return told_ns();
}

WindowSums SampleStore::sums(Window window) const {
  const std::lock_guard lock(mutex_);
  WindowSums out;
  std::optional<Tile> open;
  if (group_) open = group_->settled();
  const std::deque<Tile>& tiles = timeline_.tiles();
  if (tiles.empty() && !open) return out;
  const uint64_t first = tiles.empty() ? open->start_ns : tiles.front().start_ns;
  const uint64_t last = told_ns();
  out.start_ns = std::clamp(window.start_ns, first, last);
  out.end_ns = std::clamp(window.end_ns, out.start_ns, last);
  const auto add_part = [&](const Tile& tile) {
    const Window part = common({tile.start_ns, tile.end_ns}, {out.start_ns, out.end_ns});
    if (out.start_ns <= tile.start_ns && tile.end_ns <= out.end_ns)
      out.add(tile);
    else if (part.length() > 0)
      add_edge(out, tile, part.start_ns, part.end_ns);
  };
  if (!tiles.empty() && out.start_ns == first && out.end_ns >= tiles.back().end_ns)
    out.add(all_);
  else
    std::ranges::for_each(tiles, add_part);
  if (open) add_part(*open);
  return out;
}

void SampleStore::add_edge(WindowSums& to, const Tile& tile, uint64_t from_ns,
                           uint64_t to_ns) const {
  const double part = double(to_ns - from_ns) / double(tile.end_ns - tile.start_ns);
  Tile edge(from_ns, to_ns);
  edge.totals = scaled_words(of_stretches(tile.totals), part);
  for (const Row& row : tile.rows())
    if (row.key.kind() == Kind::kProcessCpu) edge.add(row.key, scaled_words(row.sums, part));
  if (exact_edge(edge)) {
    to.add(edge);
    return;
  }
  to.coarse = true;
  to.totals += scaled_words(tile.totals, part);
  for (const Row& row : tile.rows()) to.rows[row.key] += scaled_words(row.sums, part);
}

uint64_t SampleStore::weight_of(const RecentSample& sample) const {
  if (sample.weight_ns || !group_) return sample.weight_ns;
  return rounded(group_->weight_ns());
}

// False where samples of its time, or their stacks, are gone.
bool SampleStore::exact_edge(Tile& to) const {
  if (recent_.complete_since_ns() > to.start_ns) return false;
  std::map<uint64_t, std::vector<OnSample>> by_weight;
  Waits waits(to);
  bool all = true;
  recent_.since(to.start_ns, [&](const RecentSample& sample) {
    const bool on_cpu = sample.kind == Sample::Kind::kOnCpu;
    const double part = on_cpu ? within(sample.time_ns, to.start_ns, to.end_ns)
                               : part_of_wait(sample, to.start_ns, to.end_ns);
    if (part <= 0) return;
    const StackTable::Stack* stack = stacks_.find(sample.stack);
    if (!stack) {
      all = false;
    } else if (on_cpu) {
      by_weight[weight_of(sample)].push_back({sample.time_ns, sample.pid, sample.tid, stack->ended,
                                              sample.in_probe, stack->attributed});
    } else {
      waits.add(wait_of(sample, *stack), part, within(sample.time_ns, to.start_ns, to.end_ns));
    }
  });
  if (!all) return false;
  waits.finish();
  uint64_t cpu = 0;
  for (auto& [weight, samples] : by_weight) {
    cpu += weight * samples.size();
    add_on_cpu(to, std::move(samples), double(weight));
  }
  if (cpu) to.totals.cpu_ns = cpu;
  return true;
}

std::vector<std::pair<uint32_t, uint32_t>> SampleStore::callers() const {
  const std::lock_guard lock(mutex_);
  return {stacks_.callers().begin(), stacks_.callers().end()};
}

WindowStacks SampleStore::stacks(Window window) const {
  const std::lock_guard lock(mutex_);
  WindowStacks out;
  const uint64_t end = std::clamp(told_ns(), window.start_ns, window.end_ns);
  out.complete = recent_.complete_since_ns() <= window.start_ns;
  const uint64_t since = std::max(window.start_ns, recent_.complete_since_ns());
  const auto looked_for_waits = [&](const Tile& tile) {
    const double part = part_within(tile.start_ns, tile.end_ns, since, end);
    out.totals.time_ns += rounded(part * double(tile.totals.time_ns));
    out.totals.off_time_ns += rounded(part * double(tile.totals.off_time_ns));
    out.totals.off_period_ms_us += rounded(part * double(tile.totals.off_period_ms_us));
    out.totals.lost += rounded(part * double(tile.totals.lost));
  };
  std::ranges::for_each(timeline_.tiles(), looked_for_waits);
  if (group_) looked_for_waits(group_->tile);
  std::map<StackId, size_t> index;
  recent_.since(window.start_ns, [&](const RecentSample& sample) {
    const bool on_cpu = sample.kind == Sample::Kind::kOnCpu;
    const bool ends = within(sample.time_ns, window.start_ns, end);
    const double part = on_cpu ? ends : part_of_wait(sample, window.start_ns, end);
    if (part <= 0) return;
    const StackTable::Stack* stack = stacks_.find(sample.stack);
    if (!stack) {
      ++out.without_stack;
      return;
    }
    const auto [found, fresh] = index.try_emplace(sample.stack, out.stacks.size());
    if (fresh) out.stacks.push_back({stack->frames, stack->ended, {}, {}});
    Sums sums;
    if (on_cpu) {
      const uint64_t weight = weight_of(sample);
      sums.on_samples = 1;
      sums.on_ns = weight;
      if (stack->attributed->cut) sums.on_cut_ns = weight;
      out.totals.cpu_ns += weight;
      out.totals.on_square += (weight / 1000) * (weight / 1000);
    } else {
      sums = wait_sums(wait_of(sample, *stack), part, ends);
    }
    out.totals.samples += sums;
    WindowStacks::Stack& to = out.stacks[found->second];
    (sample.in_kernel ? to.in_kernel : to.in_program) += sums;
  });
  return out;
}

}  // namespace compmond::estimate
