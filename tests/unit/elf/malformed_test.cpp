// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <fstream>
#include <random>

#include "support/elf_files.h"

using namespace compmond;
using namespace compmond::test;

namespace {

Draft plain() { return Draft(built("plain.c")); }

std::string why_of_text(const std::string& text) {
  Draft draft = plain();
  draft.bytes.assign(text.begin(), text.end());
  return draft.why();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("malformed: files that are no x86-64 ELF programs are named for what they are") {
  CHECK(why_of_text("") == "it is an empty file");
  CHECK(why_of_text("hello") == "it is not an ELF file");
  CHECK(why_of_text("#! /usr/bin/env python3\n") ==
        "it is a script run by /usr/bin/env, not a native program");
  CHECK(why_of_text("#!\n") == "it is a script, not a native program");
  CHECK(why_of_text("!<arch>\nx") == "it is a static library (.a)");
  CHECK(why_of_text("\x7f"
                    "ELF") == "it is an ELF file that ends inside its header");
  auto draft = plain();
  draft.header().e_ident[EI_CLASS] = ELFCLASS32;
  CHECK(draft.why() == "it is a 32-bit ELF file");
  draft = plain();
  draft.header().e_ident[EI_DATA] = ELFDATA2MSB;
  CHECK(draft.why() == "it is a big-endian ELF file");
  draft = plain();
  draft.header().e_machine = EM_AARCH64;
  CHECK(draft.why() == "it is an ELF file for another processor: arm64");
  draft = plain();
  draft.header().e_type = ET_REL;
  CHECK(draft.why() == "it is an object file (.o) or kernel module, not linked yet");
  draft.header().e_type = ET_CORE;
  CHECK(draft.why() == "it is a core dump");
  CHECK(open_image("/dev/null").error().why == "it is not a regular file");
  CHECK(open_image("/tmp").error().code == Exit::kData);
  CHECK(open_image("/does/not/exist").error().code == Exit::kNoInput);
}

TEST_CASE("malformed: a truncated file is an error, wherever it ends") {
  const auto whole = plain();
  for (size_t size = 0; size < whole.bytes.size(); size += 97) {
    Draft cut = whole;
    cut.bytes.resize(size);
    INFO(size);
    CHECK_FALSE(cut.why().empty());
  }
}

TEST_CASE("malformed: header tables") {
  auto draft = plain();
  draft.header().e_shoff = ~uint64_t(0) - 16;
  CHECK(has(draft.why(), "section headers at 0xffffffffffffffef lie beyond its end"));
  draft = plain();
  draft.header().e_shoff = draft.bytes.size() - sizeof(Elf64_Shdr);
  CHECK(has(draft.why(), "reach beyond its end"));
  draft = plain();
  draft.header().e_shentsize = 0;
  CHECK(draft.why() == "section headers of 0 bytes, 64 expected");
  draft = plain();
  draft.at<Elf64_Shdr>(draft.header().e_shoff).sh_size = ~uint64_t(0);
  draft.header().e_shnum = 0;
  CHECK(has(draft.why(), "18446744073709551615 section headers"));
  draft = plain();
  draft.header().e_shoff = 0;
  CHECK(has(draft.why(), "but no place for them"));
  draft = plain();
  draft.header().e_shstrndx = 0xff00 - 1;
  CHECK(draft.why() == "the section with the section names does not exist");
  draft = plain();
  draft.header().e_phentsize = 1;
  CHECK(draft.why() == "program headers of 1 bytes, 56 expected");
  draft = plain();
  draft.header().e_phoff = draft.bytes.size();
  CHECK(has(draft.why(), "program headers at"));
  draft = plain();
  draft.header().e_phnum = 0;
  CHECK(draft.why() == "it has no program headers");
}

TEST_CASE("malformed: symbol tables") {
  auto draft = plain();
  draft.section(".dynsym").sh_entsize = 0;
  CHECK(draft.why() == "section .dynsym has entries of 0 bytes, 24 expected");
  draft = plain();
  draft.section(".symtab").sh_size -= 1;
  CHECK(draft.why() == "section .symtab ends inside a symbol");
  draft = plain();
  draft.section(".symtab").sh_size = 24 * (~uint64_t(0) / 24);
  CHECK(has(draft.why(), "section .symtab (18446744073709551600 bytes"));
  draft = plain();
  draft.section(".symtab").sh_offset = ~uint64_t(0) - 8;
  CHECK(has(draft.why(), "reaches beyond its end"));
  draft = plain();
  draft.section(".dynsym").sh_type = SHT_NOBITS;
  CHECK(draft.why().empty());  // then it is no symbol table
  for (const uint32_t link : {0u, 1u, 0xffffffffu}) {
    draft = plain();
    draft.section(".symtab").sh_link = link;
    CHECK(has(draft.why(), "as its strings, which is none"));
  }
  draft = plain();
  auto& symbol = draft.at<Elf64_Sym>(draft.section(".dynsym").sh_offset + sizeof(Elf64_Sym));
  symbol.st_name = 0xfffffff0;
  CHECK(draft.why() == "the name of symbol 1 of .dynsym lies outside its strings");
  draft = plain();
  draft.section(".dynsym").sh_name = 0x7fffffff;
  CHECK(has(draft.why(), "lies outside the section names"));
}

TEST_CASE("malformed: strings that do not end") {
  auto draft = plain();
  auto& strings = draft.section(".strtab");
  for (uint64_t i = 0; i < strings.sh_size; ++i) draft.bytes[strings.sh_offset + i] = 'x';
  CHECK(has(draft.why(), "of .symtab lies outside its strings"));
}

TEST_CASE("malformed: versions") {
  const auto flags = "-shared -fPIC -Wl,--version-script=" + fixture("versions.map");
  const Draft whole(built("versions.c", flags));
  Draft draft = whole;
  draft.at<Elf64_Verdef>(draft.section(".gnu.version_d").sh_offset).vd_aux = 0xfffffff0;
  CHECK(draft.why() == "entry 0 of .gnu.version_d is malformed");
  draft = whole;
  draft.at<Elf64_Verdef>(draft.section(".gnu.version_d").sh_offset).vd_next = 0x7fffffff;
  CHECK(draft.why() == "entry 1 of .gnu.version_d is malformed");
  draft = whole;
  draft.section(".gnu.version").sh_size = 2;  // fewer than symbols: those without are unversioned
  CHECK(draft.why().empty());
  draft = plain();
  draft.at<Elf64_Verneed>(draft.section(".gnu.version_r").sh_offset).vn_aux = 0x7fffffff;
  CHECK(draft.why() == "entry 0 of .gnu.version_r is malformed");
}

TEST_CASE("malformed: segments") {
  auto draft = plain();
  draft.segment(PT_LOAD).p_filesz = ~uint64_t(0) - draft.segment(PT_LOAD).p_offset;
  CHECK(has(draft.why(), "segment 0 (18446744073709551615 bytes at 0x0) reaches beyond its end"));
  draft = plain();
  draft.segment(PT_LOAD).p_vaddr = ~uint64_t(0) - 4;
  CHECK(has(draft.why(), "segment 0 has impossible addresses"));
  draft = plain();
  draft.segment(PT_LOAD).p_flags = PF_R | PF_X;
  draft.segment(PT_LOAD).p_vaddr = image_of_fixture("plain.c").text()[0].vaddr;
  CHECK(has(draft.why(), "two executable segments overlap"));
}

TEST_CASE("malformed: a function outside the code is data, and a size beyond the segment is cut") {
  auto draft = plain();
  auto& dynsym = draft.section(".dynsym");
  const uint64_t names = draft.section(".dynstr").sh_offset;
  for (uint64_t at = dynsym.sh_offset; at < dynsym.sh_offset + dynsym.sh_size;
       at += sizeof(Elf64_Sym)) {
    auto& symbol = draft.at<Elf64_Sym>(at);
    const std::string name = &draft.at<char>(names + symbol.st_name);
    if (name == "plain_add") symbol.st_value = 0x7000'0000'0000;
    if (name == "plain_alloc") symbol.st_size = ~uint64_t(0);
  }
  draft.section(".symtab").sh_type = SHT_PROGBITS;
  const auto image = draft.open();
  REQUIRE(image.has_value());
  CHECK(only(*image, "plain_add").kind == elf::SymbolKind::kData);
  const auto& alloc = only(*image, "plain_alloc");
  const auto& text = image->text()[0];
  CHECK(alloc.vaddr + alloc.size == text.vaddr + text.size);
}

TEST_CASE(
    "malformed: any flipped bytes give an image or an error, and what is read from it stays "
    "inside") {
  const Draft whole(built("plain.c"));
  std::mt19937 random(20240517);
  const auto pick = [&](size_t n) { return size_t(random() % n); };
  const uint64_t tables = whole.bytes.size() - Draft(whole).header().e_shoff;
  int opened = 0;
  for (int round = 0; round < 3000; ++round) {
    Draft draft = whole;
    for (size_t flips = 1 + pick(6); flips > 0; --flips) {
      // The headers at both ends decide most.
      const size_t place = pick(3) == 0   ? pick(sizeof(Elf64_Ehdr) + 11 * sizeof(Elf64_Phdr))
                           : pick(2) == 0 ? draft.bytes.size() - 1 - pick(tables)
                                          : pick(draft.bytes.size());
      draft.bytes[place] = pick(3) == 0 ? 0xff : (unsigned char)(random());
    }
    const auto image = draft.open();
    if (!image) {
      CHECK(image.error().code == Exit::kData);
      continue;
    }
    ++opened;
    for (const auto& symbol : image->symbols()) {
      if (symbol.kind != elf::SymbolKind::kFunction) continue;
      CHECK(image->file_offset(symbol.vaddr).has_value());
      CHECK(image->code(symbol.vaddr, 16).has_value());
      image->fde_size(symbol.vaddr);
    }
  }
  CHECK(opened > 100);
  CHECK(opened < 3000);
}
