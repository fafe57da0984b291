// SPDX-License-Identifier: Apache-2.0
#include "inprocess/source.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "core/limits.h"
#include "target/proc_folder.h"
#include "text/numbers.h"

namespace compmond::inprocess {
namespace {

// To whose process it belongs is what the kernel says, not the memory.
std::optional<record::ThreadInfo> who(uint32_t tid) {
  const std::string folder = fmt::format("/proc/{}", tid);
  const auto stat = target::read_stat(folder);
  if (!stat) return std::nullopt;
  record::ThreadInfo out{.pid = 0, .tid = tid, .name = stat->name};
  const long per_second = ::sysconf(_SC_CLK_TCK);
  out.start_ns = stat->start_ticks * (1'000'000'000 / uint64_t(std::max(1L, per_second)));
  std::ifstream status(folder + "/status");
  for (std::string key; status >> key;)
    if (key == "Tgid:") {
      status >> out.pid;
      break;
    }
  return out.pid == 0 ? std::nullopt : std::optional(out);
}

bool any(uint32_t tid) { return ::access(fmt::format("/proc/{}", tid).c_str(), F_OK) == 0; }

}  // namespace

Result<SharedMemory> SharedMemory::map(const Fd& file, size_t size) {
  void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED)
    return fail_errno(Exit::kUnavailable, "cannot map what a process shares", errno);
  return SharedMemory({static_cast<std::byte*>(at), size});
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

// Of one process and all that it ever forks, one after the other.
constexpr uint32_t kThreads = 64 * limits::kThreadSlots;

struct Source::One {
  One(SharedMemory of, const SharedLayout& layout, uint32_t operations)
      : memory(std::move(of)),
        reader({.memory = memory.bytes(), .layout = layout, .who = who, .any = any}),
        checked(reader, {.operations = operations, .threads = kThreads}) {}
  SharedMemory memory;
  RingReader reader;
  record::CheckedSource checked;
  std::vector<record::ThreadId> threads;  // ours, by its own; kNobody: it is not told of
};

constexpr record::ThreadId kNobody = UINT32_MAX;

class Source::Gate : public record::EventSink {
 public:
  Gate(Source& source, One& one, record::EventSink& sink)
      : source_(source), one_(one), sink_(sink) {}
  void on_thread(record::ThreadId thread, const record::ThreadInfo& info) override {
    one_.threads.resize(std::max<size_t>(one_.threads.size(), thread + 1), kNobody);
    if (!source_.forks_ && info.pid != 0 && !source_.known_.contains(pid_t(info.pid))) return;
    one_.threads[thread] = source_.threads_++;
    record::ThreadInfo told = info;
    told.or_nobody = !source_.forks_;
    sink_.on_thread(one_.threads[thread], told);
  }
  void on_events(record::ThreadId thread, std::span<const record::Event> events) override {
    if (one_.threads[thread] == kNobody) return;
    if (source_.recorded(events.front().time_ns, events.back().time_ns))
      return sink_.on_events(one_.threads[thread], events);
    on_.clear();
    std::ranges::copy_if(events, std::back_inserter(on_), [&](const record::Event& event) {
      return source_.recorded(event.time_ns, event.time_ns);
    });
    if (!on_.empty()) sink_.on_events(one_.threads[thread], on_);
  }

 private:
  Source& source_;
  One& one_;
  record::EventSink& sink_;
  std::vector<record::Event> on_;
};

Source::Source(std::vector<SiteEvent> sites, uint32_t operations, bool forks)
    : sites_(std::move(sites)), operations_(operations), forks_(forks), now_ns_(monotonic_ns()) {}

Source::~Source() = default;

void Source::add(SharedMemory memory, const SharedLayout& layout) {
  auto one = std::make_unique<One>(std::move(memory), layout, operations_);
  one->reader.add_sites(sites_);
  const std::lock_guard lock(mutex_);
  all_.push_back(std::move(one));
}

void Source::know(pid_t pid) {
  const std::lock_guard lock(mutex_);
  known_.insert(pid);
}

std::vector<std::string> Source::notes() const {
  const std::lock_guard lock(mutex_);
  uint64_t broken = 0;
  double off_ns = 0;
  for (const auto& one : all_) {
    broken += one->reader.broken();
    off_ns = std::max(off_ns, one->reader.clock().most_off_ns());
  }
  std::vector<std::string> out;
  if (broken > 0)
    out.push_back(fmt::format(
        "what {} recorded cannot be: two write to one place (as where a program forks without its "
        "C library), or the program itself does. Their calls since are not counted",
        broken == 1 ? "a thread" : fmt::format("{} threads", broken)));
  if (ledger_.lost_ring > 0)
    out.push_back(fmt::format(
        "{} of patched functions {} lost, as they came faster than they were read: their buffers "
        "are in the processes, and --ring does not enlarge them. Observe fewer of the hottest "
        "functions: those with the most calls in the table",
        text::counted(ledger_.lost_ring, "record"), ledger_.lost_ring == 1 ? "was" : "were"));
  if (ledger_.lost_slots > 0)
    out.push_back(fmt::format(
        "{} of patched functions {} lost, as threads came faster than the places of ended ones are "
        "free again: a process has as many as it gets when it is patched, of which each thread "
        "takes one. Attach once it has its threads, or observe those functions by probes "
        "(\"engine\": \"uprobe\")",
        text::counted(ledger_.lost_slots, "record"), ledger_.lost_slots == 1 ? "was" : "were"));
  constexpr double kMostOffNs = 2'000;  // a machine that is busy itself looks away that long
  if (off_ns > kMostOffNs)
    out.push_back(fmt::format(
        "the processor's counter went otherwise than the clock by up to {}: times of patched "
        "functions may be off by that much, and stand beside those of probes and samples so",
        text::duration(off_ns)));
  return out;
}

void Source::record(engine::Recording recording) {
  const std::lock_guard lock(mutex_);
  const uint64_t now_ns = monotonic_ns();
  if (!on_.empty()) on_.back().end_ns = std::min(on_.back().end_ns, now_ns);
  constexpr size_t kKept = 8;
  if (on_.size() == kKept) on_.erase(on_.begin());
  if (recording == engine::Recording::kOn) on_.push_back({now_ns, UINT64_MAX});
}

bool Source::recorded(uint64_t from_ns, uint64_t to_ns) const {
  return std::ranges::any_of(
      on_, [&](const Window& one) { return from_ns >= one.start_ns && to_ns < one.end_ns; });
}

size_t Source::drain(record::EventSink& sink) {
  const std::lock_guard lock(mutex_);
  uint64_t now_ns = monotonic_ns();
  size_t out = 0;
  record::Ledger sum;
  hurries_ = false;
  for (const auto& one : all_) {
    Gate gate(*this, *one, sink);
    out += one->checked.drain(gate);
    hurries_ |= one->reader.hurries();
    now_ns = std::min(now_ns, one->checked.now_ns());
    const record::Ledger its = one->checked.ledger(), memory = one->reader.ledger();
    sum.hits += its.hits + memory.lost_slots + memory.pending;
    sum.delivered += its.delivered;
    sum.lost_ring += its.lost_ring;
    sum.lost_refused += its.lost_refused;
    sum.lost_slots += memory.lost_slots;
    sum.pending += memory.pending;
  }
  ledger_ = sum;
  now_ns_ = std::max(now_ns_, now_ns);
  return out;
}

record::Ledger Source::ledger() const { return ledger_; }

}  // namespace compmond::inprocess
