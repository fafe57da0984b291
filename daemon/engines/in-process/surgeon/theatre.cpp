// SPDX-License-Identifier: Apache-2.0
#include "surgeon/theatre.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iterator>
#include <utility>

#include "base/clock.h"
#include "guard/channel.h"
#include "patient/leftovers.h"
#include "patient/stacks_of.h"
#include "target/proc_folder.h"

namespace compmond::inprocess {

Reply Theatre::answer(const Request& request, Fd& file) {
  Reply reply;
  Result<void> done;
  const auto found = patients_.find(request.pid);
  if (request.what == Ask::kOpen) {
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
  for (const auto& [other, patient] : patients_)
    if (patient.is_in(pid) && !share_memory(pid, other)) return &patient;
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

// What has a list of what we wrote: also forks of those that nobody asked for, or of before.
bool Theatre::leave_forks() {
  bool left = true;
  target::for_each_id("/proc", [&](pid_t pid) {
    left = leave_ours_in(pid, UndoOwner::self()) && left;
    return true;
  });
  return left;
}

// A thread that waits for a disk, or for a process that it forked to execute a program, cannot be
// stopped until then. Who was forked while its parent was put back is seen in the next round.
void Theatre::close() {
  constexpr uint64_t kPatienceNs = 3'000'000'000;
  constexpr useconds_t kBetween = 20'000;  // µs
  const uint64_t end_ns = monotonic_ns() + kPatienceNs;
  for (bool again = any_; again && monotonic_ns() < end_ns;) {
    again = false;
    for (auto one = patients_.begin(); one != patients_.end();) {
      auto& [pid, patient] = *one;
      const bool gone = !patient.is_in(pid) || patient.leave();
      one = gone ? patients_.erase(one) : std::next(one);
      again |= !gone;
    }
    again |= !leave_forks();
    if (again) ::usleep(kBetween);
  }
}

}  // namespace compmond::inprocess
