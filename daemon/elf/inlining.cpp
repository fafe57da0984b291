// SPDX-License-Identifier: Apache-2.0
#include "elf/inlining.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <memory>
#include <utility>
#include <vector>

#include "elf/elf_file.h"

namespace compmond::elf {
namespace {

constexpr size_t kDepth = 256;          // of nested blocks; compilers nest some ten
constexpr size_t kFunctions = 200'000;  // that are inlined or called, 25 MB: 64 MiB of debug
                                        // information could name sixty times as many

std::string name_of(Dwarf_Die* function) {
  Dwarf_Attribute value;
  for (const unsigned which : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name})
    if (dwarf_attr_integrate(function, which, &value))
      if (const char* text = dwarf_formstring(&value)) return text;
  return {};
}

class Counter {
 public:
  void count(Dwarf_Die* unit) {
    std::vector<Dwarf_Die> path{*unit};
    while (!path.empty()) {
      look(&path.back());
      Dwarf_Die next;
      if (path.size() < kDepth && dwarf_child(&path.back(), &next) == 0) {
        path.push_back(next);
        continue;
      }
      while (!path.empty() && dwarf_siblingof(&path.back(), &next) != 0) path.pop_back();
      if (!path.empty()) path.back() = next;
    }
  }
  std::map<std::string, Inlined> take() {
    std::map<std::string, Inlined> out;
    for (const auto& [offset, one] : by_function_)
      if (one.first.size() > 0) {
        Inlined& sum = out[one.first];
        sum.places += one.second.places;
        sum.calls += one.second.calls;
      }
    std::erase_if(out, [](const auto& one) { return one.second.places == 0; });
    return out;
  }

 private:
  void look(Dwarf_Die* die) {
    const int tag = dwarf_tag(die);
    if (tag == DW_TAG_inlined_subroutine)
      ++of(die, DW_AT_abstract_origin).places;
    else if (tag == DW_TAG_call_site)
      ++of(die, DW_AT_call_origin).calls;
    else if (tag == DW_TAG_GNU_call_site)
      ++of(die, DW_AT_abstract_origin).calls;
  }

  Inlined& of(Dwarf_Die* die, unsigned attribute) {
    Dwarf_Attribute value;
    Dwarf_Die function;
    if (!dwarf_attr(die, attribute, &value) || !dwarf_formref_die(&value, &function))
      return unknown_;
    const Dwarf_Off at = dwarf_dieoffset(&function);
    if (by_function_.size() >= kFunctions && !by_function_.contains(at)) return left_out_;
    auto [it, fresh] = by_function_.try_emplace(at);
    if (fresh) it->second.first = name_of(&function);
    return it->second.second;
  }

  std::map<Dwarf_Off, std::pair<std::string, Inlined>> by_function_;
  Inlined unknown_;   // calls through pointers
  Inlined left_out_;  // of functions beyond the bound
};

}  // namespace

std::map<std::string, Inlined> read_inlining(const Image& image, uint64_t most_bytes) {
  const auto file = ElfFile::open(image.fd().get(), image.path());
  const Section* info = file ? file->section(".debug_info") : nullptr;
  if (!info || file->unpacked_size(*info) > most_bytes || !file->unpacks_soundly() ||
      file->section(".gnu_debugaltlink"))
    return {};
  const std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf(dwarf_begin(image.fd().get(), DWARF_C_READ),
                                                      dwarf_end);
  if (!dwarf) return {};
  Counter counter;
  Dwarf_Off at = 0, next = 0;
  for (size_t header = 0;
       dwarf_nextcu(dwarf.get(), at, &next, &header, nullptr, nullptr, nullptr) == 0 && next > at;
       at = next) {
    Dwarf_Die unit;
    if (dwarf_offdie(dwarf.get(), at + header, &unit)) counter.count(&unit);
  }
  return counter.take();
}

}  // namespace compmond::elf
