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
  (void)::mlock(at, sizeof(Memory));  // out of swap too, as far as RLIMIT_MEMLOCK allows
  return out;
}

size_t Desk::lay(std::span<const sampling::RawSample> samples) {
  progress().samples = 0;
  progress().image = sampling::kNoImage;
  used_ = 0;
  size_t count = 0;
  for (const sampling::RawSample& sample : samples) {
    cm_sample head = *sample.head;
    head.returns = uint32_t(std::min<size_t>(sample.returns.size(), CM_RETURNS));
    const size_t before = kHead + head.returns * sizeof(cm_return);
    head.stack_bytes = uint32_t(std::min(sample.stack.size(), kBytes - before));
    if (before + rounded(head.stack_bytes) > kBytes - used_) break;
    std::byte* at = memory_->bytes + used_;
    std::memcpy(at, &head, kHead);
    if (head.returns > 0) std::memcpy(at + kHead, sample.returns.data(), before - kHead);
    if (head.stack_bytes > 0) std::memcpy(at + before, sample.stack.data(), head.stack_bytes);
    used_ += before + rounded(head.stack_bytes);
    ++count;
  }
  return count;
}

bool Desk::take(size_t* at, sampling::RawSample* out) const {
  if (*at > kBytes || kBytes - *at < kHead) return false;
  const auto* head = reinterpret_cast<const cm_sample*>(memory_->bytes + *at);
  if (head->returns > CM_RETURNS) return false;
  const auto* returns = reinterpret_cast<const cm_return*>(head + 1);
  const size_t stack = *at + kHead + head->returns * sizeof(cm_return);
  if (stack > kBytes || rounded(head->stack_bytes) > kBytes - stack) return false;
  *out = {head, {memory_->bytes + stack, head->stack_bytes}, {returns, head->returns}};
  *at = stack + rounded(head->stack_bytes);
  return true;
}

void Desk::wipe(size_t from, size_t to) { ::explicit_bzero(memory_->bytes + from, to - from); }

}  // namespace compmond::unwind
