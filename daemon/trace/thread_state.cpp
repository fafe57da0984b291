// SPDX-License-Identifier: Apache-2.0
#include "trace/thread_state.h"

#include <algorithm>
#include <utility>

namespace compmond::trace {

namespace {

bool holds(const Stack& stack, OperationId op, uint64_t sp) {
  for (size_t i = stack.size(); i > 0 && stack.at(i - 1).sp <= sp; --i)
    if (stack.at(i - 1).sp == sp && stack.at(i - 1).op == op) return true;
  return false;
}

}  // namespace

bool ThreadState::reaches(const Stack& stack, uint64_t sp) const {
  const uint64_t d = distance(stack, sp);
  if (d == 0) return true;
  if (!switching_) return d <= kReach;
  if (fibers_) return sp < stack.top().sp && d <= kFiberReachBelow;
  return d <= (sp < stack.top().sp ? kFiberReachBelow : kFiberReachAbove);
}

int ThreadState::nearest(uint64_t sp) const {
  int best = -1;
  uint64_t best_distance = UINT64_MAX;
  for (size_t i = 0; i < stacks_.size(); ++i) {
    if (stacks_[i].empty() || !reaches(stacks_[i], sp)) continue;
    const uint64_t d = distance(stacks_[i], sp);
    if (d < best_distance || (d == best_distance && i == current_)) {
      best = int(i);
      best_distance = d;
    }
  }
  return best;
}

int ThreadState::find(uint32_t id) const {
  for (size_t i = 0; i < stacks_.size(); ++i)
    if (id != 0 && stacks_[i].id == id) return int(i);
  return -1;
}

void ThreadState::switch_to(size_t index) {
  if (index == current_) return;
  mark_switching();
  // The one that ran until now goes on when this one empties, unless it was itself entered from
  // this one.
  bool entered_from_here = false;
  int at = int(current_);
  for (size_t steps = 0; at >= 0 && steps < stacks_.size() && !entered_from_here; ++steps) {
    entered_from_here = size_t(at) == index;
    at = find(stacks_[size_t(at)].parent);
  }
  if (!entered_from_here && !current().empty()) stacks_[index].parent = current().id;
  current().left_ns = last_ns;
  current_ = index;
  drop_empty();
}

void ThreadState::begin_stack() {
  const uint32_t parent = current().empty() ? 0 : current().id;
  if (!current().empty()) {
    current().left_ns = last_ns;
    stacks_.emplace_back();
    current_ = stacks_.size() - 1;
  }
  current().id = next_id_++;
  current().parent = parent;
  current().departure = {};
}

void ThreadState::set_aside(uint64_t sp) {
  size_t kept = current().size();
  while (kept > 0 && current().at(kept - 1).sp < sp) --kept;
  if (kept == current().size()) return;
  stacks_.emplace_back();
  Stack &from = current(), &to = stacks_.back();
  to.id = next_id_++;
  to.parent = from.id;
  to.left_ns = last_ns;
  for (size_t i = kept; i < from.size(); ++i) to.push() = from.at(i);
  to.mark_told();
  to.departure = from.departure;
  to.departure.frames -= std::min(to.departure.frames, kept);
  if (to.departure.frames == 0) to.departure = {};
  from.departure.frames = std::min(from.departure.frames, kept);
  while (from.size() > kept) from.pop();
}

void ThreadState::drop_empty() {
  for (size_t i = stacks_.size(); i-- > 0;) {
    if (i == current_ || !stacks_[i].empty()) continue;
    if (i != stacks_.size() - 1) std::swap(stacks_[i], stacks_.back());
    if (current_ == stacks_.size() - 1) current_ = i;
    stacks_.pop_back();
  }
}

void ThreadState::select_for_entry(uint64_t sp) {
  const int index = nearest(sp);
  if (index >= 0)
    switch_to(size_t(index));
  else
    begin_stack();
}

bool ThreadState::select_for_exit(uint64_t sp, OperationId op) {
  if (holds(current(), op, sp)) return true;
  for (size_t i = 0; i < stacks_.size(); ++i) {
    if (!holds(stacks_[i], op, sp)) continue;
    switch_to(i);
    return true;
  }
  if (fibers_) return false;
  const int index = nearest(sp);
  // An exit that matches nothing is no reason to believe in a switch.
  return index >= 0 && size_t(index) == current_;
}

bool ThreadState::select_for_transfer(uint64_t sp) {
  const int index = nearest(sp);
  if (index >= 0) switch_to(size_t(index));
  return index >= 0;
}

void ThreadState::leave_if_empty() {
  if (stacks_.size() == 1 || !current().empty()) return;
  const int parent = find(current().parent);
  if (parent < 0) return;  // the rest are suspended: nothing observed runs now
  current_ = size_t(parent);
  drop_empty();
}

void ThreadState::select_suspended() {
  for (size_t i = 0; i < stacks_.size(); ++i)
    if (!stacks_[i].empty()) current_ = i;
  drop_empty();
}

const Frame* ThreadState::below_stack() const {
  const int parent = find(current().parent);
  return parent < 0 || stacks_[size_t(parent)].empty() ? nullptr : &stacks_[size_t(parent)].top();
}

void ThreadState::append_open(std::vector<OpenExecution>& out) const {
  for (const Stack& stack : stacks_) {
    for (size_t i = 0; i < stack.size(); ++i) {
      const Frame& frame = stack.at(i);
      const bool top = i + 1 == stack.size();
      OpenExecution open{frame};
      open.nested_ns = (top ? last_ns : stack.at(i + 1).start_ns) - frame.start_ns - frame.own_ns;
      open.own_ns = frame.own_ns;
      open.on_top = top && &stack == &current();
      open.on_top_since_ns = open.on_top ? last_ns : 0;
      out.push_back(open);
    }
  }
}

Stack* ThreadState::stack_to_evict() {
  if (stacks_.size() < kStacks) return nullptr;
  return &*std::min_element(stacks_.begin(), stacks_.end(), [this](const Stack& a, const Stack& b) {
    if ((&a == &current()) != (&b == &current())) return &b == &current();
    return a.id < b.id;
  });
}

Stack* ThreadState::overlapped(uint64_t sp) {
  const uint64_t high = current().empty() ? sp : std::max(sp, current().bottom().sp);
  for (Stack& other : stacks_) {
    if (&other == &current() || other.empty()) continue;
    if (other.bottom().sp >= sp && other.top().sp <= high) return &other;
  }
  return nullptr;
}

bool ThreadState::was_abandoned(uint64_t sp, OperationId op) const {
  return std::any_of(abandoned_.begin(), abandoned_.end(),
                     [&](const Gone& gone) { return gone.sp == sp && gone.op == op; });
}

void ThreadState::share_exit(const record::Event& entry) {
  if (!(entry.flags & record::kTailCall) || !(entry.flags & record::kLimitedExit)) return;
  Stack& stack = current();
  if (!stack.empty() && stack.top().sp == entry.sp && stack.top().awaits_limited_exit)
    stack.top().flags |= kCheapExit;
}

}  // namespace compmond::trace
