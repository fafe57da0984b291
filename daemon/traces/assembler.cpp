// SPDX-License-Identifier: Apache-2.0
#include "traces/assembler.h"

#include <fmt/format.h>

#include <algorithm>

namespace compmond::traces {

std::optional<std::string> build_trace(std::vector<TracedExecution>& executions, Trace& trace) {
  const auto by_eoi = [](const auto& a, const auto& b) { return a.eoi < b.eoi; };
  if (!std::is_sorted(executions.begin(), executions.end(), by_eoi))
    std::stable_sort(executions.begin(), executions.end(), by_eoi);
  std::vector<int32_t> caller(executions.size());
  std::vector<int32_t> stack;
  for (size_t i = 0; i < executions.size(); ++i) {
    const TracedExecution& e = executions[i];
    const auto expected = int32_t(i);
    if (e.eoi < 0 || e.ess < 0) return fmt::format("it has a negative eoi or ess");
    if (e.eoi > expected) return fmt::format("eoi {} is missing", expected);
    if (e.eoi < expected) return fmt::format("eoi {} occurs twice", e.eoi);
    if (size_t(e.ess) > stack.size())
      return i == 0 ? fmt::format("its first execution has ess {}, not 0", e.ess)
                    : fmt::format("ess rises from {} to {} at eoi {}", executions[i - 1].ess, e.ess,
                                  e.eoi);
    stack.resize(size_t(e.ess));
    caller[i] = stack.empty() ? -1 : stack.back();
    stack.push_back(expected);
  }
  trace.executions.swap(executions);
  trace.caller.swap(caller);
  return std::nullopt;
}

void repair(std::vector<TracedExecution>& executions) {
  std::stable_sort(executions.begin(), executions.end(), [](const auto& a, const auto& b) {
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    if (a.end_ns != b.end_ns) return a.end_ns > b.end_ns;
    return a.eoi < b.eoi;
  });
  std::vector<uint64_t> ends;  // of the executions that contain the current one
  for (size_t i = 0; i < executions.size(); ++i) {
    TracedExecution& e = executions[i];
    while (!ends.empty() && (ends.back() <= e.start_ns || ends.back() < e.end_ns)) ends.pop_back();
    e.eoi = int32_t(i);
    e.ess = int32_t(ends.size());
    ends.push_back(e.end_ns);
  }
}

TraceAssembler::TraceAssembler(Options options, Deliver deliver)
    : options_(options), deliver_(std::move(deliver)) {}

void TraceAssembler::on_execution(const TracedExecution& execution, uint64_t logged_ns) {
  now_ns_ = std::max(now_ns_, logged_ns);
  deliver_ripe(now_ns_);
  const auto at = open_.try_emplace(execution.trace_id).first;
  Open& open = at->second;
  open.touched_ns = now_ns_;
  open.max_eoi = std::max(open.max_eoi, execution.eoi);
  open.has_first |= execution.eoi == 0;
  open.executions.push_back(execution);
  ++open_executions_;
  const bool at_end = options_.linger_ns == 0 && open.has_first && !open.unusable.empty();
  if (open.complete() || at_end) {
    if (options_.linger_ns == 0)
      judge(at);
    else
      ripe_.push_back({execution.trace_id, now_ns_});
  } else if (open_executions_ > options_.open_limit) {
    give_up_oldest();
  }
}

void TraceAssembler::on_link(int64_t trace_id, const TraceLink& link) {
  Open& open = open_[trace_id];
  open.touched_ns = now_ns_;
  open.links.push_back(link);
}

void TraceAssembler::on_unusable(int64_t trace_id, std::string_view why) {
  Open& open = open_[trace_id];
  open.touched_ns = now_ns_;
  if (open.unusable.empty()) open.unusable = why;
}

void TraceAssembler::deliver_ripe(uint64_t now_ns) {
  while (!ripe_.empty() && ripe_.front().touched_ns + options_.linger_ns < now_ns) {
    const Ripe ripe = ripe_.front();
    ripe_.pop_front();
    const auto at = open_.find(ripe.trace_id);
    if (at != open_.end() && at->second.touched_ns == ripe.touched_ns && at->second.complete())
      judge(at);
  }
}

bool TraceAssembler::concerns(const std::vector<TracedExecution>& executions) const {
  if (!options_.concerns || executions.empty()) return true;
  uint64_t start = UINT64_MAX, end = 0;
  for (const TracedExecution& e : executions) {
    start = std::min(start, e.start_ns);
    end = std::max(end, e.end_ns);
  }
  return options_.concerns(start, end);
}

void TraceAssembler::judge(OpenTraces::iterator at) {
  Open open = std::move(at->second);
  const int64_t id = at->first;
  open_.erase(at);
  const size_t size = open.executions.size();
  open_executions_ -= size;

  std::optional<std::string> wrong = build_trace(open.executions, trace_);
  const bool intact = !wrong;
  if (!open.unusable.empty()) wrong = open.unusable;
  if (wrong) {
    if (!concerns(intact ? trace_.executions : open.executions)) return;
    if (!intact && size > 0) {
      repair(open.executions);
      (void)build_trace(open.executions, trace_);  // holds by construction
    }
    trace_.id = id;
    trace_.links.clear();  // its executions may have other eois now
    if (size > 0 && options_.observed && !options_.observed(trace_)) return deliver_(trace_);
    constexpr size_t kExamples = 5;  // shown on a terminal; the counts tell the rest
    if (examples_.size() < kExamples) examples_.push_back(fmt::format("trace {}: {}", id, *wrong));
    if (!options_.repair || size == 0) {
      ++counts_.broken;
      counts_.beyond_repair += size == 0;
      counts_.broken_executions += size;
      return;
    }
    open.links.clear();
    ++counts_.repaired;
  }
  trace_.links = std::move(open.links);
  ++counts_.traces;
  counts_.executions += size;
  trace_.id = id;
  deliver_(trace_);
}

void TraceAssembler::give_up_oldest() {
  std::vector<std::pair<uint64_t, int64_t>> by_age;
  for (const auto& [id, open] : open_) by_age.emplace_back(open.touched_ns, id);
  std::sort(by_age.begin(), by_age.end());
  for (const auto& [touched, id] : by_age) {
    if (open_executions_ <= options_.open_limit / 2) break;
    const auto at = open_.find(id);
    if (!at->second.complete() && at->second.unusable.empty())
      at->second.unusable = "too many traces were under way; it was given up";
    judge(at);
  }
}

void TraceAssembler::finish() {
  deliver_ripe(UINT64_MAX);
  std::vector<int64_t> rest;
  for (const auto& [id, open] : open_) rest.push_back(id);
  std::sort(rest.begin(), rest.end());
  for (const int64_t id : rest) judge(open_.find(id));
}

}  // namespace compmond::traces
