// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "code/scan.h"
#include "elf/image.h"

// A shared library, or a program at fixed addresses, assembled while the test runs, so that a test
// shows its code as assembly.
class Assembled {
 public:
  enum class Kind { kLibrary, kPacked, kFixed };  // packed: its relocations, of a library
  explicit Assembled(const std::string& assembly, Kind kind = Kind::kLibrary)
      : image_(build(assembly, kind)), scanner_(image_) {}

  const compmond::elf::Symbol& symbol(const std::string& name) const {
    for (const auto& symbol : image_.symbols())
      if (symbol.name == name) return symbol;
    FAIL("no symbol ", name);
    std::abort();
  }
  const compmond::elf::Image& image() const { return image_; }
  compmond::code::FunctionScan scan(const std::string& name) {
    auto result = scanner_.scan(symbol(name));
    if (!result) FAIL(result.error().text());
    return *result;
  }
  // Exits as text relative to the function: "+1 +7j" (j: a tail jump; with a number: under that
  // condition; ?: under one of no flags), or why they are not known.
  std::string exits(const std::string& name) {
    const auto result = scan(name);
    return result.exits_complete ? as_text(result.exits, symbol(name).vaddr)
                                 : result.incomplete_reason;
  }
  static std::string as_text(const std::vector<compmond::code::ExitSite>& exits, uint64_t start) {
    using compmond::code::ExitSite;
    std::string out;
    for (const auto& exit : exits)
      out += (out.empty() ? "+" : " +") + std::to_string(int64_t(exit.vaddr - start)) +
             (exit.tail_jump ? "j" : "") + (exit.condition == ExitSite::kNoFlag ? "?" : "") +
             (exit.condition >= 0 ? std::to_string(int(exit.condition)) : "");
    return out;
  }

 private:
  static compmond::elf::Image build(const std::string& assembly, Kind kind) {
    char folder[] = "/tmp/compmond-asm-XXXXXX";
    REQUIRE(mkdtemp(folder) != nullptr);
    const std::string base = folder, source = base + "/code.s", library = base + "/libcode.so";
    std::ofstream(source) << assembly << "\n.section .note.GNU-stack,\"\",@progbits\n";
    const std::string command = std::string("cc -nostdlib -Wl,-z,noseparate-code ") +
                                (kind == Kind::kFixed ? "-no-pie -static -Wl,-e,f" : "-shared") +
                                (kind == Kind::kPacked ? " -Wl,-z,pack-relative-relocs" : "") +
                                " -o " + library + " " + source;
    REQUIRE(std::system(command.c_str()) == 0);
    auto image = compmond::elf::Image::open(
        compmond::Fd(::open(library.c_str(), O_RDONLY | O_CLOEXEC)), library);
    std::system(("rm -r " + base).c_str());
    if (!image) FAIL(image.error().text());
    return std::move(*image);
  }

  compmond::elf::Image image_;
  compmond::code::CodeScanner scanner_;
};

// Assembly of a function `name` with the given body, aligned and with its size.
inline std::string function(const std::string& name, const std::string& body) {
  return ".text\n.p2align 4\n.globl " + name + "\n.type " + name + ", @function\n" + name + ":\n" +
         body + "\n.size " + name + ", .-" + name + "\n";
}
