// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "prepare/options.h"
#include "prepare/resolve.h"
#include "spec/model.h"
#include "target/narrowing.h"
#include "target/process.h"

namespace compmond::prepare {

// The processes to observe and the images that a spec's components may live in.
class TargetSet {
 public:
  struct Program {
    std::string exe;  // path as given or as the process sees it
    uint64_t device = 0, inode = 0;
  };
  // Resolves --pid and --exe. With children, living descendants of a given process that run one of
  // the programs belong to the set. Of several specs each is about one program, that its processes
  // run, and no two about the same; else there is one program. Exit::kNoInput when there is no such
  // process or file; --exe without a running process is fine.
  static Result<TargetSet> find(const TargetOptions& options,
                                const std::vector<SpecFile>& specs = {});

  // All images that the processes map, the main executables first, in the order of the programs.
  // Opened once, here. One that no component names and that cannot be opened is listed without a
  // descriptor.
  Result<std::vector<ImageFile>> open_images(const spec::Spec& spec) const;

  const std::vector<target::Process>& processes() const { return processes_; }
  std::vector<target::Process>& processes() { return processes_; }
  bool by_exe() const { return by_exe_; }
  const target::Narrowing& narrowing() const { return narrowing_; }   // of those by exe
  const std::vector<Program>& programs() const { return programs_; }  // at least one

 private:
  static Result<TargetSet> find_by_exe(const TargetOptions& options);
  Result<void> add(pid_t pid, size_t program);
  void add_children(const std::vector<pid_t>& of);
  const target::Process& first_of(size_t program) const;

  std::vector<target::Process> processes_;
  std::vector<size_t> program_of_;  // parallel to processes_
  bool by_exe_ = false;
  target::Narrowing narrowing_;
  std::vector<Program> programs_;
};

}  // namespace compmond::prepare
