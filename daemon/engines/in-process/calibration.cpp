// SPDX-License-Identifier: Apache-2.0
#include "inprocess/calibration.h"

#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "core/middle.h"
#include "inprocess/planner.h"
#include "trampolines/recorder.h"
#include "trampolines/recording.h"
#include "trampolines/trampolines.h"

namespace compmond::inprocess {
namespace {

using spec::ExitMode;

constexpr uint64_t kApart = 64;  // bytes between two functions
constexpr int kRounds = 20, kCallsPerRound = 1000;
constexpr uint64_t kRing = 4096, kThreads = 1;  // records; a power of two

// push %rbx; add $0x1000,%rax; pop %rbx; ret; padding
const std::vector<uint8_t> kPushed = {0x53, 0x48, 0x05, 0, 0x10, 0, 0, 0x5b, 0xc3};
// sub $8,%rsp; call +59 (the function behind it); add $8,%rsp; ret
const std::vector<uint8_t> kCalling = {0x48, 0x83, 0xec, 8,    0xe8, kApart - 9, 0,
                                       0,    0,    0x48, 0x83, 0xc4, 8,          0xc3};
const std::vector<uint8_t> kReturn = {0xc3};
// mov %rdi,%rax; nop of 5 bytes; ret; padding
const std::vector<uint8_t> kShort = {0x48, 0x89, 0xf8, 0x0f, 0x1f, 0x44, 0, 0, 0xc3};

// A function, and how it is patched when it begins at 0.
struct Sample {
  const char* site;
  ExitMode exit;
  std::vector<uint8_t> code;
  std::vector<Patch> patches;
};

Patch patch(PatchKind kind, uint64_t at, uint8_t depth, uint8_t length, uint64_t springboard = 0) {
  Patch out;
  out.kind = kind;
  out.at = at;
  out.depth = depth;
  out.springboard = springboard;
  if (springboard) out.size = Patch::kShortJump;
  out.moved.push_back({at, length, kind == PatchKind::kReturn});
  return out;
}

const std::vector<Sample>& samples() {
  const Patch jump = patch(PatchKind::kBehindFirst, 1, 8, 6);
  const Patch call = patch(PatchKind::kFirstCall, 4, 16, 5);
  const Patch by_short = patch(PatchKind::kShortEntry, 0, 0, 3, 40);
  const auto exit = [](uint64_t at) { return patch(PatchKind::kReturn, at, 0, 1); };
  static const std::vector<Sample> all = {
      {"jump", ExitMode::kRetSites, kPushed, {jump, exit(8)}},
      {"jump", ExitMode::kEntryOnly, kPushed, {jump}},
      {"call", ExitMode::kRetSites, kCalling, {call, exit(13)}},
      {"", ExitMode::kAuto, kReturn, {}},  // which that calls
      {"call", ExitMode::kEntryOnly, kCalling, {call}},
      {"", ExitMode::kAuto, kReturn, {}},
      {"short", ExitMode::kRetSites, kShort, {by_short, exit(8)}},
      {"short", ExitMode::kEntryOnly, kShort, {by_short}},
  };
  return all;
}

// All of them, from address 0 on.
class Bytes : public code::Memory {
 public:
  Bytes() {
    for (const Sample& sample : samples()) {
      bytes_.insert(bytes_.end(), sample.code.begin(), sample.code.end());
      bytes_.resize((bytes_.size() + kApart - 1) / kApart * kApart, 0x90);
    }
    text_.push_back({0, bytes_.size()});
  }
  std::vector<uint8_t> read(uint64_t vaddr, uint64_t size) const override {
    if (vaddr >= bytes_.size()) return {};
    const auto first = bytes_.begin() + ptrdiff_t(vaddr);
    return {first, first + ptrdiff_t(std::min<uint64_t>(size, bytes_.size() - vaddr))};
  }
  const std::vector<elf::Image::Range>& text() const override { return text_; }
  uint64_t region_size(uint64_t) const override { return 0; }
  const std::vector<uint8_t>& all() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
  std::vector<elf::Image::Range> text_;
};

uint32_t at_thread(int64_t offset) {
  uint32_t out;
  __asm__("movl %%fs:(%1), %0" : "=r"(out) : "r"(offset));
  return out;
}

// Memory of one's own, written first and run then.
class Code {
 public:
  static constexpr size_t kSize = 1 << 16, kPatched = 1 << 13, kTrampolines = 1 << 14,
                          kRecorder = 1 << 15;
  Code()
      : base_(::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Code() {
    if (mapped()) ::munmap(base_, kSize);
  }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  bool mapped() const { return base_ != MAP_FAILED; }
  bool close() const { return ::mprotect(base_, kSize, PROT_READ | PROT_EXEC) == 0; }
  uint64_t at(size_t offset) const { return uint64_t(base_) + offset; }
  void put(size_t offset, const uint8_t* bytes, size_t size) {
    std::memcpy(reinterpret_cast<void*>(at(offset)), bytes, size);
  }

 private:
  void* base_;
};

// The functions as they are and patched, and what records.
class Bench {
 public:
  // False: code cannot be made here.
  bool make(int64_t tid_offset) {
    if (!code_.mapped()) return false;
    for (size_t i = 0; i < threads_.size(); ++i) {
      threads_[i].ring = uint64_t(records_.data() + i * kRing);
      threads_[i].limit = UINT64_MAX;
    }
    const auto recorder = inprocess::recorder(
        {tid_offset, uint64_t(threads_.data()), kThreads - 1, kRing - 1, uint64_t(&shared_)});
    code_.put(Code::kRecorder, recorder.data(), recorder.size());
    for (const size_t to : {size_t(0), Code::kPatched})
      code_.put(to, bytes_.all().data(), bytes_.all().size());
    return patch() && code_.close();
  }
  void call(size_t sample, bool patched) const {
    reinterpret_cast<void (*)()>(code_.at((patched ? Code::kPatched : 0) + sample * kApart))();
  }
  // Ticks between entry and exit, of the calls since the last time; no more than a ring holds.
  std::vector<double> take_inside() {
    std::vector<double> out;
    const ThreadRecords& own = *claimed();
    const auto* ring = reinterpret_cast<const Record*>(own.ring);
    for (; taken_ + 1 < own.begun; taken_ += 2) {
      const Record &entry = ring[taken_ % kRing], &exit = ring[(taken_ + 1) % kRing];
      out.push_back(double(exit.ticks) - double(entry.ticks));
    }
    return out;
  }
  void forget() { taken_ = claimed()->begun; }

