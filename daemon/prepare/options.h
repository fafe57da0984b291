// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "spec/model.h"

namespace compmond::prepare {

// Which processes to look at: exactly one of the three is given.
struct TargetOptions {
  std::vector<pid_t> pids;
  std::string exe;
  std::vector<std::string> command;
  std::string user, cgroup;            // with exe: only those, see target/narrowing.h
  std::optional<pid_t> pid_namespace;  // likewise: of this process
  bool children =
      true;  // with pids: also their descendants that run the same program, now and later
};

// A spec's file, and, of several ones, those of the given processes that it is about.
struct SpecFile {
  std::string path;
  std::vector<pid_t> pids;
};

// Which engines a run has, and what each needs to know before it plans.
struct EngineOptions {
  std::string choice = "auto";  // an engine's name; auto: all that work, samples beside probes
  bool allow_patching = false;  // into the code of the targets may be written: what is too dear for
                                // probes is patched
  std::string attach;  // the only way to attach that is tried, in its engine's word; empty: any
  // Of stacks, per second and busy CPU; 0: none are taken. Unless given the run chooses.
  std::optional<double> samples_hz;
};

// What attaching and checking share.
struct PlanningOptions {
  std::vector<SpecFile> specs;
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
