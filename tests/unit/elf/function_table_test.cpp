// SPDX-License-Identifier: Apache-2.0
#include "elf/function_table.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "core/limits.h"
#include "support/elf_files.h"

using namespace compmond;
using namespace compmond::test;
using elf::FunctionTable;

namespace {

constexpr size_t kSymbols = 1000;

struct Opened {
  explicit Opened(const std::string& path) : fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  explicit Opened(const std::vector<unsigned char>& bytes)
      : fd(::memfd_create("functions", MFD_CLOEXEC)) {
    REQUIRE(::write(fd.get(), bytes.data(), bytes.size()) == ssize_t(bytes.size()));
  }
  FunctionTable table(size_t most = kSymbols) {
    const auto debug_file = [this](const std::string& path) {
      asked.push_back(path);
      return Fd(::open((root + path).c_str(), O_RDONLY | O_CLOEXEC));
    };
    return FunctionTable(fd, "/opt/file", debug_file, {most, limits::kEmbeddedBytes},
                         [this] { ++steps; });
  }
  Fd fd;
  int steps = 0;
  std::string root = "/nonexistent";  // of debug files
  std::vector<std::string> asked;
};

std::string name_at(FunctionTable& table, uint64_t vaddr) {
  const auto found = table.find(vaddr);
  return found ? found->name : "(none)";
}

// The symbols of a file, to be changed at will. Their code is that of "plain.c".
struct Symbols {
  Draft draft{built("plain.c")};
  uint64_t text = draft.section(".text").sh_addr;
  std::vector<Elf64_Sym> all{{}};
  std::string names{'\0'};

  void add(const std::string& name, uint64_t at, uint64_t size, unsigned bind = STB_GLOBAL) {
    Elf64_Sym symbol{};
    symbol.st_name = uint32_t(names.size());
    symbol.st_info = uint8_t(ELF64_ST_INFO(bind, STT_FUNC));
    symbol.st_shndx = 1;
    symbol.st_value = text + at;
    symbol.st_size = size;
    all.push_back(symbol);
    names += name + '\0';
  }
  // What the file then is.
  std::vector<unsigned char> file() {
    Draft out = draft;
    const auto append = [&out](const void* from, size_t size) {
      const size_t at = out.bytes.size();
      out.bytes.resize(at + size);
      std::memcpy(out.bytes.data() + at, from, size);
      return at;
    };
    const size_t strings = append(names.data(), names.size());
    const size_t table = append(all.data(), all.size() * sizeof(Elf64_Sym));
    out.section(".strtab").sh_offset = strings;
    out.section(".strtab").sh_size = names.size();
    out.section(".symtab").sh_offset = table;
    out.section(".symtab").sh_size = all.size() * sizeof(Elf64_Sym);
    out.section(".eh_frame").sh_type = SHT_NOBITS;
    return out.bytes;
  }
};

}  // namespace

TEST_CASE("function table: symbols name their code, aliases the plainest way") {
  Opened file(built("plain.c"));
  FunctionTable table = file.table();
  const auto image = image_of_fixture("plain.c");
  const elf::Symbol& add = only(image, "plain_add");
  const auto found = table.find(add.vaddr + add.size - 1);
  REQUIRE(found);
  CHECK(found->start == add.vaddr);
  CHECK(found->end == add.vaddr + add.size);
  CHECK(found->name == "plain_add");  // neither plain_alias nor local_alias
  CHECK(name_at(table, only(image, "hidden_helper").vaddr) == "hidden_helper");
  CHECK(name_at(table, only(image, "sizeless").vaddr + 1) == "sizeless");
  // Behind its description, which bare_label does not belong to.
  CHECK(name_at(table, only(image, "bare_label").vaddr) == "(none)");
  CHECK_FALSE(table.find(0));
  CHECK_FALSE(table.find(UINT64_MAX));
  CHECK(file.steps > 0);
}

TEST_CASE("function table: names are people's, and cold parts have their function's") {
  Opened cpp(built("names.cpp"));
  FunctionTable table = cpp.table();
  const auto image = image_of_fixture("names.cpp");
  for (const elf::Symbol& symbol : image.symbols())
    if (symbol.kind == elf::SymbolKind::kFunction &&
        symbol.name == "_ZN2fh11FileHandler8send_allEv")
      CHECK(name_at(table, symbol.vaddr) == "fh::FileHandler::send_all()");
  Symbols s;
  s.add("f", 0, 4);
  s.add("f.cold", 4, 2);
  s.add("_ZN2ns5splitEi.cold.3", 6, 1);
  s.add("g.part.0", 7, 1);
  s.add(".cold", 8, 1);
  s.add("h@@V1", 9, 1);
  Opened made(s.file());
  FunctionTable parts = made.table();
  CHECK(name_at(parts, s.text + 5) == "f");
  CHECK(name_at(parts, s.text + 6) == "ns::split(int)");
  CHECK(name_at(parts, s.text + 7) == "g.part.0");
  CHECK(name_at(parts, s.text + 8) == ".cold");
  CHECK(name_at(parts, s.text + 9) == "h");
}

