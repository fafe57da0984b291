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
  // Resolves --pid and --exe. With children, living descendants of a given process that run the
  // same executable belong to the set. Exit::kNoInput when there is no such process or file; --exe
  // without a running process is fine.
  static Result<TargetSet> find(const TargetOptions& options);

  // All images that the processes map, the main executable first. Opened once, here. One that no
  // component names and that cannot be opened is listed without a descriptor.
  Result<std::vector<ImageFile>> open_images(const spec::Spec& spec) const;

  const std::vector<target::Process>& processes() const { return processes_; }
  std::vector<target::Process>& processes() { return processes_; }
  bool by_exe() const { return by_exe_; }
  const target::Narrowing& narrowing() const { return narrowing_; }  // of those by exe
  const std::string& exe() const { return exe_; }  // path as given or as the process sees it
  uint64_t exe_device() const { return exe_device_; }
  uint64_t exe_inode() const { return exe_inode_; }

 private:
  Result<void> add(pid_t pid);

  std::vector<target::Process> processes_;
  bool by_exe_ = false;
  target::Narrowing narrowing_;
  std::string exe_;
  uint64_t exe_device_ = 0, exe_inode_ = 0;
};

}  // namespace compmond::prepare
