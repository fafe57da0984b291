// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "stage.h"

namespace compmond::ui {
namespace {

constexpr uint64_t kStart = 1'000'000'000'000, kSecond = 1'000'000'000, kMs = 1'000'000;
constexpr std::array kNames = {"HTTPServer", "AccessControl", "UploadManager", "PluginManager",
                               "DirReader",  "FileHandler",   "FileEncrypter", "FSWriter",
                               "FileReader", "FileDecrypter"};

std::string name_of(size_t i, bool long_names) {
  std::string name = kNames[i % kNames.size()];
  if (i >= kNames.size()) name += std::to_string(i / kNames.size() + 1);
  if (long_names)
    name += "::a_very_long_namespace_of_some_vendor::detail::basic_adapter<std::allocator<char>>";
  return name;
}

snapshot::Figures figures(size_t i) {
  snapshot::Figures out;
  out.calls = 1740 + i;
  out.open = i == 0;
  out.real_ns = (i % 10 + 1) * 350 * kMs;
  out.net_real_ns = out.real_ns - 900'000;
  out.mean_real_ns = out.net_real_ns / out.calls;
  out.raw_ns = out.real_ns * 2;
  out.mean_ns = 4'620'000 + i;
  out.min_ns = kMs;
  out.p50_ns = 4'550'000;
  out.p90_ns = 5'200'000;
  out.p99_ns = 6'100'000;
  out.max_ns = 9'800'000;
  out.hotness = double(i % 10 + 1) * 10;
  out.closed.returned = out.calls;
  return out;
}

snapshot::Component component(size_t i, bool long_names) {
  snapshot::Component out;
  out.name = name_of(i, long_names);
  out.status = snapshot::Status::kAttached;
  out.figures = figures(i);
  for (const char* side : {"in", "out"}) {
    snapshot::Operation operation;
    operation.name = fmt::format("fh::{}::{}", out.name, side[0] == 'i' ? "accept" : "send");
    operation.symbol = fmt::format("_ZN2fh{}E{}", i, side);
    operation.interface = Word<snapshot::Interface>(side);
    operation.exit_mode = snapshot::ExitMode::kRetSites;
    operation.figures = out.figures;
    out.operations.push_back(operation);
  }
  return out;
}

snapshot::Snapshot snapshot_of(size_t components, bool long_names) {
  snapshot::Snapshot out;
  out.spec_name = "file host";
  out.metric = "overall";
  out.heat = snapshot::Heat{HeatScale::kWindow, RankedFigure::kReal, 3'500'000'000, 0, 50'000'000};
  out.start_ns = kStart;
  out.window_start_ns = kStart + 17 * kSecond;
  out.window_end_ns = kStart + 22 * kSecond;
  out.targets.push_back({4711, "/usr/bin/filehost", "5eed", 1, true});
  out.threads.resize(8);
  for (size_t i = 0; i < components; ++i) out.components.push_back(component(i, long_names));
  for (size_t i = 0; i + 1 < components; ++i)
    out.edges.push_back(
        {out.components[i].name, out.components[i + 1].name, 960, 300 * kMs, i != 3});
  out.health.hits = out.health.delivered = 247'280;
  out.health.attached = 2 * components;
  out.health.engines = {{"uprobe", "session", true}};
  out.health.overhead_pct = 0.4;
  out.health.history_bytes = 31u << 20;
  out.health.probe_cost.push_back({"push", snapshot::ExitMode::kRetSites, 312, 418});
  return out;
}

}  // namespace

snapshot::View file_host(size_t components, bool long_names) {
  snapshot::View out;
  out.run = {kStart, kStart + 22 * kSecond, true, false, 11'240, 0};
  out.snapshot = snapshot_of(components, long_names);
  auto& strip = out.strip.emplace();
  strip.start_ns = kStart;
  strip.columns = 300;
  strip.end_ns = kStart + 30 * kSecond;
  for (size_t i = 0; i < components; ++i) {
    strip.components.push_back(out.snapshot->components[i].name);
    auto& row = strip.real_ns.emplace_back(strip.columns, 0);
    for (size_t c = 0; c < 220; ++c) row[c] = (c * 7 + i * 13) % 50 * kMs;
  }
  return out;
}

namespace {

snapshot::Estimate about(double ns) { return {ns, 0.96 * ns, 1.04 * ns}; }

// Of that real time, a part of it on a CPU.
snapshot::Estimated estimated(double ns, double on_cpu, uint64_t samples) {
  return {about(2 * ns), about(ns), about(on_cpu * ns), about((1 - on_cpu) * ns), samples};
}

void forget_calls(snapshot::Figures& figures, double on_cpu, uint64_t samples) {
  const auto real = double(figures.net_real_ns);
  const double hotness = figures.hotness;
  figures = {};
  figures.hotness = hotness;
  figures.seen = false;
  figures.estimated = estimated(real, on_cpu, samples);
}

}  // namespace

snapshot::View sampled_host() {
  snapshot::View out = file_host();
  out.run.events_per_s = 0;
  snapshot::Snapshot& snapshot = *out.snapshot;
  for (size_t i = 0; i < snapshot.components.size(); ++i) {
    snapshot::Component& component = snapshot.components[i];
    component.status = snapshot::Status::kSampled;
    forget_calls(component.figures, i % 2 ? 0.84 : 0.09, 120 * (i + 1));
    for (snapshot::Operation& operation : component.operations) {
      operation.exit_mode = snapshot::ExitMode::kNone;
      operation.engine = "sampling";
      forget_calls(operation.figures, 0.5, 60 * (i + 1));
    }
    component.subtree = {0, 0, 0, false, component.figures.estimated};
  }
  // One that was hardly met, one that never was, and one of which stacks were cut.
  using Time = snapshot::Estimate;
  snapshot.components[1].figures.estimated = snapshot::Estimated{
      Time{15e6, 0, 30e6}, Time{4e6, 0, 12e6}, Time{4e6, 0, 12e6}, Time{0, 0, 9e6}, 3};
  snapshot.components[3].figures.estimated =
      snapshot::Estimated{Time{0, 0, 7e6}, Time{0, 0, 7e6}, Time{0, 0, 5e6}, Time{0, 0, 5e6}, 0};
  snapshot.components[6].figures.estimated->raw_ns->at_least = true;
  for (snapshot::Edge& edge : snapshot.edges) {
    edge.count = edge.raw_ns = 0;
    edge.seen = false;
    edge.estimated.emplace();
    edge.estimated->raw_ns = about(1.25e9);
    edge.estimated->samples = 240;
  }
  snapshot.edges.push_back({"HTTPServer", "DirReader", 0, 0, true, false});
  snapshot::Health& health = snapshot.health;
  health = {};
  health.attached = 20;
  health.engines = {{"sampling", "timer", false}};
  health.history_bytes = 3u << 20;
  health.samples = {199,
                    1204,
                    0,
                    6,
                    1,
                    120,
                    1,
                    about(600e6),
                    about(700e6),
                    2.4e9,
                    0,
                    1.4e9,
                    {{"/lib/libc.so.6", about(400e6), about(700e6)}}};
  return out;
}

snapshot::View switched_host() {
  snapshot::View out = file_host();
  snapshot::Snapshot& snapshot = *out.snapshot;
  snapshot::Health& health = snapshot.health;
  const auto at = [](uint64_t ms) { return kStart + ms * kMs; };
  const auto switch_off = [&](snapshot::Operation& operation) {
    operation.state = snapshot::Presence::kDisabled;
    operation.since_ns = at(12'300);
    operation.reason = "switched off since 12.3 s";
    operation.figures = {};
    operation.figures.at_least = true;
    operation.figures.observed_share = 0;
    health.disabled.push_back(operation.name);
    --health.attached;
  };
  snapshot::Component &off = snapshot.components[8], &in_part = snapshot.components[4];
  for (snapshot::Operation& operation : off.operations) switch_off(operation);
  off.figures = off.operations.front().figures;
  off.status = snapshot::Status::kDisabled;
  switch_off(in_part.operations.back());
  in_part.figures.at_least = true;
  in_part.figures.observed_share = 0;
  in_part.status = snapshot::Status::kPartial;
  for (snapshot::Edge& edge : snapshot.edges)
    if (edge.from == off.name || edge.to == off.name) edge.count = edge.raw_ns = 0;
  health.switches = {{at(3'000), false, ""},
                     {at(5'000), true, ""},
                     {at(12'300), false, "FileReader"},
                     {at(12'310), false, in_part.operations.back().name}};
  return out;
}

snapshot::ExecutionsView executions_of(const snapshot::View& view) {
  snapshot::ExecutionsView out;
  out.start_ns = view.snapshot->window_start_ns, out.end_ns = view.snapshot->window_end_ns;
  for (const auto& component : view.snapshot->components)
    out.operations.push_back({component.name, component.operations.front().name});
  const auto count = uint32_t(out.operations.size());
  const auto add = [&](uint64_t trace, uint32_t ess, uint64_t from_ms, uint64_t to_ms,
                       snapshot::Ending closed) {
    snapshot::ExecutionsView::Execution one;
    one.operation = uint32_t(trace + ess) % count;
    one.caller = ess > 0 ? int64_t(trace + ess - 1) % count : -1;
    one.pid = 4711, one.tid = 4712 + int64_t(trace % 3);
    one.start_ns = out.start_ns + from_ms * kMs, one.end_ns = out.start_ns + to_ms * kMs;
    one.real_ns = (one.end_ns - one.start_ns) / 2;
    one.trace_id = trace, one.eoi = one.ess = ess;
    one.closed = closed;
    out.executions.push_back(std::move(one));
  };
  for (uint64_t trace = 0; trace < 9; ++trace) {
    const uint64_t from = 200 + 450 * trace;
    const auto closed = trace == 3   ? snapshot::Ending::kAbandoned
                        : trace == 5 ? snapshot::Ending::kLossy
                                     : snapshot::Ending::kReturned;
    add(trace, 0, from, trace == 8 ? 5000 : from + 900,
        trace == 8 ? snapshot::Ending::kOpen : snapshot::Ending::kReturned);
    add(trace, 1, from + 100, from + 700, closed);
    add(trace, 2, from + 200, from + 400, snapshot::Ending::kReturned);
  }
  out.folds.push_back({count - 1, 4711, 4713, 0, out.start_ns + 2000 * kMs,
                       out.start_ns + 2600 * kMs, 40, 300 * kMs, 300 * kMs});
  return out;
}

void give(Stage& stage, snapshot::View view) {
  stage.model.link.state = Link::State::kConnected;
  stage.model.hello.spec_name = "file host";
  stage.model.hello.metrics = {{"overall", "real time"}, {"p99", "99 of 100", true}};
  stage.model.settings.metric = stage.model.hello.metrics.front().name;
  take(stage.model, std::move(view));
}

void feed(Stage& stage, snapshot::View view) {
  give(stage, std::move(view));
  stage.settle();
}

}  // namespace compmond::ui
