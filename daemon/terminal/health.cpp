// SPDX-License-Identifier: Apache-2.0
#include "base/numbers.h"
#include "base/result.h"
#include "base/text.h"
#include "terminal/parts.h"

namespace compmond::terminal {
namespace {

using snapshot::Health;

constexpr double kDearPct = 5;  // more CPU time than that changes how most programs behave

Segment attached(const Health& h) {
  const uint64_t all = h.operations();
  if (h.attached == 0) return {"● no operation attached", Ink::kAmber};
  if (h.attached == all)
    return {fmt::format("● all {} operations attached", count_text(all)), Ink::kGood};
  return {fmt::format("● {} of {} operations attached", count_text(h.attached), count_text(all)),
          Ink::kAmber};
}

Segment lost(const Health& h) {
  if (h.lost == 0) return {"none lost", Ink::kQuiet};
  const double share = h.hits > 0 ? 100.0 * double(h.lost) / double(h.hits) : 100;
  std::string text = fmt::format("{} lost ({})", count_text(h.lost), percent_text(share));
  if (h.lost_ring > 0) text += fmt::format(", {} by a full ring", count_text(h.lost_ring));
  if (h.lost_slots > 0)
    text += fmt::format(", {} for want of thread slots", count_text(h.lost_slots));
  if (h.lost_log > 0) text += fmt::format(", {} missing in the log", count_text(h.lost_log));
  if (h.lost_refused > 0)
    text += fmt::format(", {} refused as not to be believed", count_text(h.lost_refused));
  return {text, Ink::kAmber};
}

std::string throttled(const Health& h) {
  std::string text = fmt::format("{} detached: {}", h.throttled.size(), clean(h.throttled.front()));
  return h.throttled.size() > 1 ? text + ", …" : text;
}

}  // namespace

Lines health(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  const Health& h = snapshot.health;
  Lines out;
  std::vector<Segment> said{
      attached(h), {count_text(h.delivered) + " events", Ink::kQuiet}, lost(h)};
  if (h.overhead_pct > 0)
    said.push_back({"overhead " + percent_text(h.overhead_pct),
                    h.overhead_pct < kDearPct ? Ink::kQuiet : Ink::kAmber});
  if (h.orphan_exits > 0)
    said.push_back({fmt::format("{} orphan exit{}", count_text(h.orphan_exits),
                                h.orphan_exits == 1 ? "" : "s"),
                    h.lost == 0 ? Ink::kQuiet : Ink::kAmber});
  if (snapshot.slo && snapshot.slo->violations + snapshot.slo->violating_now > 0)
    said.push_back({fmt::format("▲ objectives missed {} times",
                                count_text(snapshot.slo->violations + snapshot.slo->violating_now)),
                    Ink::kRed});
  if (h.evicted > 0) said.push_back({count_text(h.evicted) + " evicted", Ink::kAmber});
  if (!h.throttled.empty()) said.push_back({throttled(h), Ink::kAmber});
  if (!h.notes.empty())
    said.push_back({clean(h.notes.front()) +
                        (h.notes.size() > 1 ? fmt::format(" (+{} more)", h.notes.size() - 1) : ""),
                    Ink::kAmber});
  for (std::string& line : flow(style, said, width)) out.push_back(std::move(line));
  // Last, so that the lowest terminal still shows it.
  if (!h.balanced) {
    const std::string accounts = fmt::format(
        "the accounts do not balance: {} hits, {} delivered, {} lost, {} pending",
        count_text(h.hits), count_text(h.delivered), count_text(h.lost), count_text(h.pending));
    out.push_back(paint(style, Ink::kLoud, " DO NOT TRUST THESE FIGURES "));
    for (std::string& line : wrapped(style, {accounts, Ink::kAmber}, 0, width))
      out.push_back(std::move(line));
  }
  return out;
}

}  // namespace compmond::terminal
