// SPDX-License-Identifier: Apache-2.0
#include "surgeon/theatre.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "guard/channel.h"
#include "patient/leftovers.h"
#include "patient/stacks_of.h"
#include "surgeon/newcomers.h"
#include "target/proc_folder.h"

namespace compmond::inprocess {
namespace {

std::vector<pid_t> numbers_of(const auto& by_process) {
  std::vector<pid_t> out;
  for (const auto& [pid, its] : by_process) out.push_back(pid);
  return out;
}

// Of a process of another number.
bool is_thread(pid_t tid) {
  std::ifstream status(fmt::format("/proc/{}/status", tid));
  pid_t process = tid;
  for (std::string key; status >> key;)
    if (key == "Tgid:") {
      status >> process;
      break;
    }
  return process != tid;
}

}  // namespace

Reply Theatre::answer(const Request& request, Fd& file) {
  Reply reply;
  Result<void> done;
  const auto found = patients_.find(request.pid);
  if (request.what == Ask::kClose) {
    for (auto& [pid, why] : close()) reply.left.push_back({pid, std::move(why)});
  } else if (request.what == Ask::kOpen) {
    done = open(request.pid, reply, file);
  } else if (found == patients_.end()) {
    done = fail(Exit::kNoInput, fmt::format("process {} is gone", request.pid), "");
  } else if (request.what == Ask::kPatch) {
    reply.changed = !found->second.has(request.functions);
    auto refused = found->second.patch(request.functions);
    if (refused)
      reply.refused = std::move(*refused), reply.moved = found->second.moved_code();
    else
      done = Unexpected(refused.error());
  } else if (request.what == Ask::kPutBack) {
    done = found->second.put_back(request.numbers);
    if (!done && !found->second.is_in(request.pid)) patients_.erase(found);  // it is gone
  } else if (!found->second.is_in(request.pid) || found->second.leave()) {
    patients_.erase(found);
  }
  reply.failure = guard::packed(done);
  return reply;
}

// One that has the memory of another one is its fork.
const Patient* Theatre::parent_of(pid_t pid) const {
  const auto space = AddressSpace::of(pid);
  if (!space) return nullptr;
  for (const auto& [other, patient] : patients_)
    if (patient.is_in(*space) && !share_memory(pid, other)) return &patient;
  return nullptr;
}

Result<void> Theatre::open(pid_t pid, Reply& reply, Fd& file) {
  if (const auto found = patients_.find(pid); found != patients_.end()) {
    if (found->second.is_in(pid)) return {};
    patients_.erase(found);  // it executed another program, or is another process
  }
  if (const Patient* parent = parent_of(pid)) {
    auto fork = parent->fork(pid);
    if (!fork) return Unexpected(fork.error());
    patients_.emplace(pid, std::move(*fork));
    return {};
  }
  size_t threads = 0;
  target::for_each_id(fmt::format("/proc/{}/task", pid), [&](pid_t) { return ++threads > 0; });
  auto patient = Patient::open(pid, SharedLayout::of(threads));
  if (!patient) return Unexpected(patient.error());
  auto shared = patient->shared();
  if (!shared) {
    (void)patient->leave();
    return Unexpected(shared.error());
  }
  patients_.emplace(pid, std::move(*patient));
  any_ = true;
  file = std::move(*shared);
  reply.file = true;
  reply.layout = patients_.at(pid).layout();
  return {};
}

LeftIn Theatre::leave_patient(pid_t pid) {
  Patient& patient = patients_.at(pid);
  LeftIn out{.any = patient.is_in(pid), .done = {}};
  if (out.any) out.done = patient.leave();
  if (out.done || out.done.error().code == Exit::kNoInput) patients_.erase(pid);
  return out;
}

// What has a list of what we wrote: also forks of those that nobody asked for, or of before. False:
// it had something of ours, or ended before that could be known, and may have forked another one.
bool Theatre::leave(pid_t pid, Leaving& leaving) {
  const LeftIn found =
      patients_.contains(pid) ? leave_patient(pid) : leave_ours_in(pid, UndoOwner::self());
  if (found.done) return !found.any;
  const Error& error = found.done.error();
  if (found.any && error.code == Exit::kNoInput)
    leaving.hopping = pid, leaving.hopped_ns = monotonic_ns();
  else if (found.any && !is_thread(pid))
    leaving.left[pid] = error.why;
  return false;
}

// A thread that waits for a disk, or for a process that it forked to execute a program, cannot be
// stopped until then. Who was forked meanwhile is new; where one after the other is, and ends, each
// may be gone before it was looked at.
std::map<pid_t, std::string> Theatre::close() {
  constexpr uint64_t kPatienceNs = 3'000'000'000, kForNewNs = 2'000'000'000;
  constexpr uint64_t kLatelyNs = 500'000'000;
  constexpr useconds_t kBetween = 5'000;  // µs
  if (!std::exchange(any_, false)) return {};
  const uint64_t start_ns = monotonic_ns();
  Newcomers newcomers;
  Leaving leaving;
  for (const pid_t pid : numbers_of(patients_)) leave(pid, leaving);
  target::for_each_id("/proc", [&](pid_t pid) {
    if (!leaving.left.contains(pid)) leave(pid, leaving);
    return true;
  });
  bool quiet = false;
  while (!quiet || !leaving.left.empty()) {
    const uint64_t patience_ns = leaving.left.empty() ? kForNewNs : kPatienceNs;
    if (monotonic_ns() - start_ns > patience_ns) break;
    ::usleep(kBetween);
    quiet = true;
    for (const pid_t pid : numbers_of(std::exchange(leaving.left, {}))) leave(pid, leaving);
    newcomers.visit([&](pid_t pid) { quiet = leave(pid, leaving) && quiet; });
  }
  if (!quiet && monotonic_ns() - leaving.hopped_ns < kLatelyNs)
    leaving.left[leaving.hopping] =
        "it ended before it could be stopped, and had forked another one, as that one does";
  patients_.clear();
  return std::move(leaving.left);
}

}  // namespace compmond::inprocess
