// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct Elf;

namespace compmond::elf {

using Bytes = std::span<const uint8_t>;

// The value of type T at `offset`, or nothing when it does not lie wholly inside.
template <class T>
std::optional<T> value_at(Bytes bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// The NUL-terminated text at `offset`, or nothing when it starts or ends outside.
std::optional<std::string_view> text_at(Bytes bytes, uint64_t offset);

struct Section {
  std::string name;
  Elf64_Shdr header = {};
};

// The headers of an x86-64 ELF file, checked against the file's size, and its bytes on demand.
// Reads with pread, so that a file that shrinks meanwhile is an error and not a signal. Every error
// is Exit::kData and names the place in the file.
class ElfFile {
 public:
  // `fd` has to stay open.
  static Result<ElfFile> open(int fd, const std::string& path);
  // Of a file that is in memory.
  static Result<ElfFile> open(std::vector<uint8_t> content, const std::string& path);

  uint16_t type() const { return type_; }  // ET_EXEC or ET_DYN
  uint64_t file_size() const { return file_size_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  const std::vector<Section>& sections() const { return sections_; }
  const Section* section(std::string_view name) const;
  const Section* section_of_type(uint32_t type) const;

  // Copies up to `size` bytes at `offset`; fewer where it ends or cannot be read. Returns how many.
  size_t read(void* to, size_t size, uint64_t offset) const;
  // Bytes of the file, valid as long as this object. `what` and `cap` are for the error when they
  // lie outside the file or are more than `cap`.
  Result<Bytes> bytes(uint64_t offset, uint64_t size, const std::string& what, uint64_t cap) const;
  // As above, for a section; an error for one without bytes (NOBITS).
  Result<Bytes> bytes(const Section& section, uint64_t cap) const;
  // How large a section is once it is unpacked, as it says itself.
  uint64_t unpacked_size(const Section& section) const;
  // Whether libdw may open the file, which unpacks all that is compressed in it at once: debug
  // information packs to a third, not to a thousandth.
  bool unpacks_soundly() const;
  // The string table that `section` links to.
  Result<Bytes> linked_strings(const Section& section) const;

  Unexpected damaged(std::string why) const;

 private:
  struct Ender {
    void operator()(Elf* elf) const;
  };
  ElfFile() = default;
  static Result<ElfFile> read_headers(ElfFile file);
  Result<void> check_header();
  Result<void> read_segments();
  Result<void> read_sections();

  std::string path_;
  int fd_ = -1;                   // or, where that is none:
  std::vector<uint8_t> content_;  // what libelf reads, so it stays where it is
  uint16_t type_ = 0;
  uint64_t file_size_ = 0;
  std::unique_ptr<Elf, Ender> elf_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Section> sections_;
};

}  // namespace compmond::elf
