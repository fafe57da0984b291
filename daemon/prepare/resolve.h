// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "guard/confined.h"
#include "plan/plan.h"
#include "spec/model.h"
#include "target/observed.h"

namespace compmond::prepare {

// A file that a target executes code from, opened once: attaching goes through the same
// descriptor.
struct ImageFile {
  std::shared_ptr<const Fd> fd;  // null: it could not be opened
  std::string path;              // as the target sees it
  std::string root;              // the target's root folder, for separate debug files; "" is "/"
  bool main = false;             // a main executable
  bool wanted = false;           // a component lives in it: it must be readable
  uint64_t device = 0, inode = 0, size = 0;
  std::string hindrance{};  // as plan::Candidate has it
  uint32_t programs = 1;    // likewise
  bool is_of(size_t program) const { return (programs >> program & 1) != 0; }
};

struct FileRead {  // as stat has it
  uint64_t device = 0, inode = 0;
};

struct Resolved {
  std::vector<target::Program> programs;  // at least one; that of main executables, if known
  bool switches_stacks = false;           // one of them, or a library of it
  plan::Plan plan;
  std::vector<std::string> notes;    // files that had to be left out, or were not read as a whole
  std::vector<FileRead> files = {};  // that the plan was made from, also where it needs them not
};

// Reads symbols and code of `files` (the main executables first) and plans, in a child without
// privileges: compmond itself never looks into a target's file. Errors are those of make_plan, of
// elf::Image for a wanted file, and Exit::kData, naming the file, when the child is ended by what
// it reads; a file that is only looked at for the risk check is left out then, and counts as not
// readable. One thread.
Result<Resolved> resolve(const spec::Spec& spec, const std::vector<ImageFile>& files,
                         const plan::PlanOptions& options,
                         const guard::ConfinedLimits& limits = {});

}  // namespace compmond::prepare
