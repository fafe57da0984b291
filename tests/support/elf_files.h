// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "elf/image.h"

// ELF files for tests: fixtures compiled on the spot, and damaged copies of them.
namespace compmond::test {

// A folder that is removed with everything in it.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Runs a command in a shell; the test fails when it fails.
void shell(const std::string& command);

// Path of a fixture's source.
std::string fixture(const std::string& name);

// Compiles a fixture as a shared library (unless `flags` say otherwise), once per build folder;
// returns its path. Not to be changed: other tests read it, too.
std::string built(const std::string& name, const std::string& flags = "-shared -fPIC -O1");

// Strips `whole` to `to` as distributions do that keep the symbol of one local function, packed in
// the section .gnu_debugdata.
void strip_but(const std::string& function, const std::string& whole, const std::string& to);
// Gives `file` a section .gnu_debugdata with these bytes, packed with xz.
void embed(const std::string& bytes_path, const std::string& file);

Result<elf::Image> open_image(const std::string& path, const std::string& root = {});
// The test stops when the image cannot be opened.
elf::Image image_of(const std::string& path, const std::string& root = {});
elf::Image image_of_fixture(const std::string& name,
                            const std::string& flags = "-shared -fPIC -O1");

std::vector<const elf::Symbol*> all_named(const elf::Image& image, std::string_view name);
// The only symbol of that raw name; the test stops when there are several or none.
const elf::Symbol& only(const elf::Image& image, std::string_view name);

// The bytes of an ELF file, to be damaged.
class Draft {
 public:
  explicit Draft(const std::string& path);
  Elf64_Ehdr& header();
  Elf64_Phdr& segment(uint32_t type);  // the first of this type
  Elf64_Shdr& section(const std::string& name);
  template <class T>
  T& at(uint64_t offset) {
    return *reinterpret_cast<T*>(bytes.data() + offset);
  }
  // Opens the bytes as an image.
  Result<elf::Image> open() const;
  // Why opening them fails; empty when it does not.
  std::string why() const;

  std::vector<unsigned char> bytes;
};

}  // namespace compmond::test
