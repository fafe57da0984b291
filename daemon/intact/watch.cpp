// SPDX-License-Identifier: Apache-2.0
#include "intact/watch.h"

#include <utility>

namespace compmond::intact {
namespace {

constexpr uint64_t kLookNs = 2'000'000'000;
constexpr size_t kTogether = 256;  // operations; of one process
// Operations per look, some 3 µs each with their exits: a thousandth of a core. And what a turn
// itself costs, as operations: the mappings of a process are read.
constexpr size_t kPerLook = 512, kTurn = 64;
constexpr uint64_t kLibraryNs = 100'000'000;
constexpr size_t kLibraries = 3;  // per look

}  // namespace

Watch::Watch(const plan::Plan& plan, Check& check) : plan_(plan), check_(check) {
  for (size_t image = 0; image < plan.images.size(); ++image) {
    const size_t first = parts_.size();
    for (size_t i = 0; i < plan.operations.size(); ++i) {
      if (plan.operations[i].image != int(image)) continue;
      if (parts_.size() == first || parts_.back().operations.size() == kTogether)
        parts_.push_back({int(image), {}});
      parts_.back().operations.push_back(i);
    }
  }
}

void Watch::begin(uint64_t now_ns) {
  round_ns_ = round_before_ns_ = library_round_ns_ = library_before_ns_ = now_ns;
  next_ns_ = now_ns + kLookNs;
  check_.begin();
}

void Watch::begin_round(uint64_t now_ns, const std::vector<pid_t>& processes) {
  round_before_ns_ = std::exchange(round_ns_, now_ns);
  for (const pid_t pid : processes)
    for (size_t part = 0; part < parts_.size(); ++part) turns_.push_back({pid, part});
}

std::vector<Watch::Finding> Watch::look(uint64_t now_ns, const std::vector<pid_t>& processes,
                                        const plan::OperationStates& states, const Hangs& hangs,
                                        const std::function<bool()>& interrupted) {
  std::vector<Finding> out;
  next_ns_ = now_ns + kLookNs;
  if (turns_.empty()) begin_round(now_ns, processes);
  for (size_t looked = 0; looked < kPerLook && !turns_.empty();) {
    if (looked > 0 && interrupted()) break;
    const Turn turn = turns_.back();
    turns_.pop_back();
    const Part& part = parts_[turn.part];
    looked += kTurn + part.operations.size();
    for (const auto& [i, worst] : check_.worst(states, turn.pid, part.image, part.operations))
      if (worst == Found::kOther ||
          (worst >= Found::kAsFile && worst != Found::kUnreadable && hangs(i, turn.pid)))
        out.push_back({i, turn.pid, worst == Found::kOther, false, round_before_ns_});
  }
  return out;
}

std::vector<size_t> Watch::hanging(const Turn& turn, const Hangs& hangs) const {
  std::vector<size_t> out;
  for (const size_t i : parts_[turn.part].operations)
    if (hangs(i, turn.pid)) out.push_back(i);
  return out;
}

std::vector<Watch::Finding> Watch::look_at_libraries(uint64_t now_ns,
                                                     const std::vector<pid_t>& processes,
                                                     const plan::OperationStates& states,
                                                     const Hangs& hangs_alone) {
  std::vector<Finding> out;
  if (now_ns < library_ns_) return out;
  library_ns_ = now_ns + kLibraryNs;
  if (libraries_.empty()) {
    library_before_ns_ = std::exchange(library_round_ns_, now_ns);
    for (const pid_t pid : processes)
      for (size_t part = 0; part < parts_.size(); ++part)
        if (!plan_.images[size_t(parts_[part].image)].main) libraries_.push_back({pid, part});
  }
  for (size_t looked = 0; looked < kLibraries && !libraries_.empty();) {
    const Turn turn = libraries_.back();
    libraries_.pop_back();
    const std::vector<size_t> all = hanging(turn, hangs_alone);
    if (all.empty()) continue;
    ++looked;
    const int image = parts_[turn.part].image;
    const auto one = check_.worst(states, turn.pid, image, std::span(all).first(1));
    if (one.empty() ||
        (one.begin()->second != Found::kUnknown && one.begin()->second < Found::kAsFile))
      continue;
    for (const auto& [i, worst] : check_.worst(states, turn.pid, image, all))
      if (worst == Found::kUnknown || (worst >= Found::kAsFile && worst < Found::kUnreadable))
        out.push_back({i, turn.pid, false, worst == Found::kUnknown, library_before_ns_});
  }
  return out;
}

}  // namespace compmond::intact