TEST_CASE(
    "function table: where symbols are stripped, call frame information says how far code goes") {
  const TempFolder folder;
  const auto image = image_of_fixture("plain.c");
  shell("strip -o " + folder / "stripped" + " " + built("plain.c"));
  Opened file(folder / "stripped");
  FunctionTable table = file.table();
  const elf::Symbol& hidden = only(image, "hidden_helper");
  const auto found = table.find(hidden.vaddr + 1);
  REQUIRE(found);
  CHECK(found->name.empty());
  CHECK(found->start == hidden.vaddr);
  CHECK(found->end == hidden.vaddr + hidden.size);
  CHECK(name_at(table, only(image, "plain_alloc").vaddr) == "plain_alloc");  // still dynamic
}

TEST_CASE("function table: a separate debug file of the same build names what was stripped") {
  constexpr const char* kFlags = "-shared -fPIC -O1 -Wl,--build-id=0xabcdef0123";
  const TempFolder root;
  const std::string whole = built("plain.c", kFlags);
  shell("mkdir -p " + root / "usr/lib/debug/.build-id/ab");
  const std::string debug = root / "usr/lib/debug/.build-id/ab/cdef0123.debug";
  shell("objcopy --only-keep-debug " + whole + " " + debug);
  shell("strip -o " + root / "stripped" + " " + whole);
  const auto image = image_of_fixture("plain.c", kFlags);
  const elf::Symbol& hidden = only(image, "hidden_helper");
  Opened file(root / "stripped");
  file.root = root.path();
  FunctionTable table = file.table();
  CHECK(file.asked == std::vector<std::string>{"/usr/lib/debug/.build-id/ab/cdef0123.debug"});
  REQUIRE(table.find(hidden.vaddr + 1));
  CHECK(table.find(hidden.vaddr + 1)->name == "hidden_helper");
  CHECK(table.find(hidden.vaddr + 1)->end == hidden.vaddr + hidden.size);
  // One that is damaged is as good as none.
  shell("truncate -s 3000 " + debug);
  FunctionTable less = file.table();
  CHECK(less.find(hidden.vaddr)->name.empty());
  CHECK(name_at(less, only(image, "plain_alloc").vaddr) == "plain_alloc");
  Opened unstripped(whole);
  unstripped.table();
  CHECK(unstripped.asked.empty());
}

TEST_CASE("function table: what a stripped file keeps packed names its own functions") {
  const TempFolder folder;
  strip_but("hidden_helper", built("plain.c"), folder / "packed");
  const auto image = image_of_fixture("plain.c");
  const elf::Symbol& hidden = only(image, "hidden_helper");
  Opened file(folder / "packed");
  FunctionTable table = file.table();
  CHECK(table.embedded_bytes() > 0);
  REQUIRE(table.find(hidden.vaddr + 1));
  CHECK(table.find(hidden.vaddr + 1)->name == "hidden_helper");
  CHECK(table.find(hidden.vaddr + 1)->end == hidden.vaddr + hidden.size);
  // Those that .dynsym has are not among them.
  CHECK(name_at(table, only(image, "plain_alloc").vaddr) == "plain_alloc");
  // One with all symbols needs none.
  Opened whole(built("plain.c"));
  CHECK(whole.table().embedded_bytes() == 0);
}

