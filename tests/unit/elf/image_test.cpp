// SPDX-License-Identifier: Apache-2.0
#include "elf/image.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "support/elf_files.h"

using namespace compmond;
using namespace compmond::test;
using elf::SymbolKind;

TEST_CASE("image: functions, data, imports and labels are told apart") {
  const auto image = image_of_fixture("plain.c");
  CHECK(only(image, "plain_add").kind == SymbolKind::kFunction);
  CHECK(only(image, "plain_add").global);
  CHECK(only(image, "plain_add").size > 0);
  CHECK(only(image, "hidden_helper").kind == SymbolKind::kFunction);
  CHECK_FALSE(only(image, "hidden_helper").global);
  CHECK(only(image, "counter").kind == SymbolKind::kData);
  CHECK(only(image, "per_thread").kind == SymbolKind::kData);
  CHECK(only(image, "per_thread").vaddr == 0);
  CHECK(only(image, "malloc").kind == SymbolKind::kImport);
  CHECK(only(image, "malloc").version == "GLIBC_2.2.5");
  CHECK(only(image, "malloc").default_version);
  CHECK(only(image, "bare_label").kind == SymbolKind::kData);
  CHECK(only(image, "sizeless").kind == SymbolKind::kFunction);
  CHECK(only(image, "sizeless").size == 0);
}

TEST_CASE("image: aliases share an address, and symbols are sorted by address without doubles") {
  const auto image = image_of_fixture("plain.c");
  CHECK(only(image, "plain_alias").vaddr == only(image, "plain_add").vaddr);
  CHECK(only(image, "local_alias").vaddr == only(image, "plain_add").vaddr);
  const auto& symbols = image.symbols();
  CHECK(std::is_sorted(symbols.begin(), symbols.end(),
                       [](const auto& a, const auto& b) { return a.vaddr < b.vaddr; }));
  for (size_t i = 1; i < symbols.size(); ++i) {
    INFO(symbols[i].name);
    CHECK_FALSE(
        (symbols[i].name == symbols[i - 1].name && symbols[i].vaddr == symbols[i - 1].vaddr));
  }
}

TEST_CASE("image: file, section and absolute symbols are left out") {
  const auto image = image_of_fixture(
      "versions.c", "-shared -fPIC -Wl,--version-script=" + fixture("versions.map"));
  CHECK(all_named(image, "versions.c").empty());
  CHECK(all_named(image, "V_1").empty());
  CHECK(all_named(image, ".text").empty());
}

TEST_CASE("image: symbol versions come from .dynsym and from the names in .symtab alike") {
  const auto flags = "-shared -fPIC -Wl,--version-script=" + fixture("versions.map");
  for (const char* strip : {"", " -s"}) {
    INFO("strip:", strip);
    const auto image = image_of_fixture("versions.c", flags + strip);
    const auto copies = all_named(image, "copy");
    REQUIRE(copies.size() == 2);
    for (const auto* copy : copies) CHECK(copy->default_version == (copy->version == "V_2"));
    CHECK(copies[0]->version != copies[1]->version);
    CHECK(copies[0]->vaddr != copies[1]->vaddr);
    CHECK(only(image, "gone").version == "V_1");
    CHECK_FALSE(only(image, "gone").default_version);
  }
}

TEST_CASE("image: an IFUNC is no function") {
  const auto image = image_of_fixture("ifunc.c");
  CHECK(only(image, "work").kind == SymbolKind::kIfunc);
  CHECK(only(image, "work_wide").kind == SymbolKind::kFunction);
}

TEST_CASE("image: a stripped library keeps what it exports") {
  const auto image = image_of_fixture("plain.c", "-shared -fPIC -s");
  CHECK(only(image, "plain_add").kind == SymbolKind::kFunction);
  CHECK(all_named(image, "hidden_helper").empty());
}

TEST_CASE("image: identity is that of the file, and the build id is read from its note") {
  const auto& path = built("plain.c", "-shared -fPIC -Wl,--build-id=0x00c0ffee11");
  const auto image = image_of(path);
  struct stat st {};
  REQUIRE(::stat(path.c_str(), &st) == 0);
  CHECK(image.device() == st.st_dev);
  CHECK(image.inode() == st.st_ino);
  CHECK(image.build_id() == "00c0ffee11");
  CHECK(image.path() == path);
  CHECK(image_of_fixture("plain.c", "-shared -fPIC -Wl,--build-id=none").build_id().empty());
}

TEST_CASE("image: code is read from the file offset that PT_LOAD gives, in every way of linking") {
  for (const std::string flags :
       {"-shared -fPIC -O1", "-shared -fPIC -Wl,-z,noseparate-code", "-DMAIN -no-pie",
        "-DMAIN -pie -fPIE", "-DMAIN -static", "-DMAIN -static-pie -fPIE"}) {
    INFO(flags);
    const auto image = image_of_fixture("plain.c", flags);
    const auto& sizeless = only(image, "sizeless");
    const auto offset = image.file_offset(sizeless.vaddr);
    REQUIRE(offset.has_value());
    Draft file(image.path());
    CHECK(file.bytes.at(*offset) == 0x90);      // nop
    CHECK(file.bytes.at(*offset + 1) == 0xc3);  // ret
    const auto code = image.code(sizeless.vaddr, 2);
    REQUIRE(code.has_value());
    CHECK(*code == std::vector<uint8_t>{0x90, 0xc3});
  }
}

TEST_CASE("image: code ends with its segment, and an address outside is an error") {
  const auto image = image_of_fixture("plain.c");
  const auto& last = image.text().back();
  const auto tail = image.code(last.vaddr + last.size - 3, 100);
  REQUIRE(tail.has_value());
  CHECK(tail->size() == 3);
  for (const uint64_t vaddr :
       {last.vaddr + last.size, ~uint64_t(0), only(image, "counter").vaddr}) {
    CHECK_FALSE(image.file_offset(vaddr).has_value());
    CHECK(image.file_offset(vaddr).error().code == Exit::kData);
    CHECK_FALSE(image.code(vaddr, 1).has_value());
  }
}

TEST_CASE("image: frame descriptions give the extent of functions, also of those without a size") {
  const auto image = image_of_fixture("plain.c");
  CHECK(image.fde_size(only(image, "plain_add").vaddr) == only(image, "plain_add").size);
  CHECK(image.fde_size(only(image, "sizeless").vaddr) == 2);
  CHECK(image.fde_size(only(image, "plain_add").vaddr + 1) == 0);
  CHECK(image.fde_size(0) == 0);
  const auto without =
      image_of_fixture("plain.c", "-shared -fPIC -fno-asynchronous-unwind-tables -nostdlib");
  CHECK(without.fde_size(only(without, "plain_add").vaddr) == 0);
}

TEST_CASE("image: several threads may ask for frame descriptions at once") {
  const auto image = image_of_fixture("plain.c");
  const auto& symbol = only(image, "plain_add");
  std::vector<uint64_t> sizes(4);
  std::vector<std::thread> threads;
  for (uint64_t& size : sizes) threads.emplace_back([&] { size = image.fde_size(symbol.vaddr); });
  for (auto& thread : threads) thread.join();
  for (const uint64_t size : sizes) CHECK(size == symbol.size);
}
