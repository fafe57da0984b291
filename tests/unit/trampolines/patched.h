// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../code/assembled.h"
#include "code/memory.h"
#include "patches/patcher.h"
#include "trampolines/recorder.h"
#include "trampolines/recording.h"
#include "trampolines/trampolines.h"

// As function(), for calls of others that lead to it at once.
inline std::string own(const std::string& name, const std::string& body) {
  return ".hidden " + name + "\n" + function(name, body);
}

// Code, assembled while the test runs, that runs in it: as it is, and patched.
class Patched {
 public:
  struct Room {
    uint64_t threads = 64, ring = 1 << 12;  // powers of two
    std::vector<uint8_t> values = {};       // registers that entries tell of
  };
  // Patches `functions`; all of one that is refused fails.
  Patched(const std::string& assembly, const std::vector<std::string>& functions, Room room)
      : code_(assembly),
        memory_(compmond::code::memory_of(code_.image())),
        threads_(room.threads + RECORDING_PROBES - 1),
        records_(threads_.size() * room.ring) {
    for (size_t i = 0; i < threads_.size(); ++i) {
      threads_[i].ring = uint64_t(&records_[i * room.ring]);
      threads_[i].limit = UINT64_MAX;
    }
    ring_ = room.ring;
    map();
    plan(functions, room.values);
    const auto recorder = compmond::inprocess::recorder({.tid_offset = kTid,
                                                         .threads = uint64_t(threads_.data()),
                                                         .threads_mask = room.threads - 1,
                                                         .ring_mask = room.ring - 1,
                                                         .shared = uint64_t(&shared)});
    std::memcpy(base_ + kRecorder, recorder.data(), recorder.size());
  }
  explicit Patched(const std::string& assembly, const std::vector<std::string>& functions = {"f"})
      : Patched(assembly, functions, Room()) {}
  ~Patched() { ::munmap(base_, kSize); }
  Patched(const Patched&) = delete;
  Patched& operator=(const Patched&) = delete;

  // A function of this name and type.
  template <class Function>
  Function* get(const std::string& name) const {
    return reinterpret_cast<Function*>(base_ + code_.symbol(name).vaddr);
  }
  void patch() {
    for (const auto& write : trampolines().writes())
      std::memcpy(reinterpret_cast<void*>(write.at), write.bytes.data(), write.size);
  }
  const compmond::inprocess::Trampolines& trampolines() const { return *trampolines_; }
  std::vector<compmond::inprocess::ThreadRecords>& threads() { return threads_; }
  compmond::inprocess::ThreadRecords& thread(uint32_t tid) {
    const auto found = std::ranges::find(threads_, tid, &compmond::inprocess::ThreadRecords::tid);
    REQUIRE(found != threads_.end());
    return *found;
  }
  // Of a thread that has made no more than a ring holds.
  std::vector<compmond::inprocess::Record> records(uint32_t tid) {
    const auto& of = thread(tid);
    REQUIRE(of.begun <= ring_);
    const auto* first = reinterpret_cast<const compmond::inprocess::Record*>(of.ring);
    return {first, first + of.begun};
  }
  uint64_t begun() const {
    uint64_t out = 0;
    for (const auto& one : threads_) out += one.begun;
    return out;
  }
  compmond::inprocess::Recording shared;
  std::vector<compmond::inprocess::PatchKind> kinds;  // of all patches, in order

 private:
  static constexpr int64_t kTid = 0x2d0;  // of glibc's threads on x86-64
  static constexpr size_t kSize = 1 << 20, kRecorder = 3 << 18, kTrampolines = 1 << 19;

  void map() {
    base_ = static_cast<uint8_t*>(::mmap(nullptr, kSize, PROT_READ | PROT_WRITE | PROT_EXEC,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(base_ != MAP_FAILED);
    for (const auto& range : memory_->text()) {
      const auto bytes = memory_->read(range.vaddr, range.size);
      std::memcpy(base_ + range.vaddr, bytes.data(), bytes.size());
    }
  }
  void plan(const std::vector<std::string>& functions, const std::vector<uint8_t>& values) {
    const auto base = uint64_t(base_);
    trampolines_.emplace(
        *memory_, compmond::inprocess::Trampolines::Place{
                      .bias = base, .at = base + kTrampolines, .recorder = base + kRecorder});
    compmond::inprocess::Patcher patcher(code_.image());
    for (size_t i = 0; i < functions.size(); ++i) {
      const auto found = patcher.plan(code_.symbol(functions[i]), {.values = values});
      if (found.refused()) FAIL(functions[i], ": ", found.refusal);
      REQUIRE(trampolines_->add(uint32_t(i), found));
      for (const auto& patch : found.patches) kinds.push_back(patch.kind);
    }
    const auto& code = trampolines_->code();
    REQUIRE(code.size() < kRecorder - kTrampolines);
    std::memcpy(base_ + kTrampolines, code.data(), code.size());
  }

  Assembled code_;
  std::unique_ptr<compmond::code::Memory> memory_;
  std::vector<compmond::inprocess::ThreadRecords> threads_;
  std::vector<compmond::inprocess::Record> records_;
  uint64_t ring_ = 0;
  uint8_t* base_ = nullptr;
  std::optional<compmond::inprocess::Trampolines> trampolines_;
};
