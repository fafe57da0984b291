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
  out.status = "attached";
  out.figures = figures(i);
  for (const char* side : {"in", "out"}) {
    snapshot::Operation operation;
    operation.name = fmt::format("fh::{}::{}", out.name, side[0] == 'i' ? "accept" : "send");
    operation.symbol = fmt::format("_ZN2fh{}E{}", i, side);
    operation.interface = side;
    operation.exit_mode = "ret-sites";
    operation.figures = out.figures;
    out.operations.push_back(operation);
  }
  return out;
}

snapshot::Snapshot snapshot_of(size_t components, bool long_names) {
  snapshot::Snapshot out;
  out.spec_name = "file host";
  out.metric = "overall";
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
  out.health.attach = "session";
  out.health.overhead_pct = 0.4;
  out.health.history_bytes = 31u << 20;
  out.health.probe_cost.push_back({"push", "ret-sites", 312, 418});
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

void feed(Stage& stage, snapshot::View view) {
  stage.model.link.state = Link::State::kConnected;
  stage.model.hello.spec_name = "file host";
  stage.model.hello.metrics = {{"overall", "real time"}, {"p99", "99 of 100"}};
  take(stage.model, std::move(view));
  stage.settle();
}

}  // namespace compmond::ui
