// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "log_format/way.h"
#include "record/event.h"
#include "snapshot/snapshot.h"

// What a monitoring log says beside its events (docs/log-format.md). Plain values, so that whoever
// reads a log needs neither the spec's nor the plan's own types.
namespace compmond::recording {

struct Component {
  std::string path;  // "Parent/Child"
  int parent = -1;   // index in Header::components, -1 at the top; a parent before its children
  bool operator==(const Component&) const = default;
};

struct Connection {
  int from = 0, to = 0;  // indices in Header::components
  bool operator==(const Connection&) const = default;
};

// One observed function, and the way in use; its index in Header::operations is the `op` of entry
// and exit events.
struct Operation : Way {
  int component = 0;  // index in Header::components
  std::string name, symbol, demangled;
  std::string image;               // path as the target sees it, empty: unresolved
  uint64_t device = 0, inode = 0;  // of that file, as stat has them; 0: not known
  std::string interface;           // "in" or "out"
  std::vector<Way> next_ways;      // by which it goes on where that one refuses it, in this order,
                                   // or was to be observed, and is once its code is loaded
  double slo_ms = 0;               // 0: none
  bool landmark = false, waiting = false;
  bool refused = false;  // not observed at all, see reason
  bool paused = false;   // not observed at the moment
  std::string reason;
  bool operator==(const Operation&) const = default;
};

// A function in which transfers of control without a return were seen; its index in
// Header::transfers is the `op` of transfer events.
struct Transfer {
  std::string kind;  // "throw", "catch", "jump"
  std::string symbol, image;
  std::string engine, site;  // as in Way
  double cost_ns = 0;        // of one
  bool operator==(const Transfer&) const = default;
};

// What changes during a run, as of one moment.
struct State {
  uint64_t as_of_ns = 0;  // CLOCK_MONOTONIC
  bool ended = false;     // the run ended properly: as_of_ns is its end, the ledger is final
  std::vector<snapshot::Target> targets;
  uint64_t targets_left_out = 0;  // others that ended
  uint64_t cpu_used_ns = 0;       // by all targets together since observation began
  std::vector<std::string> notes;
  record::Ledger capture;
  struct Change {
    uint32_t op = 0;
    bool refused = false, paused = false;
    std::string reason;
    uint64_t away_since_ns = 0, away_until_ns = 0;  // paused for the first time, and back again
    struct Away {
      uint64_t since_ns = 0, until_ns = 0;
      bool operator==(const Away&) const = default;
    };
    // Each time; of some processes, as they had no probes; of that, as somebody had switched it
    // off.
    std::vector<Away> away, unseen, off;
    uint32_t way = 0;  // in use: 0: as in the header, n: the n-th of its next_ways
    bool operator==(const Change&) const = default;
  };
  std::vector<Change> changes;                     // operations not as the header has them
  std::vector<snapshot::Health::Switch> switches;  // until then; not in logs of before
  struct Busy {  // the budget kept operations away, likewise; not in logs of before
    std::vector<Change::Away> spans;
    double whole_pct = 0;
    std::optional<double> transfers_pct;                                // not in logs of before
    double whole_calls_s = 0, whole_calls_least_s = 0, budget_pct = 0;  // likewise
    std::vector<Change::Away> transfers_away;                           // likewise
    uint64_t beside_ns = 0;
    bool operator==(const Busy&) const = default;
  };
  Busy busy;
  struct Correction {  // of what calls cost by Way, see plan::Costs; not in logs of before
    std::string engine, site, exit_mode;
    double share = 1;
    bool operator==(const Correction&) const = default;
    bool is_of(const Way& way) const {
      return engine == way.engine && site == way.site && exit_mode == way.exit_mode;
    }
  };
  std::vector<Correction> corrections;
  std::optional<snapshot::Health::Strangers> strangers;  // none came by; not in logs of before
  std::optional<std::vector<uint32_t>> too_hot;          // for any slice; none: the run makes none
  std::vector<uint64_t> was_too_hot_until_ns;            // per operation; empty: none was
  bool slices_stopped = false;                           // none is made just now
  // Of the run so far; those dropped are not in the log: the disk was too slow, or full.
  uint64_t events = 0, dropped_events = 0, samples = 0, dropped_samples = 0;
};

struct Header {
  std::string version;  // of the compmond that wrote it
  std::string run;      // random, the same in all files of one run
  std::string spec_name, spec_path, spec_text;
  std::vector<Component> components;
  std::vector<Connection> connections;
  std::vector<Operation> operations;
  std::vector<Transfer> transfers;
  snapshot::Host host;
  std::string build_id;  // of the (first) main executable
  struct Program {
    std::string exe, build_id;
    bool operator==(const Program&) const = default;
  };
  std::vector<Program> programs;                  // where there are several; not in older logs
  std::vector<snapshot::Health::Engine> engines;  // at least one; older logs: its `attach` alone
  uint32_t open_exits = 64;  // limited exits awaited at once per thread; older logs: that of uprobe
  bool switches_stacks = false;   // the program is known to run several stacks on one thread
  uint64_t history_bytes = 0;     // memory for executions in full
  double samples_hz = 0;          // samples on CPU, as asked for; 0: none are taken
  uint64_t start_ns = 0;          // CLOCK_MONOTONIC: observation began
  uint64_t realtime_less_ns = 0;  // CLOCK_REALTIME minus CLOCK_MONOTONIC, when it began
  uint64_t segment = 0;           // number of this file among those of the run
  uint64_t begin_ns = 0;          // CLOCK_MONOTONIC: this file's events and samples begin here
  uint64_t first_event = 0, first_sample = 0;  // running numbers of its first ones
  State state;                                 // when this was written
};

// JSON, one line. The inverse gives Exit::kData; what it returns has every index in range.
std::string to_json(const Header& header);
std::string to_json(const State& state);
Result<Header> header_from_json(std::string_view text);
Result<State> state_from_json(std::string_view text, const Header& header);

}  // namespace compmond::recording
