// SPDX-License-Identifier: Apache-2.0
#include "elf/links.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/elf_files.h"

using namespace compmond;
using namespace compmond::test;

namespace {

// A library that needs others, and calls a function of one through a slot.
const std::string& library() {
  static const std::string kPath = [] {
    static TempFolder folder;
    const std::string source = folder / "linked.c", out = folder / "liblinked.so";
    shell("echo 'int puts(const char *); int f(void) { return puts(\"f\"); }' > " + source);
    shell("cc -shared -fPIC -O1 -Wl,-soname,liblinked.so.1 -Wl,--no-as-needed -o " + out + " " +
          source + " -lm");
    return out;
  }();
  return kPath;
}

Draft draft() { return Draft(library()); }

Elf64_Dyn& entry(Draft& draft, Elf64_Sxword tag) {
  uint64_t at = draft.segment(PT_DYNAMIC).p_offset;
  while (draft.at<Elf64_Dyn>(at).d_tag != tag) {
    REQUIRE(draft.at<Elf64_Dyn>(at).d_tag != DT_NULL);
    at += sizeof(Elf64_Dyn);
  }
  return draft.at<Elf64_Dyn>(at);
}

elf::Links links_of(const Draft& draft) {
  const auto image = draft.open();
  REQUIRE(image);
  const auto links = elf::read_links(*image);
  REQUIRE(links);
  return *links;
}

std::string why_no_links(const Draft& draft) {
  const auto image = draft.open();
  REQUIRE(image);
  const auto links = elf::read_links(*image);
  CHECK((links || links.error().code == Exit::kData));
  return links ? "" : links.error().why;
}

std::string why_no_slots(const Draft& draft) {
  const auto image = draft.open();
  REQUIRE(image);
  const auto slots = elf::read_slots(*image);
  CHECK((slots || slots.error().code == Exit::kData));
  return slots ? "" : slots.error().why;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("links: a library says its name, and what it needs") {
  const elf::Links links = links_of(draft());
  CHECK(links.name == "liblinked.so.1");
  REQUIRE(links.needed.size() >= 2);
  CHECK(links.needed[0] == "libm.so.6");
  CHECK(std::ranges::count(links.needed, "libc.so.6") == 1);
}

TEST_CASE(
    "links: a slot has the name of what the loader puts there, a whole table of nothing none") {
  const auto image = draft().open();
  REQUIRE(image);
  const auto slots = elf::read_slots(*image);
  REQUIRE(slots);
  CHECK(std::ranges::count_if(*slots, [](const auto& slot) { return slot.second == "puts"; }) == 1);
  Draft without = draft();
  for (const auto tag : {DT_PLTRELSZ, DT_RELASZ}) entry(without, tag).d_un.d_val = 0;
  CHECK(elf::read_slots(*without.open())->empty());
}

TEST_CASE("links: relocations tell which word gets which address of the image") {
  const auto image = draft().open();
  REQUIRE(image);
  const auto words = elf::read_relocated(*image);
  const auto pointers = elf::read_pointers(*image);
  REQUIRE((words && pointers));
  CHECK(words->size() == pointers->size());
  CHECK(std::ranges::is_sorted(*words, {}, &elf::Pointer::at));
  for (const elf::Pointer& word : *words) CHECK(std::ranges::binary_search(*pointers, word.to));
  CHECK(std::ranges::any_of(*words, [&](const elf::Pointer& word) {
    return image->file_offset(word.to).has_value();  // of its constructors
  }));
}

TEST_CASE("links: what has no dynamic segment has no links") {
  Draft none = draft();
  none.segment(PT_DYNAMIC).p_type = PT_NULL;
  CHECK(links_of(none).needed.empty());
  CHECK(elf::read_slots(*none.open())->empty());
}

TEST_CASE("links: names outside of the dynamic strings are told as damage") {
  for (const auto tag : {DT_NEEDED, DT_SONAME}) {
    Draft bad = draft();
    entry(bad, tag).d_un.d_val = ~uint64_t(0);
    CHECK(has(why_no_links(bad), "a library's name lies outside of the dynamic strings"));
  }
  Draft none = draft();
  entry(none, DT_STRSZ).d_un.d_val = 0;
  CHECK(has(why_no_links(none), "a library's name lies outside of the dynamic strings"));
}

TEST_CASE("links: tables outside of what is loaded are told as damage") {
  const auto moved = [](Elf64_Sxword tag) {
    Draft bad = draft();
    entry(bad, tag).d_un.d_val = ~uint64_t(0) - 4096;
    return bad;
  };
  CHECK(has(why_no_links(moved(DT_STRTAB)), "the dynamic strings lie outside"));
  CHECK(has(why_no_slots(moved(DT_STRTAB)), "the dynamic strings lie outside"));
  CHECK(has(why_no_slots(moved(DT_SYMTAB)), "the dynamic symbols lie outside"));
  CHECK(has(why_no_slots(moved(DT_JMPREL)), "the relocations lie outside"));
  CHECK(has(why_no_slots(moved(DT_RELA)), "the relocations lie outside"));
}

TEST_CASE("links: tables that claim to be endless are read as far as the file is loaded") {
  for (const auto tag : {DT_STRSZ, DT_PLTRELSZ, DT_RELASZ}) {
    Draft long_one = draft();
    entry(long_one, tag).d_un.d_val = ~uint64_t(0);
    CHECK(why_no_slots(long_one).empty());
  }
}

TEST_CASE(
    "links: relocations of symbols, and symbols of names, that there are not are passed over") {
  Draft bad = draft();
  const uint64_t slots = entry(bad, DT_JMPREL).d_un.d_val;
  const Elf64_Phdr first = bad.segment(PT_LOAD);  // where linkers put it
  REQUIRE(slots < first.p_vaddr + first.p_filesz);
  auto& relocation = bad.at<Elf64_Rela>(first.p_offset + (slots - first.p_vaddr));
  relocation.r_info = ELF64_R_INFO(0xffffffffu, R_X86_64_JUMP_SLOT);
  const auto damaged = elf::read_slots(*bad.open());
  REQUIRE(damaged);
  CHECK(std::ranges::none_of(*damaged, [](const auto& slot) { return slot.second == "puts"; }));
}

TEST_CASE("links: any byte of the dynamic segment may be anything") {
  const Draft whole = draft();
  const Elf64_Phdr dynamic = Draft(whole).segment(PT_DYNAMIC);
  for (uint64_t i = 0; i < dynamic.p_filesz; ++i)
    for (const unsigned char value : {0x00, 0x7f, 0xff}) {
      Draft bad = whole;
      bad.bytes[dynamic.p_offset + i] = value;
      const auto image = bad.open();
      if (!image) continue;
      const auto links = elf::read_links(*image);
      const auto slots = elf::read_slots(*image);
      CHECK((links || links.error().code == Exit::kData));
      CHECK((slots || slots.error().code == Exit::kData));
    }
}
