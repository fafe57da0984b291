// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "snapshot/snapshot.h"

// A made-up run of the ten components of the file host, with something of everything that a table
// has to tell.
namespace compmond::terminal::test {

inline snapshot::Operation operation(std::string name, std::string mode, std::string site,
                                     uint64_t calls, uint64_t net_ns) {
  snapshot::Operation out;
  out.name = out.symbol = std::move(name);
  out.interface = snapshot::Interface::kIn;
  out.image = "/usr/bin/filehost";
  out.exit_mode = Word<snapshot::ExitMode>(mode);
  out.site = std::move(site);
  out.figures.calls = out.figures.closed.returned = calls;
  out.figures.net_real_ns = net_ns;
  out.figures.real_ns = net_ns + net_ns / 50;
  out.figures.raw_ns = net_ns + net_ns / 3;
  if (calls > 0) {
    out.figures.mean_ns = out.figures.p50_ns = out.figures.raw_ns / calls;
    out.figures.min_ns = out.figures.mean_ns / 2;
    out.figures.p90_ns = out.figures.mean_ns * 2;
    out.figures.p99_ns = out.figures.mean_ns * 3;
    out.figures.max_ns = out.figures.mean_ns * 4;
  }
  return out;
}

inline snapshot::Component component(std::string name, uint64_t calls, uint64_t net_ns,
                                     double hotness) {
  snapshot::Component out;
  const std::string last = name.substr(name.find_last_of('/') + 1);
  if (last != name) out.parent = name.substr(0, name.size() - last.size() - 1);
  out.operations.push_back(
      operation("fh::" + last + "::run(fh::Request const&)", "ret-sites", "push", calls, net_ns));
  out.figures = out.operations.front().figures;
  out.figures.hotness = hotness;
  out.name = std::move(name);
  out.status = snapshot::Status::kAttached;
  return out;
}

inline snapshot::Component refused(std::string name, std::string reason) {
  snapshot::Component out;
  out.name = std::move(name);
  out.status = snapshot::Status::kRefused;
  out.operations.push_back(operation("fh::" + out.name + "::walk", "refused", "", 0, 0));
  out.operations.back().reason = std::move(reason);
  return out;
}

inline snapshot::Snapshot empty_run() {
  snapshot::Snapshot s;
  s.created = "2024-05-01T12:00:00.000Z";
  s.host = {"build7", "6.18.0", "x86-64", 8};
  s.targets = {{4711, "/usr/bin/filehost", "0a1b", 1'000, true}};
  s.spec_name = "file host";
  s.spec_path = "filehost.json";
  s.metric = "overall";
  s.start_ns = 100'000'000'000;
  s.window_start_ns = 132'000'000'000;
  s.window_end_ns = 142'000'000'000;
  s.components = {component("HTTPServer", 0, 0, 0), component("FileHandler", 0, 0, 0)};
  s.threads = {{4711, 4711, "filehost", 0, 0}};
  s.health.attached = 22;
  s.health.attach = "multi";
  s.health.engines = {{"uprobe", "multi", true}};
  return s;
}

inline snapshot::Snapshot file_host() {
  snapshot::Snapshot s = empty_run();
  snapshot::Component storage;
  storage.name = "Storage";
  storage.status = snapshot::Status::kAttached;
  storage.subtree = {5'400, 4'100'000'000, 4'000'000'000};
  s.components = {
      component("HTTPServer", 12'345, 812'000'000, 16.2),
      component("UploadManager", 1'200, 95'000'000, 1.9),
      component("PluginManager", 0, 0, 0),
      storage,
      component("Storage/FSWriter", 5'000, 3'000'000'000, 60),
      component("Storage/DirReader", 400, 1'000'000'000, 20),
      component("FileEncrypter", 5'000, 5'003'000'000, 100),
      component("FileDecrypter", 31, 1'200'000, 0.02),
      component("FileReaderWithAVeryLongNameForWhateverReason", 1'234'567, 400'000'000, 8),
      refused("AccessControl", "the function cannot be decoded to its end (jump table at +0x4c)")};
  s.components[1].status = snapshot::Status::kPartial;
  s.components[4].figures.open = 2;
  s.components[7].figures.closed.lossy = 1;
  s.components[8].figures.uncertain = true;
  s.components[8].operations[0].figures.uncertain = true;
  s.components[0].operations.push_back(
      operation("fh::HTTPServer::accept(int)", "entry-only", "nop5", 77, 0));
  s.components[0].operations.push_back(
      operation("fh::HTTPServer::stop()", "ret-sites", "push", 0, 0));
  s.edges = {{std::nullopt, "HTTPServer", 12'345, 9'000'000'000, false},
             {"HTTPServer", "FileEncrypter", 5'000, 6'500'000'000, true},
             {"FileEncrypter", "Storage/FSWriter", 5'000, 4'000'000'000, false},
             {"HTTPServer", "PluginManager", 0, 0, true}};
  for (int i = 0; i < 12; ++i) s.threads.push_back({4711, 4712 + i, "worker", 100, 1'000});
  snapshot::Health& h = s.health;
  h.hits = h.delivered = h.entries = 2'517'086;
  h.refused = {{"fh::AccessControl::walk",
                "the function cannot be decoded to its end (jump table at +0x4c)"},
               {"fh::UploadManager::resume*",
                "no symbol matches; the nearest is fh::UploadManager::reset()"}};
  h.probe_cost = {{"push", snapshot::ExitMode::kRetSites, 870, 1'230},
                  {"nop5", snapshot::ExitMode::kEntryOnly, 0, 190.4}};
  h.overhead_pct = 0.84;
  return s;
}

// The same with objectives, of which one was missed.
inline snapshot::Snapshot slow_file_host() {
  snapshot::Snapshot s = file_host();
  s.components[0].operations[0].figures.slo = {50'000'000, 12, 1, 1};
  s.components[0].figures.slo = {50'000'000, 12, 1, 1};
  s.components[4].operations[0].figures.slo = {5'000'000, 0, 0, 0};
  s.components[4].figures.slo = {5'000'000, 0, 0, 0};
  const std::string operation = s.components[0].operations[0].name;
  s.slo = {12,
           1,
           30,
           {{"HTTPServer", operation, 4711, 4712, 140'000'000'000, 81'000'000, 50'000'000, 17, 0,
             snapshot::Ending::kOpen},
            {"HTTPServer", operation, 4711, 4713, 139'000'000'000, 71'000'000, 50'000'000, 16, 2,
             snapshot::Ending::kLossy}},
           11,
           {"fh::HTTPServer::accept(int)"}};
  return s;
}

}  // namespace compmond::terminal::test
