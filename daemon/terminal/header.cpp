// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/result.h"
#include "snapshot/heat_text.h"
#include "terminal/parts.h"
#include "text/clean.h"
#include "text/columns.h"
#include "text/numbers.h"

namespace compmond::terminal {
namespace {

std::vector<Segment> observed(const snapshot::Snapshot& snapshot) {
  const auto& targets = snapshot.targets;
  std::vector<Segment> out;
  if (targets.empty()) {
    out.push_back(
        {snapshot.spec_name.empty() ? "no target" : text::clean(snapshot.spec_name), Ink::kTitle});
  } else {
    const std::string name = name_text(targets.front());
    const bool same = std::all_of(targets.begin(), targets.end(), [&](const snapshot::Target& t) {
      return t.exe == targets.front().exe;
    });
    out.push_back({same ? name : name + " and others", Ink::kTitle});
    if (is_import(snapshot.health)) {
      if (targets.size() > 1) out.push_back({text::counted(targets.size(), "host")});
    } else if (targets.size() == 1) {
      out.push_back({fmt::format("pid {}", targets.front().pid)});
    } else {
      const size_t shown = std::min<size_t>(targets.size(), 3);
      std::string pids;
      for (size_t i = 0; i < shown; ++i) pids += fmt::format("{}{}", i ? ", " : "", targets[i].pid);
      out.push_back({fmt::format("{}{} processes ({}{})", threads_mark(snapshot),
                                 text::count(targets.size() + snapshot.targets_left_out), pids,
                                 shown < targets.size() ? ", …" : "")});
    }
    const auto ended =
        snapshot.targets_left_out +
        uint64_t(std::count_if(targets.begin(), targets.end(), [](auto& t) { return !t.alive; }));
    if (ended > 0 && !is_import(snapshot.health))
      out.push_back({targets.size() > 1
                         ? fmt::format("{}{} ended", threads_mark(snapshot), text::count(ended))
                     : targets.front().exit_status || targets.front().end_signal
                         ? end_text(targets.front())
                         : "has ended",
                     Ink::kQuiet});
  }
  const size_t threads = snapshot.threads.size();
  // Threads are known by their calls: several processes may well have fewer of them.
  if (threads > 0)
    out.push_back({fmt::format("{}{}{}", threads_mark(snapshot), text::counted(threads, "thread"),
                               targets.size() > 1 ? " seen" : "")});
  return out;
}

std::vector<Segment> viewed(const snapshot::Snapshot& snapshot) {
  std::vector<Segment> out;
  const uint64_t begin = snapshot.window_start_ns, end = snapshot.window_end_ns;
  const uint64_t now = snapshot.now_ns > 0 ? snapshot.now_ns : end;
  const bool whole = snapshot.start_ns > 0 && begin <= snapshot.start_ns;
  const std::string length = text::duration(end > begin ? end - begin : 0);
  const uint64_t behind = samples_behind_ns(snapshot);
  // Not a part of a replay that is over before it is.
  const bool newest = end >= now || (behind > 0 && end + behind == now);
  if (newest)
    out.push_back({(whole ? "since start, " : "last ") + length, Ink::kQuiet});
  else
    out.push_back(
        {fmt::format("from {} to {} of the run",
                     text::moment(double(begin - std::min(begin, snapshot.start_ns)), 1e8),
                     text::moment(double(end - std::min(end, snapshot.start_ns)), 1e8)),
         Ink::kQuiet});
  if (behind > 0)
    out.push_back(
        {fmt::format("samples: to {} ago", text::moment(double(behind), 1e8)), Ink::kQuiet});
  if (snapshot.window_partial) out.push_back({"window only partly kept", Ink::kAmber});
  if (!snapshot.metric.empty())
    out.push_back({"metric " + text::clean(snapshot.metric), Ink::kQuiet});
  if (snapshot.heat) out.push_back({heat_text(snapshot), Ink::kQuiet});
  if (newest && !whole && snapshot.start_ns > 0 && now > snapshot.start_ns)
    out.push_back({text::duration(now - snapshot.start_ns) + " elapsed", Ink::kQuiet});
  return out;
}

size_t length_of(const std::vector<Segment>& segments) {
  size_t sum = 0;
  for (const Segment& s : segments) sum += text::columns(s.text) + 3;
  return sum > 0 ? sum - 3 : 0;
}

}  // namespace

size_t layout_width(const Style& style) { return size_t(std::clamp(style.width, 40, 200)); }

Lines header(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  std::vector<Segment> left = observed(snapshot);
  const std::vector<Segment> right = viewed(snapshot);
  const size_t used = length_of(left) + length_of(right);
  if (used + 3 <= width) {
    const std::string gap(width - used, ' ');
    return {flow(style, left, width).front() + gap + flow(style, right, width).front()};
  }
  Lines out = flow(style, left, width);
  for (std::string& line : flow(style, right, width)) out.push_back(std::move(line));
  return out;
}

}  // namespace compmond::terminal
