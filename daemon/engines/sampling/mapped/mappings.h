// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mapped_code/images.h"
#include "mapped_code/perf_maps.h"
#include "mapped_code/sideband_record.h"
#include "sampling/unwinder.h"

namespace compmond::sampler {

// The code of a process as it is right now, from /proc. Empty when it is gone or not for us to see.
std::vector<sampling::Mapping> read_code_of(pid_t pid, Images& images);

// Tells the unwinder of the code in the memory of the observed processes, and of no others. To be
// told what happens in the order in which it does. One thread.
class Mappings {
 public:
  // `candidates`: a process that is not observed may become so by executing a program.
  Mappings(Images& images, PerfMaps& perf_maps, sampling::Unwinder& unwinder, bool candidates)
      : images_(images),
        perf_maps_(perf_maps),
        unwinder_(unwinder),
        keeps_candidates_(candidates) {}

  bool knows(uint32_t pid) const { return known_.contains(pid); }
  // Whether what it maps may matter.
  bool wants(uint32_t pid) const { return keeps_candidates_ || knows(pid); }
  // It is observed, and has this code.
  void observe(uint32_t pid, const std::vector<sampling::Mapping>& code);
  void fork(uint32_t parent, uint32_t child);
  void executed(uint32_t pid);  // a program, and is observed; it may be new
  void forget(uint32_t pid);
  // It was sampled then: what it says of the code that it makes is wanted.
  void name_code(uint32_t pid, uint64_t time_ns);

  // Whether the event is of a process that is known: what came before is to be unwound before.
  bool concerns(const SidebandEvent& event) const;
  void apply(const SidebandEvent& event);
  // Processes not said to be observed for a second never will be by what they executed before it;
  // all are looked through once a second.
  void drop_candidates(uint64_t now_ns);
  void read_all_again();  // after events were lost
  // Images that the unwinder knows since the last call; they live as long as `images`.
  std::vector<const sampling::Image*> take_images() { return std::exchange(met_, {}); }
  uint64_t lost() const { return lost_; }

 private:
  struct Candidate {
    uint64_t since_ns = 0;
    std::vector<CodeMapped> code;
  };
  void map(const CodeMapped& what);
  void map(uint32_t pid, const std::vector<sampling::Mapping>& code);
  void tell_images();

  Images& images_;
  PerfMaps& perf_maps_;
  sampling::Unwinder& unwinder_;
  bool keeps_candidates_;
  std::unordered_set<uint32_t> known_;
  std::unordered_map<uint32_t, Candidate> candidates_;
  uint64_t next_drop_ns_ = 0;
  std::vector<const sampling::Image*> met_;
  uint64_t lost_ = 0;
};

}  // namespace compmond::sampler
