// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "code/insn.h"
#include "code/memory.h"
#include "patches/patch.h"

namespace compmond::inprocess {

// What a record's number stands for.
struct Site {
  enum class Kind : uint8_t {
    kEntry,
    kExit,
    kValue,  // of a register, in place of %rsp: those of an entry come right before it, as asked
  };
  uint32_t function = 0;  // the caller's number of it
  Kind kind = Kind::kEntry;
  uint8_t depth = 0;   // add this to a record's %rsp for that with which the function was called
  uint64_t place = 0;  // vaddr of the instruction by which the function is left; 0 of an entry
};

// Code for the patches of one image in one process: each records, does what it moved, and goes on
// where the patch ends. Pure; one thread.
class Trampolines {
 public:
  struct Place {
    uint64_t bias = 0;        // of the image: address - vaddr
    uint64_t at = 0;          // where code()[0] will run
    uint64_t recorder = 0;    // likewise that of recorder.h
    uint32_t first_site = 1;  // a number of a site, never 0
  };
  // Bytes are read from `memory`, as they are before relocation; it must outlive this.
  Trampolines(const code::Memory& memory, Place place) : memory_(memory), place_(place) {}

  // Of one function that is not refused. False: something is out of reach (2 GiB), and nothing was
  // added.
  bool add(uint32_t function, const FunctionPatches& patches);

  const std::vector<uint8_t>& code() const { return code_; }
  // The first has the number `first_site`.
  std::span<const Site> sites() const { return sites_; }

  // Bytes for the target's code, in the order in which they have to be there: before them, no
  // thread may come to code(), after all, each may.
  struct Write {
    uint64_t at = 0;  // address
    uint8_t size = 0;
    std::array<uint8_t, Patch::kJump> bytes{};
  };
  const std::vector<Write>& writes() const { return writes_; }

  // Each moved instruction: a thread that is at `original` when bytes are written over it goes on
  // at `moved`, and the other way round when they are put back. Addresses.
  struct Twin {
    uint64_t original = 0, moved = 0;
  };
  const std::vector<Twin>& twins() const { return twins_; }

  // What code() is for, from `at` (an address) on: a thread there is as if it were at `original`,
  // with %rsp so many bytes higher.
  struct Stretch {
    uint64_t at = 0, original = 0;
    uint8_t depth = 0;
  };
  const std::vector<Stretch>& stretches() const { return stretches_; }

  // Four bytes of code() that depend on the place.
  enum class Relative : uint8_t {
    kToImage,     // a distance, from there to the image
    kToRecorder,  // likewise, or into it
    kSite,        // no distance: the number of a site
  };
  struct Fixup {
    uint32_t at = 0;
    Relative to = Relative::kToImage;
  };
  const std::vector<Fixup>& fixups() const { return fixups_; }

 private:
  struct Mark {
    size_t code, sites, writes, twins, fixups, stretches;
  };
  bool add(uint32_t function, const Patch& patch, bool entry, std::span<const uint8_t> values);
  bool move(uint32_t function, const code::Insn& insn, std::span<const uint8_t> bytes, bool exit);
  bool leave(uint32_t function, const code::Insn& insn, std::span<const uint8_t> bytes);
  bool record_jump(uint32_t function, uint64_t vaddr);
  bool record(Site site, uint64_t vaddr, uint8_t depth, int value = -1);
  void begin(uint64_t vaddr, uint8_t depth);
  bool do_here(const code::Insn& insn, std::span<const uint8_t> bytes);
  bool go_to(uint64_t vaddr);
  void fix(size_t at, Relative to) { fixups_.push_back({uint32_t(at), to}); }
  bool write(const Patch& patch, uint64_t to);
  uint64_t here() const { return place_.at + code_.size(); }

  const code::Memory& memory_;
  const Place place_;
  std::vector<uint8_t> code_;
  std::vector<Site> sites_;
  std::vector<Write> writes_;
  std::vector<Twin> twins_;
  std::vector<Fixup> fixups_;
  std::vector<Stretch> stretches_;
};

}  // namespace compmond::inprocess