TEST_CASE("function table: packed symbols that are none, or too many, are as good as none") {
  const TempFolder folder;
  const auto image = image_of_fixture("plain.c");
  strip_but("hidden_helper", built("plain.c"), folder / "packed");
  const Draft good(folder / "packed");
  const auto check_less = [&](const std::vector<unsigned char>& bytes) {
    Opened file(bytes);
    FunctionTable table = file.table();
    CHECK(table.embedded_bytes() == 0);
    CHECK(name_at(table, only(image, "hidden_helper").vaddr) != "hidden_helper");
    CHECK(name_at(table, only(image, "plain_alloc").vaddr) == "plain_alloc");
  };
  Draft cut = good;
  cut.section(".gnu_debugdata").sh_size /= 2;
  check_less(cut.bytes);
  Draft behind = good;
  behind.section(".gnu_debugdata").sh_offset = behind.bytes.size() - 1;
  check_less(behind.bytes);
  Draft damaged = good;
  const Elf64_Shdr& section = damaged.section(".gnu_debugdata");
  damaged.bytes[section.sh_offset + section.sh_size / 2] ^= 0x55;
  check_less(damaged.bytes);
  Draft other = good;
  other.bytes[other.section(".gnu_debugdata").sh_offset] = 'B';
  check_less(other.bytes);
  const std::string zeros = folder / "zeros";  // 20 kB that become 128 MiB
  shell("truncate -s 128M " + zeros + " && strip -o " + folder / "bomb" + " " + built("plain.c"));
  embed(zeros, folder / "bomb");
  const Draft bomb(folder / "bomb");
  CHECK(bomb.bytes.size() < 1u << 20);
  check_less(bomb.bytes);
  Opened file(folder / "packed");
  const auto none = [](const std::string&) { return Fd(); };
  CHECK(FunctionTable(file.fd, "/opt/file", none, {kSymbols, 1000}, [] {}).embedded_bytes() == 0);
}

TEST_CASE("function table: nested and overlapping symbols share the code out") {
  Symbols s;
  s.add("outer", 0, 16);
  s.add("inner", 4, 4);
  s.add("over", 12, 8);  // begins in one and ends behind it
  s.add("weak", 24, 4, STB_WEAK);
  s.add("__strong", 24, 4);
  s.add("local", 24, 8, STB_LOCAL);
  Opened file(s.file());
  FunctionTable table = file.table();
  const char* expected[] = {"outer", "inner",  "outer",    "over",
                            "over",  "(none)", "__strong", "__strong"};
  for (size_t i = 0; i < std::size(expected); ++i)
    CHECK(name_at(table, s.text + 4 * i) == expected[i]);
  CHECK(table.find(s.text + 9)->start == s.text + 8);
  CHECK(table.find(s.text + 9)->end == s.text + 12);
}

TEST_CASE("function table: a hostile table costs no more than its size, and gives nothing wrong") {
  Symbols s;
  std::minstd_rand random(1);
  for (int i = 0; i < 900; ++i) {
    s.add("x", i % 64, uint64_t(1) << (random() % 64));
    s.all.back().st_value += random() % 7 == 0 ? ~uint64_t(0) - random() : 0;
    s.all.back().st_name = random() % 3 == 0 ? random() : s.all.back().st_name;
    s.all.back().st_shndx = uint16_t(random());
  }
  Opened file(s.file());
  FunctionTable table = file.table();
  CHECK(table.symbols() > 100);
  const uint64_t end = s.draft.segment(PT_LOAD).p_filesz + 0x10000;
  uint64_t last = 0;
  for (uint64_t at = s.text; at < s.text + 64; ++at) {
    const auto found = table.find(at);
    if (!found) continue;
    CHECK(found->start <= at);
    CHECK(found->end > at);
    CHECK(found->end <= s.text + end);
    CHECK(found->start >= last);
    last = found->start;
  }
  Opened again(s.file());
  CHECK(again.table(5).symbols() == 4);  // too many: those of .dynsym
}

TEST_CASE("function table: long names are cut, and a text without an end is no danger") {
  Symbols s;
  s.add(std::string(100'000, 'n'), 0, 4);
  s.add("last", 4, 4);
  s.names.pop_back();  // its NUL
  Opened file(s.file());
  FunctionTable table = file.table();
  CHECK(name_at(table, s.text).size() == limits::kFunctionNameBytes);
  CHECK(name_at(table, s.text).ends_with("n…"));
  CHECK(name_at(table, s.text + 4) == "last");
}

TEST_CASE("function table: a truncated or damaged file gives no worse than less") {
  const Draft whole(built("plain.c"));
  for (size_t size = 0; size < whole.bytes.size(); size += 331) {
    Draft cut = whole;
    cut.bytes.resize(size);
    Opened file(cut.bytes);
    FunctionTable table = file.table();
    (void)table.find(0x1100);
  }
  std::minstd_rand random(7);
  for (int i = 0; i < 300; ++i) {
    Draft damaged = whole;
    for (int j = 0; j < 20; ++j) damaged.bytes[random() % damaged.bytes.size()] = uint8_t(random());
    Opened file(damaged.bytes);
    FunctionTable table = file.table();
    for (uint64_t at = 0x1000; at < 0x1200; at += 13)
      if (const auto found = table.find(at)) CHECK((found->start <= at && at < found->end));
  }
}
