// SPDX-License-Identifier: Apache-2.0
#include "patches/restartable.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "code/insn.h"
#include "code/memory.h"
#include "elf/elf_file.h"
#include "elf/links.h"

namespace compmond::inprocess {
namespace {

using Stretch = elf::Image::Range;

// RSEQ_SIG of <sys/rseq.h>: what is before each handler, since a thread has one signature and the C
// library registers this one.
constexpr uint32_t kSignature = 0x53053053;
constexpr std::string_view kSections = "__rseq_cs";            // their names, or how they begin
constexpr std::string_view kPointers = "__rseq_cs_ptr_array";  // one of these: addresses of others
constexpr size_t kMostSequences = 1 << 16;  // of each kind, in a file that may be hostile
constexpr uint64_t kBytesAtOnce = 4 << 20;  // in memory
constexpr unsigned kHandlerSteps = 16;      // instructions: usual ones are a jump
constexpr uint64_t kWord = sizeof(uint64_t);

// struct rseq_cs of <linux/rseq.h>.
struct Sequence {
  uint32_t version, flags;
  uint64_t start, size, handler;
};
constexpr uint64_t kStart = 8, kHandler = 24;  // offsets in it
static_assert(sizeof(Sequence) == 32);

class Sequences {
 public:
  Sequences(const elf::Image& image, const elf::ElfFile& file)
      : file_(file), memory_(code::memory_of(image)) {
    if (auto pointers = elf::read_relocated(image)) pointers_ = std::move(*pointers);
  }

  std::vector<Stretch> find() {
    find_signatures();
    look_into_sections();
    if (!signatures_.empty()) {
      look_behind_pointers();
      look_into_data();
    }
    for (const uint64_t signature : signatures_) add_handler(signature + sizeof kSignature);
    return apart();
  }

 private:
  void find_signatures() {
    const std::string_view wanted(reinterpret_cast<const char*>(&kSignature), sizeof kSignature);
    for (const Stretch& text : memory_->text())
      for (uint64_t done = 0; done < text.size; done += kBytesAtOnce) {
        const auto bytes = memory_->read(
            text.vaddr + done, std::min(text.size - done, kBytesAtOnce + sizeof kSignature - 1));
        const std::string_view code(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        for (size_t at = code.find(wanted); at != code.npos; at = code.find(wanted, at + 1)) {
          if (signatures_.size() == kMostSequences) return;
          signatures_.push_back(text.vaddr + done + at);
        }
      }
  }

  // With any signature.
  void look_into_sections() {
    looks_ = 0;
    for (const elf::Section& section : file_.sections()) {
      if (!section.name.starts_with(kSections) || !(section.header.sh_flags & SHF_ALLOC)) continue;
      const bool addresses = section.name.starts_with(kPointers);
      const uint64_t size = addresses ? kWord : sizeof(Sequence),
                     count = section.header.sh_size / size;
      for (uint64_t i = 0; i < count && looks_ < kMostSequences; ++i) {
        const uint64_t vaddr = section.header.sh_addr + i * size;
        look_at(addresses ? word(vaddr) : vaddr);
      }
    }
  }

  // What is not in a section of that name, or in a file without sections, shows by its handler.
  void look_behind_pointers() {
    looks_ = 0;
    for (const elf::Pointer& pointer : pointers_)
      if (is_handler(pointer.to)) look_at(pointer.at - kHandler);
  }

  void look_into_data() {
    looks_ = 0;
    uint64_t left = 2 * file_.file_size();  // segments may hold the same bytes many times
    for (const Elf64_Phdr& segment : file_.segments()) {
      if (segment.p_type != PT_LOAD) continue;
      const uint64_t skipped = -segment.p_vaddr % kWord;
      for (uint64_t done = skipped; done < segment.p_filesz && left > 0; done += kBytesAtOnce) {
        const uint64_t vaddr = segment.p_vaddr + done;
        const auto bytes = memory_->read(vaddr, std::min(segment.p_filesz - done, kBytesAtOnce));
        for (uint64_t at = 0; const auto found = elf::value_at<uint64_t>(bytes, at); at += kWord)
          if (is_handler(*found)) look_at(vaddr + at - kHandler);
        left -= std::min<uint64_t>(left, bytes.size());
      }
    }
  }

  void look_at(uint64_t vaddr) {
    if (looks_++ >= kMostSequences) return;
    const auto found = elf::value_at<Sequence>(memory_->read(vaddr, sizeof(Sequence)), 0);
    if (!found || found->version != 0 || found->size == 0) return;
    const uint64_t start = word(vaddr + kStart), handler = word(vaddr + kHandler);
    if (!in_code(start, found->size) || handler - start < found->size) return;  // as the kernel
    if (!in_code(handler - sizeof kSignature, sizeof kSignature + 1)) return;
    found_.push_back({start, found->size});
    add_handler(handler);
  }

  // With where it goes on: in the function that has the sequence, of which nothing else may tell.
  void add_handler(uint64_t vaddr) {
    found_.push_back({vaddr - sizeof kSignature, sizeof kSignature + 1});
    for (unsigned i = 0; i < kHandlerSteps; ++i) {
      const auto insn = code::decode(memory_->read(vaddr, code::kLongestInsn), vaddr);
      if (!insn) return;
      found_.push_back({vaddr, insn->length});
      const bool goes_on = insn->flow == code::Flow::kNext || insn->flow == code::Flow::kCondJump;
      if (insn->flow != code::Flow::kCall && in_code(insn->target, 1))
        found_.push_back({insn->target, 1});
      if (!goes_on) return;
      vaddr = insn->next();
    }
  }

  bool is_handler(uint64_t vaddr) const {
    const uint64_t signature = vaddr - sizeof kSignature;
    return signature >= signatures_.front() && signature <= signatures_.back() &&
           std::ranges::binary_search(signatures_, signature);
  }

  // Once the image is loaded, but for where that is; 0: nothing is there.
  uint64_t word(uint64_t vaddr) const {
    const auto pointer = std::ranges::lower_bound(pointers_, vaddr, {}, &elf::Pointer::at);
    if (pointer != pointers_.end() && pointer->at == vaddr) return pointer->to;
    return elf::value_at<uint64_t>(memory_->read(vaddr, kWord), 0).value_or(0);
  }

  bool in_code(uint64_t vaddr, uint64_t size) const {
    return std::ranges::any_of(memory_->text(), [&](const Stretch& text) {
      return vaddr - text.vaddr < text.size && size <= text.size - (vaddr - text.vaddr);
    });
  }

  std::vector<Stretch> apart() {
    std::ranges::sort(found_, {}, &Stretch::vaddr);
    std::vector<Stretch> out;
    for (const Stretch& one : found_)
      if (!out.empty() && one.vaddr - out.back().vaddr <= out.back().size)
        out.back().size = std::max(out.back().size, one.vaddr + one.size - out.back().vaddr);
      else
        out.push_back(one);
    return out;
  }

  const elf::ElfFile& file_;
  std::unique_ptr<code::Memory> memory_;
  std::vector<elf::Pointer> pointers_;  // by where they are
  std::vector<uint64_t> signatures_;    // by address
  std::vector<Stretch> found_;
  size_t looks_ = 0;  // at what may be one
};

}  // namespace

std::vector<elf::Image::Range> restartable_code(const elf::Image& image) {
  const auto file = elf::ElfFile::open(image.fd().get(), image.path());
  return file ? Sequences(image, *file).find() : std::vector<elf::Image::Range>();
}

}  // namespace compmond::inprocess
