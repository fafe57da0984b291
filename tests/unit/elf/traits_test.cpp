// SPDX-License-Identifier: Apache-2.0
#include "elf/traits.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <fstream>

#include "support/elf_files.h"

using namespace compmond;
using namespace compmond::elf;
using namespace compmond::test;

namespace {

// The traits of a C (or C++) text, compiled as a shared library.
RiskTraits traits_of(const std::string& text, const std::string& flags = {}, bool cpp = false) {
  const TempFolder folder;
  const std::string source = folder / (cpp ? "t.cpp" : "t.c");
  std::ofstream(source) << text;
  shell((cpp ? "c++ -std=c++20 " : "cc ") + source + " -w -shared -fPIC " + flags + " -o " +
        folder.path() + "/t.so");
  return image_of(folder / "t.so").traits();
}

// Traits that are set, as letters: unwinds, forced, switches, altstack, go, rust.
std::string letters(const RiskTraits& t) {
  std::string out;
  if (t.unwinds) out += 'u';
  if (t.forced_unwind) out += 'f';
  if (t.switches_stacks) out += 's';
  if (t.signal_stack) out += 'a';
  if (t.go) out += 'g';
  if (t.rust) out += 'r';
  return out;
}

Protector protector_at(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto file = ElfFile::open(fd.get(), path);
  REQUIRE(file);
  return protector_of(*file);
}

}  // namespace

TEST_CASE("traits: plain C has none, though it has frame descriptions and __cxa_finalize") {
  const auto image = image_of_fixture("plain.c");
  REQUIRE(all_named(image, "__cxa_finalize").size() == 1);
  REQUIRE(image.fde_size(only(image, "plain_add").vaddr) > 0);
  CHECK(letters(image.traits()) == "");
  CHECK(letters(traits_of(
            "int atexit(void(*)(void)); void g(void); int f(void){return atexit(g);}")) == "");
}

TEST_CASE("traits: C++ unwinds, also where it neither throws nor catches") {
  CHECK(letters(traits_of("int f(int x) { if (x) throw 1; return 0; }", "", true)) == "u");
  CHECK(letters(traits_of("void g(); int f() { try { g(); } catch (...) {} return 0; }", "",
                          true)) == "u");
  CHECK(letters(traits_of("void g(); void f() { g(); }", "", true)) == "u");
  CHECK(letters(traits_of("void g(); void f() { g(); }", "-s -fno-exceptions", true)) == "u");
}

TEST_CASE("traits: C with cleanups that exceptions run unwinds") {
  CHECK(letters(traits_of("void h(int*); void g(void); void f(void){"
                          "int x __attribute__((cleanup(h))) = 1; g(); }",
                          "-fexceptions")) == "u");
  CHECK(letters(traits_of("void _Unwind_Resume(void*); void f(void*p){_Unwind_Resume(p);}")) ==
        "u");
}

TEST_CASE("traits: forced unwinding, stack switches and signal stacks come from imports") {
  CHECK(letters(traits_of("void pthread_exit(void*); void f(void){pthread_exit(0);}")) == "f");
  CHECK(letters(traits_of("int pthread_cancel(long); void f(void){pthread_cancel(0);}")) == "f");
  CHECK(letters(traits_of("int swapcontext(void*,void*); void f(void){swapcontext(0,0);}")) == "s");
  CHECK(letters(traits_of("void makecontext(void*,...); void f(void){makecontext(0);}")) == "s");
  CHECK(letters(traits_of("int sigaltstack(void*,void*); void f(void){sigaltstack(0,0);}")) == "a");
  CHECK(letters(traits_of("void jump_fcontext(void); void f(void){jump_fcontext();}")) == "s");
}

TEST_CASE(
    "traits: a library that defines such a function is not one that uses it, a static program is") {
  const std::string text =
      "int swapcontext(void*a,void*b){return 0;} void* malloc(unsigned long); void*f(void){return "
      "malloc(1);}";
  CHECK(letters(traits_of(text)) == "");
  CHECK(letters(traits_of(text, "-nostdlib")) == "s");  // links no library
}

TEST_CASE("traits: Go is seen by its tables and its build id") {
  CHECK(letters(traits_of(
            "int t __attribute__((section(\".gopclntab\"))) = 1; int f(void){return t;}")) == "g");
  CHECK(letters(traits_of("__asm__(\".section .note.go.x,\\\"a\\\",@note\\n.long 4,4,4\\n.ascii "
                          "\\\"Go\\\\0\\\\0\\\"\\n"
                          ".ascii \\\"abcd\\\"\\n.text\"); int f(void){return 1;}")) == "g");
}

TEST_CASE("traits: Rust is seen by its names and its compiler's note") {
  CHECK(letters(traits_of(
            "void f(void) __asm__(\"_ZN3foo3bar17h0123456789abcdefE\"); void f(void){}")) == "ur");
  CHECK(letters(traits_of("void f(void) __asm__(\"_RNvC3foo3bar\"); void f(void){}")) == "ur");
  CHECK(letters(traits_of(
            "__asm__(\".ident \\\"rustc version 1.80.0\\\"\"); int f(void){return 1;}")) == "r");
  CHECK(letters(traits_of(
            "void f(void) __asm__(\"_ZN3foo3bar17hxyz3456789abcdefE\"); void f(void){}")) == "u");
}

TEST_CASE("traits: what packed or protects a file is known by the marks that it leaves") {
  const TempFolder folder;
  const std::string plain = built("plain.c");
  CHECK(protector_at(plain) == Protector::kNone);
  shell("objcopy --add-section .vmp0=" + fixture("plain.c") + " " + plain + " " + folder.path() +
        "/protected");
  CHECK(protector_at(folder / "protected") == Protector::kVmProtect);
  Draft packed(plain);
  const Elf64_Ehdr& header = packed.header();
  const uint64_t behind = header.e_phoff + uint64_t(header.e_phnum) * header.e_phentsize;
  std::string_view("UPX!").copy(&packed.at<char>(behind + sizeof(uint32_t)), 4);
  std::ofstream(folder / "packed")
      .write(reinterpret_cast<const char*>(packed.bytes.data()), long(packed.bytes.size()));
  CHECK(protector_at(folder / "packed") == Protector::kUpx);
}
