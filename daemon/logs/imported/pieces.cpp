// SPDX-License-Identifier: Apache-2.0
#include "imported/pieces.h"

#include <algorithm>

namespace compmond::imported {

using traces::Trace;
using traces::TracedExecution;

void Pieces::add(const Trace& trace) {
  place(trace);
  for (uint32_t piece = 0; piece < members_.size(); ++piece) emit(trace, piece);
}

void Pieces::place(const Trace& trace) {
  places_.assign(trace.executions.size(), {});
  members_.clear();
  to_say_.clear();
  std::vector<uint32_t> loose;  // first executions of pieces that no call is tied to
  for (uint32_t i = 0; i < trace.executions.size(); ++i) {
    const TracedExecution& e = trace.executions[i];
    Place& here = places_[i];
    here.free_ns = e.start_ns;
    const int32_t caller = trace.caller[i];
    if (caller >= 0) {
      const TracedExecution& by = trace.executions[size_t(caller)];
      Place& above = places_[size_t(caller)];
      if (e.start_ns >= above.free_ns && e.end_ns <= by.end_ns && above.depth < UINT16_MAX) {
        above.free_ns = e.end_ns;
        here.piece = above.piece;
        here.depth = uint16_t(above.depth + 1);
        members_[here.piece].push_back(i);
        continue;
      }
      // A give is known when its execution begins.
      if (e.start_ns >= by.start_ns) {
        to_say_.push_back({size_t(caller), ContextKind::kGive, ++ties_, {}});
        to_say_.push_back({i, ContextKind::kTake, ties_, {}});
      } else {
        loose.push_back(i);
      }
    } else {
      loose.push_back(i);
    }
    here.piece = uint32_t(members_.size());
    members_.push_back({i});
  }
  if (loose.size() > 1)
    for (const uint32_t i : loose)
      to_say_.push_back({i, ContextKind::kTraceId, uint64_t(trace.id), {}});
  for (const std::vector<uint32_t>& members : members_)
    if (auto session = session_of(trace.executions[members.front()]))
      to_say_.push_back({members.front(), ContextKind::kSessionId, 0, std::move(*session)});
  std::ranges::stable_sort(to_say_, {}, &Said::move);
}

std::optional<std::string> Pieces::session_of(const TracedExecution& e) const {
  const std::string& name = catalogue_.sessions()[e.session];
  if (name.empty() || name == "<no-session-id>" || name == "N/A" || name == "NULL")
    return std::nullopt;
  return name;
}

void Pieces::say(size_t execution) {
  for (const Said& one : std::ranges::equal_range(to_say_, execution, {}, &Said::move)) {
    said_.push_back(one);
    said_.back().move = moves_.size();
  }
}

uint32_t Pieces::number_of(const TracedExecution& e) {
  const auto [at, fresh] =
      numbers_.try_emplace({e.host, e.operation}, uint32_t(operations_.size()));
  if (fresh) operations_.push_back(at->first);
  return at->second;
}

void Pieces::emit(const Trace& trace, uint32_t piece) {
  const std::vector<uint32_t>& members = members_[piece];
  const TracedExecution& first = trace.executions[members.front()];
  Piece out{first.host, first.start_ns, first.end_ns, moves_.size(), 0};
  std::vector<uint32_t> open;
  // A failed end shows that those above it at the same time are over as well, and that they failed.
  const auto fail_with = [&](uint64_t time_ns) {
    if (moves_.size() > out.first && moves_.back().kind == Move::Kind::kFail &&
        moves_.back().time_ns == time_ns)
      moves_.pop_back();
  };
  const auto end_above = [&](size_t depth) {
    for (; open.size() > depth; open.pop_back()) {
      const TracedExecution& e = trace.executions[open.back()];
      if (e.failed) fail_with(e.end_ns);
      moves_.push_back({e.end_ns, number_of(e), uint16_t(open.size() - 1),
                        e.failed ? Move::Kind::kFail : Move::Kind::kEnd});
    }
  };
  for (const uint32_t i : members) {
    const TracedExecution& e = trace.executions[i];
    end_above(places_[i].depth);
    if (!to_say_.empty()) say(i);
    moves_.push_back({e.start_ns, number_of(e), places_[i].depth, Move::Kind::kBegin});
    open.push_back(i);
  }
  end_above(0);
  out.count = moves_.size() - out.first;
  pieces_.push_back(out);
}

}  // namespace compmond::imported
