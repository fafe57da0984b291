// SPDX-License-Identifier: Apache-2.0
#include "surgeon/theatre.h"

#include <fmt/format.h>

#include <utility>

#include "guard/channel.h"

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
    auto refused = found->second.patch(request.functions);
    if (refused)
      reply.refused = std::move(*refused);
    else
      done = Unexpected(refused.error());
  } else {
    done = found->second.put_back(request.numbers);
  }
  reply.failure = guard::packed(done);
  return reply;
}

// One that has the memory of another one is its fork.
const Patient* Theatre::parent_of(pid_t pid) const {
  for (const auto& [other, patient] : patients_)
    if (patient.is_in(pid)) return &patient;
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
  auto patient = Patient::open(pid, layout_);
  if (!patient) return Unexpected(patient.error());
  auto shared = patient->shared();
  if (!shared) {
    (void)patient->leave();
    return Unexpected(shared.error());
  }
  patients_.emplace(pid, std::move(*patient));
  file = std::move(*shared);
  reply.file = true;
  return {};
}

void Theatre::close() {
  for (auto& [pid, patient] : patients_)
    if (patient.is_in(pid)) (void)patient.leave();
  patients_.clear();
}

}  // namespace compmond::inprocess
