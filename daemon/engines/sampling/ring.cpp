// SPDX-License-Identifier: Apache-2.0
#include "sampler/ring.h"

#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace compmond::sampler {
namespace {

uint64_t position(const std::byte* page) {
  return __atomic_load_n(reinterpret_cast<const uint64_t*>(page), __ATOMIC_ACQUIRE);
}

}  // namespace

Result<Ring> Ring::open(int map_fd, size_t bytes) {
  Ring ring;
  ring.fd_ = map_fd;
  ring.bytes_ = bytes;
  ring.page_ = size_t(::sysconf(_SC_PAGESIZE));
  void* consumer = ::mmap(nullptr, ring.page_, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
  if (consumer == MAP_FAILED)
    return fail_errno(Exit::kUnavailable, "cannot map a ring buffer", errno);
  ring.consumer_ = static_cast<std::byte*>(consumer);
  const size_t size = ring.page_ + 2 * bytes;
  void* producer = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, map_fd, off_t(ring.page_));
  if (producer == MAP_FAILED)
    return fail_errno(Exit::kUnavailable, "cannot map a ring buffer", errno);
  ring.producer_ = static_cast<std::byte*>(producer);
  if (::madvise(producer, size, MADV_DONTDUMP) != 0)
    return fail_errno(Exit::kUnavailable, "cannot keep a ring buffer out of core dumps", errno);
  ring.read_ = position(ring.consumer_);
  return ring;
}

Ring::Ring(Ring&& other) noexcept
    : fd_(other.fd_),
      bytes_(other.bytes_),
      page_(other.page_),
      consumer_(std::exchange(other.consumer_, nullptr)),
      producer_(std::exchange(other.producer_, nullptr)),
      read_(other.read_) {}

Ring::~Ring() {
  if (consumer_) ::munmap(consumer_, page_);
  if (producer_) ::munmap(producer_, page_ + 2 * bytes_);
}

uint64_t Ring::written() const { return position(producer_); }

void Ring::read(uint64_t until, const std::function<void(std::span<const std::byte>)>& take) {
  while (read_ < until) {
    const std::byte* record = producer_ + page_ + (read_ & (bytes_ - 1));
    const uint32_t head =
        __atomic_load_n(reinterpret_cast<const uint32_t*>(record), __ATOMIC_ACQUIRE);
    if (head & BPF_RINGBUF_BUSY_BIT) return;
    const uint32_t size = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
    read_ += (uint64_t(size) + BPF_RINGBUF_HDR_SZ + 7) & ~uint64_t(7);
    if (!(head & BPF_RINGBUF_DISCARD_BIT)) take({record + BPF_RINGBUF_HDR_SZ, size});
  }
}

void Ring::release() {
  __atomic_store_n(reinterpret_cast<uint64_t*>(consumer_), read_, __ATOMIC_RELEASE);
}

}  // namespace compmond::sampler
