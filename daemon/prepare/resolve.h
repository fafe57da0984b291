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

namespace compmond::prepare {

// A file that a target executes code from, opened once: attaching goes through the same
// descriptor.
struct ImageFile {
  std::shared_ptr<const Fd> fd;  // null: it could not be opened
  std::string path;              // as the target sees it
  std::string root;              // the target's root folder, for separate debug files; "" is "/"
  bool main = false;             // the main executable
  bool wanted = false;           // a component lives in it: it must be readable
  uint64_t device = 0, inode = 0, size = 0;
  std::string hindrance{};  // as plan::Candidate has it
};

// What is known of the program.
struct Program {
  std::shared_ptr<const Fd> file;  // the main executable
  std::string build_id;            // its own; lowercase hex, or empty
  bool switches_stacks = false;    // it, or a library of it
};

struct FileRead {  // as stat has it
  uint64_t device = 0, inode = 0;
};

struct Resolved {
  Program program;
  plan::Plan plan;
  std::vector<std::string> notes;    // files that had to be left out, or were not read as a whole
  std::vector<FileRead> files = {};  // that the plan was made from, also where it needs them not
};

// Reads symbols and code of `files` (the main executable first) and plans, in a child without
// privileges: compmond itself never looks into a target's file. Errors are those of make_plan, of
// elf::Image for a wanted file, and Exit::kData, naming the file, when the child is ended by what
// it reads; a file that is only looked at for the risk check is left out then, and counts as not
// readable. One thread.
Result<Resolved> resolve(const spec::Spec& spec, const std::vector<ImageFile>& files,
                         const plan::PlanOptions& options,
                         const guard::ConfinedLimits& limits = {});

}  // namespace compmond::prepare
