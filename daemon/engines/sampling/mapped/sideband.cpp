// SPDX-License-Identifier: Apache-2.0
#include "mapped_code/sideband.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "base/fd.h"
#include "mapped_code/cpus.h"

namespace compmond::sampler {
namespace {

constexpr const char* kWhat = "cannot see what code processes map";
// A thousand mappings in 100 ms; within what each user may lock (kernel.perf_event_mlock_kb).
constexpr size_t kBytes = 128u << 10;

perf_event_attr attributes() {
  perf_event_attr out{};
  out.size = sizeof out;
  out.type = PERF_TYPE_SOFTWARE;
  out.config = PERF_COUNT_SW_DUMMY;
  out.sample_type = PERF_SAMPLE_TIME;
  out.sample_id_all = 1;
  out.mmap = out.mmap2 = 1;
  out.comm = out.comm_exec = 1;
  out.use_clockid = 1;
  out.clockid = CLOCK_MONOTONIC;
  out.watermark = 1;  // it is read now and then: who waits does so for room
  out.wakeup_watermark = kBytes / 4;
  return out;
}

}  // namespace

struct Sideband::Cpu {
  Fd event;
  std::byte* memory;
  size_t page;
  Cpu(Fd from, std::byte* at, size_t page_bytes)
      : event(std::move(from)), memory(at), page(page_bytes) {}
  Cpu(Cpu&& other) noexcept
      : event(std::move(other.event)),
        memory(std::exchange(other.memory, nullptr)),
        page(other.page) {}
  ~Cpu() {
    if (memory) ::munmap(memory, page + kBytes);
  }
  perf_event_mmap_page& head() const { return *reinterpret_cast<perf_event_mmap_page*>(memory); }
  void read(std::vector<std::byte>& out) const;
};

// Appends what is told by now.
void Sideband::Cpu::read(std::vector<std::byte>& out) const {
  const uint64_t end = __atomic_load_n(&head().data_head, __ATOMIC_ACQUIRE);
  const uint64_t begin = head().data_tail;
  const size_t size = size_t(std::min<uint64_t>(end - begin, kBytes));
  const size_t at = begin % kBytes, first = std::min(size, kBytes - at);
  const std::byte* data = memory + page;
  out.insert(out.end(), data + at, data + at + first);
  out.insert(out.end(), data, data + size - first);
  __atomic_store_n(&head().data_tail, end, __ATOMIC_RELEASE);
}

Sideband::Sideband() = default;
Sideband::Sideband(Sideband&&) noexcept = default;
Sideband::~Sideband() = default;

Result<Sideband> Sideband::open() {
  Sideband out;
  const size_t page = size_t(::sysconf(_SC_PAGESIZE));
  auto opened = open_on_cpus(attributes(), kWhat, [&](unsigned, Fd event) -> Result<void> {
    void* memory =
        ::mmap(nullptr, page + kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, event.get(), 0);
    if (memory == MAP_FAILED)
      return fail_errno(Exit::kUnavailable, kWhat, errno,
                        "Other users of perf may take its memory; see kernel.perf_event_mlock_kb.");
    out.cpus_.emplace_back(std::move(event), static_cast<std::byte*>(memory), page);
    return {};
  });
  if (!opened) return Unexpected(opened.error());
  return out;
}

std::vector<int> Sideband::descriptors() const {
  std::vector<int> out;
  for (const Cpu& cpu : cpus_) out.push_back(cpu.event.get());
  return out;
}

void Sideband::fetch() {
  for (const Cpu& cpu : cpus_) cpu.read(fetched_);
}

void Sideband::parse(const std::function<bool(uint32_t)>& wanted, std::vector<SidebandEvent>& out) {
  malformed_ += parse_sideband(fetched_, wanted, out);
  fetched_.clear();
}

}  // namespace compmond::sampler
