// SPDX-License-Identifier: Apache-2.0
// elf::read_inlining on any debug information. An input is: bytes of .debug_abbrev and of
// .debug_str (u16 size first, each); the rest is .debug_info.
#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

#include "bytes.h"
#include "check.h"
#include "elf/inlining.h"
#include "elf_head.h"
#include "memory_file.h"

namespace compmond::fuzz {
namespace {

constexpr uint64_t kText = 0x1000, kTextBytes = 16;

std::string file_around(std::span<const uint8_t> abbrev, std::span<const uint8_t> strings,
                        std::span<const uint8_t> info) {
  static const std::string kNames("\0.text\0.debug_abbrev\0.debug_str\0.debug_info\0.strtab", 52);
  std::string file(kText, '\0');
  file.append(kTextBytes, '\xc3');
  std::vector<Elf64_Shdr> all{{}};
  const auto add = [&](uint32_t name, uint32_t type, std::span<const uint8_t> bytes) {
    all.push_back({name, type, 0, 0, file.size(), bytes.size(), 0, 0, 1, 0});
    file += text_of(bytes.data(), bytes.size());
  };
  all.push_back({1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, kText, kText, kTextBytes, 0, 0, 1, 0});
  add(7, SHT_PROGBITS, abbrev);
  add(21, SHT_PROGBITS, strings);
  add(32, SHT_PROGBITS, info);
  add(44, SHT_STRTAB, {reinterpret_cast<const uint8_t*>(kNames.data()), kNames.size()});
  file.resize((file.size() + 7) / 8 * 8);
  const Elf64_Ehdr head = elf_head(1, file.size(), all.size());
  const Elf64_Phdr segment{PT_LOAD, PF_R | PF_X, kText, kText, kText, kTextBytes, kTextBytes, 1};
  std::memcpy(file.data(), &head, sizeof head);
  std::memcpy(file.data() + sizeof head, &segment, sizeof segment);
  file.append(reinterpret_cast<const char*>(all.data()), all.size() * sizeof all[0]);
  return file;
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond;
  constexpr uint64_t kMost = 1u << 20;
  fuzz::Bytes bytes(data, size);
  const auto abbrev = bytes.take(bytes.take<uint16_t>());
  const auto strings = bytes.take(bytes.take<uint16_t>());
  const std::string file = fuzz::file_around(abbrev, strings, bytes.rest());
  const auto image =
      elf::Image::open(fuzz::file_of({reinterpret_cast<const uint8_t*>(file.data()), file.size()}),
                       "input", "/none");
  FUZZ_CHECK(image.has_value());
  for (const auto& [name, found] : elf::read_inlining(*image, kMost))
    FUZZ_CHECK(!name.empty() && found.places > 0);
  return 0;
}
