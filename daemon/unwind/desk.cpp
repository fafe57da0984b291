// SPDX-License-Identifier: Apache-2.0
#include "unwind/desk.h"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace compmond::unwind {
namespace {

constexpr size_t kHead = sizeof(cm_sample);

size_t rounded(size_t size) { return (size + 7) / 8 * 8; }

}  // namespace

void Desk::Unmap::operator()(Memory* memory) const { ::munmap(memory, sizeof *memory); }

Result<Desk> Desk::make() {
  void* at =
      ::mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    return fail_errno(Exit::kUnavailable, "cannot share memory with a process", errno);
  Desk out(new (at) Memory);
  if (::madvise(at, sizeof(Memory), MADV_DONTDUMP) != 0)
    return fail_errno(Exit::kUnavailable, "cannot keep memory out of core dumps", errno);
  return out;
}

size_t Desk::lay(std::span<const sampling::RawSample> samples) {
  progress().samples = 0;
  progress().image = sampling::kNoImage;
  used_ = 0;
  size_t count = 0;
  for (const sampling::RawSample& sample : samples) {
    cm_sample head = *sample.head;
    head.stack_bytes = uint32_t(std::min(sample.stack.size(), kBytes - kHead));
    if (kHead + rounded(head.stack_bytes) > kBytes - used_) break;
    std::memcpy(memory_->bytes + used_, &head, kHead);
    if (head.stack_bytes > 0)
      std::memcpy(memory_->bytes + used_ + kHead, sample.stack.data(), head.stack_bytes);
    used_ += kHead + rounded(head.stack_bytes);
    ++count;
  }
  return count;
}

bool Desk::take(size_t* at, sampling::RawSample* out) const {
  if (*at > kBytes || kBytes - *at < kHead) return false;
  const auto* head = reinterpret_cast<const cm_sample*>(memory_->bytes + *at);
  const size_t stack = *at + kHead;
  if (rounded(head->stack_bytes) > kBytes - stack) return false;
  *out = {head, {memory_->bytes + stack, head->stack_bytes}};
  *at = stack + rounded(head->stack_bytes);
  return true;
}

void Desk::wipe(size_t from, size_t to) { ::explicit_bzero(memory_->bytes + from, to - from); }

}  // namespace compmond::unwind
