// SPDX-License-Identifier: Apache-2.0
#include "snapshot/snapshot.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>

#include "text/clean.h"
#include "text/match.h"

namespace compmond::snapshot {

std::string name_text(const Target& target) {
  const std::string exe = text::clean(text::leaf(target.exe)), name = text::clean(target.name);
  return exe.starts_with(name) ? exe : fmt::format("{} ({})", name, exe);
}

std::string end_text(const Target& target) {
  if (target.exit_status) return fmt::format("exited with status {}", *target.exit_status);
  if (!target.end_signal) return "ended";
  const char* name = ::sigabbrev_np(int(*target.end_signal));
  return name ? fmt::format("killed by SIG{}", name)
              : fmt::format("killed by signal {}", *target.end_signal);
}

std::string switch_text(const Health::Switch& one) {
  if (one.what.empty()) return one.on ? "all probes resumed" : "all probes paused";
  return text::clean(one.what) + (one.on ? " switched on" : " switched off");
}

std::string_view threads_mark(const Snapshot& snapshot) {
  const bool folded =
      std::ranges::any_of(snapshot.threads, [](const Thread& t) { return t.tid == 0; });
  return folded || snapshot.health.lost_slots > 0 ? "≥" : "";
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
