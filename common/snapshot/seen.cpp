// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <string.h>

#include <algorithm>

#include "snapshot/doubt.h"
#include "snapshot/snapshot.h"
#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"

namespace compmond::snapshot {

bool only_counted(const Component& component) {
  bool any = false;
  for (const Operation& o : component.operations) {
    if (o.exit_mode != ExitMode::kEntryOnly && o.exit_mode != ExitMode::kRefused) return false;
    any |= o.exit_mode == ExitMode::kEntryOnly;
  }
  return any;
}

std::string end_text(const Target& target) {
  if (target.exit_status) return fmt::format("exited with status {}", *target.exit_status);
  if (!target.end_signal) return "ended";
  const char* name = ::sigabbrev_np(int(*target.end_signal));
  return name ? fmt::format("killed by SIG{}", name)
              : fmt::format("killed by signal {}", *target.end_signal);
}

bool only_bound(const Estimated& of, TimeOf time) {
  const Estimate& e = *(of.*time);
  if (e.value_ns <= 0) return true;
  if (time == &Estimated::raw_ns) return few(of);
  // As of fewer than five of a kind; both kinds together as of hardly more than one.
  const double most = time == &Estimated::net_real_ns ? 4 : 2;
  const bool wide = e.high_ns - e.low_ns > most * e.value_ns;
  return few_own(of) || (wide && !at_least(of, time));
}

bool at_least(const Estimated& of, TimeOf time) {
  return time == &Estimated::raw_ns        ? of.raw_at_least
         : time == &Estimated::net_real_ns ? of.net_real_at_least
         : time == &Estimated::waiting_ns  ? of.waiting_at_least
                                           : of.cpu_at_least;
}

std::string elsewhere_text(const SamplesHealth& samples) {
  const auto part = [](double of, double whole) {
    return text::percent(100 * std::min(1.0, of / whole));
  };
  std::string out;
  if (samples.cpu_ns > 0)
    out = part(samples.elsewhere_cpu_ns.value_ns, samples.cpu_ns) + " of CPU time";
  if (samples.waiting_ns > 0)
    out += (out.empty() ? "" : ", ") +
           part(samples.elsewhere_waiting_ns.value_ns, samples.waiting_ns) + " of waiting";
  return out.empty() ? out : out + " elsewhere";
}

std::string image_label(const SamplesHealth::Elsewhere& elsewhere) {
  return elsewhere.image.empty() ? "code of no file" : text::clean(text::leaf(elsewhere.image));
}

bool rests_on_samples(const Snapshot& snapshot) {
  return std::ranges::any_of(snapshot.components,
                             [](const Component& c) { return times_estimated(c.figures); });
}

std::string_view what_calls_lack(const Snapshot& snapshot) {
  const bool busy = std::ranges::any_of(snapshot.components, [](const Component& c) {
    return c.figures.observed_share && seen_in_part(c.figures);
  });
  return busy ? "were not all seen in this window" : "samples do not tell";
}

bool knows_no_calls(const Snapshot& snapshot) {
  return rests_on_samples(snapshot) &&
         std::ranges::none_of(snapshot.components, [](const Component& c) {
           return c.figures.seen && !c.operations.empty() && c.status != Status::kRefused;
         });
}

namespace {

std::string not_in_samples(const Snapshot& snapshot) {
  const uint64_t taken = snapshot.health.samples ? snapshot.health.samples->taken : 0;
  return fmt::format("not seen in {} samples", text::count(taken));
}

}  // namespace

std::string doubt_of_none(const Snapshot& snapshot, const Figures& f) {
  if (!f.seen) return not_in_samples(snapshot);
  if (f.observed_share) {
    if (*f.observed_share <= 0) return "not seen, its probes were away";
    return fmt::format("not seen while observed {}", text::percent(100 * *f.observed_share));
  }
  if (snapshot.health.lost > 0) return "not seen, events were lost";
  const bool gap = f.at_least || f.closed.lossy > 0;  // other probes went, for which all were
  return gap ? "not seen, all probes were away for a moment" : "";
}

std::string doubt_of_none(const Snapshot& snapshot, const Component& component) {
  std::string of_figures = doubt_of_none(snapshot, component.figures);
  const bool all = component.status != Status::kPartial && component.status != Status::kRefused;
  return all || !of_figures.empty() ? of_figures : "not seen, as far as it is observed";
}

std::string doubt_of_none(const Snapshot& snapshot, const Edge& edge) {
  if (!edge.seen) return not_in_samples(snapshot);
  const auto share = [](const Component* c) {
    return c ? c->figures.observed_share.value_or(1) : 1.0;
  };
  const auto named = [&](const std::string& name) -> const Component* {
    const auto found = std::ranges::find(snapshot.components, name, &Component::name);
    return found == snapshot.components.end() ? nullptr : &*found;
  };
  const Component* from = edge.from ? named(*edge.from) : nullptr;
  const Component* to = named(edge.to);
  if (share(from) < share(to)) return doubt_of_none(snapshot, *from);
  const std::string of_callee = to ? doubt_of_none(snapshot, *to) : "";
  return of_callee.empty() && from ? doubt_of_none(snapshot, *from) : of_callee;
}

uint64_t samples_behind_ns(const Snapshot& snapshot) {
  const auto& samples = snapshot.health.samples;
  if (!samples || samples->known_until_ns == 0 || !rests_on_samples(snapshot)) return 0;
  const uint64_t known = samples->known_until_ns;
  return snapshot.window_end_ns >= known && snapshot.now_ns > known ? snapshot.now_ns - known : 0;
}

Window known_window(const Snapshot& snapshot) {
  Window out{snapshot.window_start_ns, snapshot.window_end_ns};
  if (samples_behind_ns(snapshot) > 0)
    out.end_ns = std::min(out.end_ns, snapshot.health.samples->known_until_ns);
  out.end_ns = std::max(out.end_ns, out.start_ns);
  return out;
}

}  // namespace compmond::snapshot
