// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/result.h"
#include "snapshot/strangers_text.h"
#include "terminal/parts.h"
#include "text/clean.h"
#include "text/numbers.h"

namespace compmond::terminal {
namespace {

using snapshot::Health;

constexpr size_t kNamed = 3;       // of what is off, in a line
constexpr size_t kListed = 12;     // of what was switched, the newest
constexpr double kDearPct = 5;     // more CPU time than that changes how most programs behave
constexpr double kSufferPct = 25;  // and then no time is what it would be without

Segment attached(const Health& h) {
  const uint64_t all = h.operations();
  if (is_import(h)) return {"● " + text::counted(all, "operation") + " in the log", Ink::kGood};
  if (h.attached == 0 && h.disabled.empty()) return {"● no operation attached", Ink::kAmber};
  if (h.attached == all)
    return {fmt::format("● all {} operations attached", text::count(all)), Ink::kGood};
  const bool by_wish = h.attached + h.disabled.size() == all;
  return {fmt::format("● {} of {} operations attached", text::count(h.attached), text::count(all)),
          by_wish ? Ink::kPlain : Ink::kAmber};
}

Segment lost(const Health& h) {
  if (h.lost == 0) return {"none lost", Ink::kQuiet};
  const double share = h.hits > 0 ? 100.0 * double(h.lost) / double(h.hits) : 100;
  std::string text = fmt::format("{} lost ({})", text::count(h.lost), text::percent(share));
  if (h.lost_ring > 0) text += fmt::format(", {} in full buffers", text::count(h.lost_ring));
  if (h.lost_slots > 0)
    text += fmt::format(", {} for want of thread slots", text::count(h.lost_slots));
  if (h.lost_log > 0) text += fmt::format(", {} missing in the log", text::count(h.lost_log));
  if (h.lost_refused > 0)
    text += fmt::format(", {} refused as not to be believed", text::count(h.lost_refused));
  return {text, Ink::kAmber};
}

bool doubted(const Health& h) { return h.overhead_checked && h.overhead_checked->doubt; }

Segment overhead(const Health& h) {
  std::string text = "overhead " + text::percent(h.overhead_pct);
  if (doubted(h))
    text += fmt::format(", lately{} {} charged where samples see {}",
                        h.sliced ? ", without slices," : "",
                        text::percent(h.overhead_checked->by_costs_pct),
                        text::percent(h.overhead_checked->by_samples_pct));
  else if (h.overhead_pct >= kSufferPct)
    text += ": times suffer from the probes";
  return {text, h.overhead_pct < kDearPct && !doubted(h) ? Ink::kQuiet : Ink::kAmber};
}

Segment strangers(const Health::Strangers& s) {
  return {fmt::format("{} pay{} {}", strangers_text(s), s.processes == 1 ? "s" : "",
                      strangers_cost_text(s)),
          s.cost_pct && *s.cost_pct < kDearPct ? Ink::kQuiet : Ink::kAmber};
}

// Of a run in which no probe sees a call.
Segment sampled(const Health& h) {
  const uint64_t all = h.operations();
  return {fmt::format("● {} of {} operations sampled{}", text::count(h.attached), text::count(all),
                      writes_no_target(h) ? ", no probe placed" : ""),
          h.attached == all ? Ink::kGood : Ink::kAmber};
}

// How the samples were taken, of a run that takes some.
std::vector<Segment> samples(const snapshot::SamplesHealth& s) {
  if (s.taken == 0 && s.lost == 0) return {{"no sample yet", Ink::kQuiet}};
  std::vector<Segment> out;
  const auto share = [&](uint64_t part) {
    return text::percent(100 * double(part) / double(std::max<uint64_t>(1, s.taken)));
  };
  out.push_back(
      {fmt::format("{} samples at {}", text::count(s.taken), text::hertz(s.hz)), Ink::kQuiet});
  if (const std::string text = elsewhere_text(s); !text.empty()) out.push_back({text, Ink::kQuiet});
  if (s.truncated > 0) out.push_back({share(s.truncated) + " of the stacks cut", Ink::kQuiet});
  if (s.broken > 0) out.push_back({share(s.broken) + " broken", Ink::kAmber});
  if (!sees_all_waiting(s))
    out.push_back({s.off_cpu_share > 0 ? fmt::format("waiting sampled {} of the time",
                                                     text::percent(100 * s.off_cpu_share))
                                       : std::string("waiting not sampled"),
                   Ink::kQuiet});
  if (s.lost > 0) out.push_back({text::counted(s.lost, "sample") + " lost", Ink::kAmber});
  return out;
}

std::string moment(const snapshot::Snapshot& snapshot, uint64_t at_ns) {
  return text::moment(double(at_ns - std::min(at_ns, snapshot.start_ns)), 1e8);
}

std::string all_paused(const snapshot::Snapshot& snapshot) {
  const auto& switches = snapshot.health.switches;
  const auto last = std::find_if(switches.rbegin(), switches.rend(),
                                 [](const auto& one) { return one.what.empty() && !one.on; });
  return last == switches.rend() ? "all probes are paused"
                                 : "all probes paused at " + moment(snapshot, last->at_ns);
}

// A component of which nothing is left is named in place of its operations.
std::vector<std::string> names_off(const snapshot::Snapshot& snapshot) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name, std::optional<uint64_t> since_ns) {
    out.push_back(text::clean(name) + (since_ns ? " at " + moment(snapshot, *since_ns) : ""));
  };
  for (const snapshot::Component& component : snapshot.components) {
    std::vector<const snapshot::Operation*> off;
    for (const snapshot::Operation& one : component.operations)
      if (one.state == snapshot::Presence::kDisabled) off.push_back(&one);
    if (off.empty()) continue;
    if (component.status == snapshot::Status::kDisabled)
      add(component.name, off.front()->since_ns);
    else
      for (const snapshot::Operation* one : off) add(one->name, one->since_ns);
  }
  return out;
}

