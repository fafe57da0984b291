// SPDX-License-Identifier: Apache-2.0
#include "placing/rehanger.h"

#include <algorithm>

namespace compmond::run {

uint64_t Rehanger::take_away(const Operations& operations) {
  const uint64_t begin = parts_.clock();
  const Operations others = parts_.placement.hang_with(operations);
  begin_change(begin, with_others(operations));
  parts_.placement.take_away(operations);
  parts_.changes.close_open();
  parts_.charge();
  bring_back_rest(others, begin);
  return begin;
}

Rehanger::Operations Rehanger::take_away_first(Operations operations, uint64_t now_ns) {
  operations = with_others(std::move(operations));
  begin_change(now_ns, operations);
  parts_.placement.take_away(operations);
  parts_.changes.close_open();
  parts_.charge();
  return operations;
}

void Rehanger::bring_back_rest(const Operations& operations, uint64_t since_ns) {
  place(operations);
  parts_.changes.end_change();
  const Window moment{since_ns, parts_.clock()};
  for (const size_t i : operations) parts_.states.missed(i, moment);
}

uint64_t Rehanger::bring_back(const Operations& operations) {
  begin_change(parts_.clock(), operations);
  place(operations);
  parts_.changes.end_change();
  return parts_.clock();
}

Result<uint64_t> Rehanger::bring_back_anew(const Operations& operations) {
  begin_change(parts_.clock(), operations);
  parts_.charge();
  const auto placed = parts_.placement.place_anew(operations);
  if (!placed) parts_.placement.take_away(operations);
  parts_.changes.end_change();
  if (!placed) return Unexpected(placed.error());
  return parts_.clock();
}

std::vector<engine::Placed::Refusal> Rehanger::change_over(const Operations& operations,
                                                           uint64_t gone_ns) {
  begin_change(parts_.clock(), operations);
  parts_.charge();
  auto refused = parts_.placement.change_over(operations);
  std::vector<engine::Placed::Refusal> all;
  if (!refused) {
    parts_.placement.take_away(operations);
    for (const size_t i : operations) all.push_back({i, refused.error().text()});
  }
  parts_.changes.end_change();
  const Window moment{gone_ns, parts_.clock()};
  const auto& out = refused ? *refused : all;
  for (const size_t i : operations)
    if (std::ranges::find(out, i, &engine::Placed::Refusal::operation) == out.end())
      parts_.states.missed(i, moment);
  return out;
}

Rehanger::Operations Rehanger::with_others(Operations operations) const {
  const Operations others = parts_.placement.hang_with(operations);
  operations.insert(operations.end(), others.begin(), others.end());
  return operations;
}

void Rehanger::begin_change(uint64_t now_ns, const Operations& operations) {
  parts_.changes.begin_change(now_ns, {operations.begin(), operations.end()});
}

void Rehanger::place(const Operations& operations) {
  if (operations.empty()) return;
  parts_.charge();
  if (const auto placed = parts_.placement.bring_back(operations); !placed)
    parts_.notes.add("probes could not be placed again: " + placed.error().text());
}

}  // namespace compmond::run
