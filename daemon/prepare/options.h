// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/words.h"
#include "spec/model.h"

namespace compmond::prepare {

// Which processes to look at: exactly one of the three is given.
struct TargetOptions {
  std::vector<pid_t> pids;
  std::string exe;
  std::vector<std::string> command;
  bool children =
      true;  // with pids: also their descendants that run the same program, now and later
};

// What may look at the target, as --engine names it.
enum class EngineChoice : uint8_t {
  kAuto,      // probes
  kUprobe,    // probes of the kernel
  kSampling,  // no probes at all: stacks, again and again
};
constexpr auto words(EngineChoice) {
  return word_table<EngineChoice>({{EngineChoice::kAuto, "auto"},
                                   {EngineChoice::kUprobe, "uprobe"},
                                   {EngineChoice::kSampling, "sampling"}});
}

// Which engines a run has, and what each needs to know before it plans.
struct EngineOptions {
  EngineChoice choice = EngineChoice::kAuto;
  std::string attach;  // the only way to attach that is tried, in its engine's word; empty: any
  double samples_hz = 199;  // of stacks, per second and busy CPU
};

// What attaching and checking share.
struct PlanningOptions {
  std::string spec_path;
  spec::ExitMode exit_mode = spec::ExitMode::kAuto;
  bool many = false;
  bool move_probes = true;
  EngineOptions engines;
};

struct CheckOptions {
  TargetOptions target;
  PlanningOptions planning;
  bool json = false;
};

}  // namespace compmond::prepare
