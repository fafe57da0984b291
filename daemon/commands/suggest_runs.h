// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <string>

#include "base/result.h"
#include "prepare/options.h"
#include "snapshot/snapshot.h"
#include "suggest/program.h"

namespace compmond::commands {

// Short runs of compmond, each in a process of its own, so that what it opens and the rights that
// it gives up are its own; their files lie in a folder that is gone with this object. As long as it
// is there SIGINT, SIGTERM and SIGHUP end the run that goes on, and nothing else. One thread.
class SuggestRuns {
 public:
  static Result<SuggestRuns> open(const prepare::TargetOptions& target, double seconds);
  SuggestRuns(SuggestRuns&& other) noexcept;
  ~SuggestRuns();

  // What samples of all stacks say. An error of the run itself, with what it said, or of a signal:
  // was_stopped().
  Result<suggest::Evidence> sample(const suggest::Program& program) const;
  // How often what the spec names is called, within the default budget.
  Result<snapshot::Snapshot> count(const std::string& spec_text) const;

 private:
  SuggestRuns(prepare::TargetOptions target, double seconds, std::string folder);
  int end_of(pid_t child, const char* doing) const;
  struct Files {
    std::string spec, log, snapshot;  // of these the last two may be empty: none is written
  };
  Result<void> run(const Files& files, const std::string& engine, const char* doing) const;
  std::string path(const char* name) const { return folder_ + "/" + name; }

  prepare::TargetOptions target_;
  double seconds_;
  std::string folder_;  // empty: another object has it
  sigset_t before_;     // signals that were blocked
};

// Whether a signal asked for the end.
bool was_stopped(const Error& error);

}  // namespace compmond::commands