 private:
  bool patch() {
    Trampolines trampolines(bytes_, {.bias = code_.at(Code::kPatched),
                                     .at = code_.at(Code::kTrampolines),
                                     .recorder = code_.at(Code::kRecorder)});
    for (size_t i = 0; i < samples().size(); ++i) {
      FunctionPatches patches;
      patches.patches = samples()[i].patches;
      for (Patch& one : patches.patches) {
        one.at += i * kApart;
        if (one.springboard) one.springboard += i * kApart;
        for (Patch::Moved& moved : one.moved) moved.vaddr += i * kApart;
      }
      if (!trampolines.add(uint32_t(i), patches)) return false;
    }
    code_.put(Code::kTrampolines, trampolines.code().data(), trampolines.code().size());
    for (const Trampolines::Write& write : trampolines.writes())
      std::memcpy(reinterpret_cast<void*>(write.at), write.bytes.data(), write.size);
    return true;
  }
  const ThreadRecords* claimed() const {
    for (const ThreadRecords& one : threads_)
      if (one.tid != 0) return &one;
    return threads_.data();
  }

  Bytes bytes_;
  Code code_;
  std::vector<ThreadRecords> threads_{kThreads + RECORDING_PROBES - 1};
  std::vector<Record> records_{threads_.size() * kRing};
  Recording shared_;
  uint64_t taken_ = 0;
};

// Of one sample, ns of a call in each round; ticks between the records.
struct Times {
  std::vector<double> plain, patched, inside;
};

double ns_per_call(const Bench& bench, size_t sample, bool patched) {
  const uint64_t begin = monotonic_ns();
  for (int i = 0; i < kCallsPerRound; ++i) bench.call(sample, patched);
  return double(monotonic_ns() - begin) / kCallsPerRound;
}

plan::Costs measure(Bench& bench) {
  std::vector<Times> times(samples().size());
  const uint64_t began_ns = monotonic_ns(), began = __rdtsc();
  for (int round = 0; round <= kRounds; ++round)
    for (size_t i = 0; i < samples().size(); ++i) {
      if (samples()[i].patches.empty()) continue;
      times[i].plain.push_back(ns_per_call(bench, i, false));
      bench.forget();
      times[i].patched.push_back(ns_per_call(bench, i, true));
      if (samples()[i].exit == ExitMode::kEntryOnly) continue;
      const auto inside = bench.take_inside();
      times[i].inside.insert(times[i].inside.end(), inside.begin(), inside.end());
    }
  const double ns_per_tick = double(monotonic_ns() - began_ns) / double(__rdtsc() - began);

  plan::Costs out;
  for (const ExitMode mode : {ExitMode::kEntryOnly, ExitMode::kRetSites})
    for (size_t i = 0; i < samples().size(); ++i) {
      const Sample& sample = samples()[i];
      if (sample.exit != mode || sample.patches.empty()) continue;
      const double all = std::max(0.0, middle_of(times[i].patched) - middle_of(times[i].plain));
      plan::Cost cost;
      cost.inside_ns = std::min(all, middle_of(times[i].inside) * ns_per_tick);
      cost.outside_ns = all - cost.inside_ns;
      if (mode == ExitMode::kRetSites)
        cost.know_entry(out.at(kEngine, sample.site, ExitMode::kEntryOnly));
      out.set(kEngine, sample.site, mode, cost);
    }
  return out;
}

}  // namespace

Result<plan::Costs> measured_costs() {
  constexpr std::array<int64_t, 2> kTids = {0x2d0, 0x30};  // glibc's threads, musl's
  const auto tid = uint32_t(::gettid());
  for (const int64_t offset : kTids) {
    if (at_thread(offset) != tid) continue;
    Bench bench;
    if (!bench.make(offset))
      return fail(Exit::kUnavailable, "what patched code costs was not measured",
                  "this process may not run code that it made", "");
    return measure(bench);
  }
  return fail(Exit::kUnavailable, "what patched code costs was not measured",
              "where this C library keeps a thread's number is not known", "");
}

}  // namespace compmond::inprocess
