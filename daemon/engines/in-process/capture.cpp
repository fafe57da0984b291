// SPDX-License-Identifier: Apache-2.0
#include "inprocess/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/memory_groups.h"
#include "core/message.h"
#include "inprocess/planner.h"
#include "plan/states.h"
#include "rings/layout.h"
#include "target/proc_folder.h"
#include "text/numbers.h"
#include "text/processes.h"
#include "trampolines/portable.h"

namespace compmond::inprocess {
namespace {

// Probes of some functions of a process, as long as it lives.
class Patched : public engine::Placed {
 public:
  Patched(engine::Scope scope, std::vector<Refusal> refused, Surgeon& surgeon,
          std::vector<uint32_t> functions, bool inherited)
      : Placed(scope, std::move(refused)),
        surgeon_(surgeon),
        functions_(std::move(functions)),
        inherited_(inherited) {}
  bool inherited() const override { return inherited_; }
  ~Patched() override { (void)surgeon_.put_back(scope().pid, functions_); }

 private:
  Surgeon& surgeon_;
  std::vector<uint32_t> functions_;
  bool inherited_;
};

const plan::Way* own_way(const plan::PlannedOperation& op) {
  const auto found = std::ranges::find_if(
      op.ways, [](const plan::Way& way) { return way.engine == kEngine && !way.refused; });
  return found == op.ways.end() ? nullptr : &*found;
}

uint8_t flags_of(const Site& site, const plan::PlannedOperation& op, const plan::Way& way) {
  if (site.kind == Site::Kind::kEntry)
    return way.exit == spec::ExitMode::kEntryOnly ? record::kEntryOnly : 0;
  const uint64_t offset = way.entry_offset - way.moved_by + (site.place - op.vaddr);
  const auto exit = std::ranges::find(way.exits, offset, &plan::ExitPlace::offset);
  return exit != way.exits.end() && exit->to_observed ? record::kJumpExit : 0;
}

record::EventKind kind_of(Site::Kind kind) {
  switch (kind) {
    case Site::Kind::kExit:
      return record::EventKind::kExit;
    case Site::Kind::kValue:
      return record::EventKind::kContext;
    default:
      return record::EventKind::kEntry;
  }
}

// Of a process, which need not be named.
std::string reason_of(const Error& error) {
  return error.why + (error.next.empty() ? "" : ". " + error.next);
}

// Why its records may be too much for its memory control group, or the machine, which would end it:
// they are charged to it, for each thread that records. Empty: they are not.
std::string room_lacking(pid_t pid) {
  constexpr uint64_t kMostOfRoom = 2;  // one part of so many may be taken
  MemoryGroupsNow now;
  const MemoryGroups* groups = now.of(std::to_string(pid));
  size_t threads = 0;
  target::for_each_id(fmt::format("/proc/{}/task", pid), [&](pid_t) { return ++threads > 0; });
  const uint64_t needed = threads * SharedLayout::of(threads).ring_bytes();
  std::vector<MemoryGroup> all = groups ? groups->limited : std::vector<MemoryGroup>();
  if (now.machine()) all.push_back(*now.machine());
  for (const MemoryGroup& group : all)
    if (needed > group.room / kMostOfRoom)
      return fmt::format("the records of its {} could take {}, and {} has {} left",
                         text::counted(threads, "thread"), text::bytes(needed), group.text(),
                         text::bytes(group.room));
  return {};
}

struct Sites {
  std::vector<SiteEvent> all;
  std::vector<uint32_t> first;  // per operation
};

// The numbers that all processes' records have, from 1 on.
Sites sites_of(const plan::Plan& plan) {
  Sites out;
  for (size_t i = 0; i < plan.operations.size(); ++i) {
    out.first.push_back(uint32_t(out.all.size()) + 1);
    const plan::Way* way = own_way(plan.operations[i]);
    const auto code = way ? unpacked(way->prepared) : std::nullopt;
    if (!code) continue;
    auto context = plan.operations[i].contexts.begin();
    for (const Site& site : code->sites) {
      SiteEvent& to = out.all.emplace_back();
      to = {.op = record::OperationId(i), .kind = kind_of(site.kind), .depth = site.depth};
      if (site.kind != Site::Kind::kValue)
        to.flags = flags_of(site, plan.operations[i], *way);
      else if (context != plan.operations[i].contexts.end())
        to.flags = record::context_flags(context->kind, context->type), ++context;
    }
  }
  return out;
}

}  // namespace

Capture::Capture(std::unique_ptr<Surgeon> surgeon, const plan::Plan& plan, bool forks,
                 std::shared_ptr<sampling::MovedCodes> moved)
    : surgeon_(std::move(surgeon)),
      moved_(std::move(moved)),
      first_sites_(sites_of(plan).first),
      source_(sites_of(plan).all, uint32_t(plan.operations.size()), forks) {}

Capture::~Capture() {
  if (ended_) return;
  for (const std::string& note : end()) say(note);
}

std::vector<std::string> Capture::end() {
  ended_ = true;
  std::map<std::string, std::vector<pid_t>> processes;  // by what keeps them from being put back
  for (const Left& one : surgeon_->close()) processes[one.why].push_back(one.pid);
  std::vector<std::string> out;
  for (const auto& [why, pids] : processes)
    out.push_back(fmt::format(
        "{} could not be put back ({}): functions stay patched there, and record for nobody. Once "
        "that is over: sudo compmond restore",
        text::processes(pids.front(), pids.size()), why));
  return out;
}

std::vector<std::string> Capture::notes() const {
  std::vector<std::string> out = source_.notes();
  if (!surgeon_->lives())
    out.push_back(
        "the process that patches was killed: functions stay patched after this run. "
        "`sudo compmond restore` puts them back");
  return out;
}

Result<std::unique_ptr<engine::Placed>> Capture::place(const plan::Plan& plan,
                                                       const plan::OperationStates& states,
                                                       engine::Scope scope,
                                                       std::span<const size_t> operations,
                                                       plan::See) {
  using Refusal = engine::Placed::Refusal;
  const plan::PlannedImage& image = plan.images[size_t(scope.image)];
  std::vector<Refusal> refused;
  const auto refuse_all = [&](const Error& error) {
    for (const size_t i : operations)
      refused.push_back({.operation = i, .reason = reason_of(error), .whole = true});
    return std::unique_ptr<engine::Placed>(new engine::Placed(scope, std::move(refused)));
  };
  if (auto lacks = room_lacking(scope.pid); !lacks.empty())
    return refuse_all({Exit::kUnavailable, "", std::move(lacks), ""});
  auto opened = surgeon_->open(scope.pid);
  if (!opened && opened.error().code == Exit::kNoInput) return Unexpected(opened.error());
  if (!opened) return refuse_all(opened.error());
  if (opened->file.valid()) {
    auto memory = SharedMemory::map(opened->file, opened->layout.size());
    if (!memory) {  // who would record for nobody
      surgeon_->leave(scope.pid);
      return refuse_all(memory.error());
    }
    source_.add(std::move(*memory), opened->layout);
  }
  source_.know(scope.pid);
  std::vector<Patient::Function> functions;
  std::vector<uint32_t> numbers;
  for (const size_t i : operations) {
    const plan::Way& way = plan::way_of(plan, states, i);
    functions.push_back({.number = uint32_t(i),
                         .file = {image.device, image.inode},
                         .vaddr = plan.operations[i].vaddr,
                         .offset = way.entry_offset - way.moved_by,
                         .first_site = first_sites_[i],
                         .code = way.prepared});
    numbers.push_back(uint32_t(i));
  }
  const auto patched = surgeon_->patch(scope.pid, functions);
  if (!patched && patched.error().code == Exit::kNoInput) return Unexpected(patched.error());
  if (!patched) return refuse_all(patched.error());
  if (moved_) moved_->set(uint32_t(scope.pid), patched->moved);
  for (const Patient::Refusal& one : patched->refused) {
    refused.push_back({.operation = one.number, .reason = one.reason, .later = one.unmapped});
    std::erase(numbers, one.number);
  }
  return std::unique_ptr<engine::Placed>(
      new Patched(scope, std::move(refused), *surgeon_, std::move(numbers), !patched->changed));
}

}  // namespace compmond::inprocess