std::string throttled(const Health& h) {
  std::string text =
      fmt::format("{} detached: {}", h.throttled.size(), text::clean(h.throttled.front()));
  return h.throttled.size() > 1 ? text + ", …" : text;
}

}  // namespace

std::optional<Segment> switched_off(const snapshot::Snapshot& snapshot) {
  if (snapshot.health.probes_paused) return Segment{all_paused(snapshot)};
  if (snapshot.health.disabled.empty()) return std::nullopt;
  const std::vector<std::string> names = names_off(snapshot);
  std::string text =
      text::counted(snapshot.health.disabled.size(), "operation") + " switched off: ";
  for (size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    text += (i > 0 ? ", " : "") + names[i];
  return Segment{names.size() > kNamed ? text + ", …" : text};
}

Lines switches(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  const auto& all = snapshot.health.switches;
  std::vector<std::string> items;
  for (size_t i = all.size() - std::min(all.size(), kListed); i < all.size(); ++i)
    items.push_back(moment(snapshot, all[i].at_ns) + " " + switch_text(all[i]));
  if (items.empty()) return {};
  return listing(style,
                 all.size() > kListed
                     ? fmt::format("switched, the newest {} of {}", kListed, all.size())
                     : "switched",
                 items, width);
}

Lines health(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  const Health& h = snapshot.health;
  Lines out;
  std::vector<Segment> said =
      knows_no_calls(snapshot)
          ? std::vector<Segment>{sampled(h)}
          : std::vector<Segment>{
                attached(h), {text::count(h.delivered) + " events", Ink::kQuiet}, lost(h)};
  if (h.overhead_pct > 0 || doubted(h)) said.push_back(overhead(h));
  if (h.strangers) said.push_back(strangers(*h.strangers));
  if (h.orphan_exits > 0)
    said.push_back(
        {text::counted(h.orphan_exits, "orphan exit"), h.lost == 0 ? Ink::kQuiet : Ink::kAmber});
  if (snapshot.slo && snapshot.slo->violations + snapshot.slo->violating_now > 0)
    said.push_back(
        {fmt::format("▲ objectives missed {} times",
                     text::count(snapshot.slo->violations + snapshot.slo->violating_now)),
         Ink::kRed});
  if (h.evicted > 0) said.push_back({text::count(h.evicted) + " evicted", Ink::kAmber});
  if (const auto off = switched_off(snapshot)) said.push_back(*off);
  if (!h.throttled.empty()) said.push_back({throttled(h), Ink::kAmber});
  if (!h.notes.empty())
    said.push_back({text::clean(h.notes.front()) +
                        (h.notes.size() > 1 ? fmt::format(" (+{} more)", h.notes.size() - 1) : ""),
                    Ink::kAmber});
  append(out, flow(style, said, width));
  if (h.samples) append(out, flow(style, samples(*h.samples), width));
  // Last, so that the lowest terminal still shows it.
  if (!h.balanced) {
    const std::string accounts = fmt::format(
        "the accounts do not balance: {} hits, {} delivered, {} lost, {} pending",
        text::count(h.hits), text::count(h.delivered), text::count(h.lost), text::count(h.pending));
    out.push_back(paint(style, Ink::kLoud, " DO NOT TRUST THESE FIGURES "));
    for (std::string& line : wrapped(style, {accounts, Ink::kAmber}, 0, width))
      out.push_back(std::move(line));
  }
  return out;
}

}  // namespace compmond::terminal
