// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "elf/function_table.h"
#include "sampling/unwinder.h"
#include "unwind/module.h"
#include "walk/code_info.h"

namespace compmond::unwind {

// The files that were told of, opened when first needed, and the rows of them that were used last.
// One thread.
class Images : public CodeInfo {
 public:
  // Called with the number before a file's content decides what happens, with kNoImage afterwards.
  using Working = std::function<void(sampling::ImageNumber at)>;
  // Opens a separate debug file of that file; empty when there is none.
  using DebugFiles = std::function<Fd(sampling::ImageNumber of, const std::string& path)>;
  explicit Images(Working working = {}, DebugFiles debug_files = {})
      : working_(std::move(working)), debug_files_(std::move(debug_files)), rows_(kRows) {}

  // `rows`: see Module::open; without them its functions are not known either.
  void add(sampling::ImageNumber number, const std::string& path, Fd file, bool rows = true);

  std::optional<uint64_t> vaddr_of(sampling::ImageNumber image, uint64_t offset) override;
  Row row(sampling::ImageNumber image, uint64_t vaddr) override;
  Row row_by_code(sampling::ImageNumber image, uint64_t pc) override;
  const Rules& rules(sampling::ImageNumber image, uint32_t number) override;
  size_t read(sampling::ImageNumber image, uint64_t vaddr, std::span<uint8_t> to) override;
  // The code around a place, that of one function; nothing where nobody knows.
  std::optional<sampling::Function> function(sampling::ImageNumber image, uint64_t vaddr);

 private:
  static constexpr int kRowBits = 16;
  static constexpr size_t kRows = size_t(1) << kRowBits;  // a compiler stands at ten thousand places
  struct Kept {
    uint64_t vaddr = 0;
    sampling::ImageNumber image = sampling::kNoImage;
    bool by_code = false;
    Row row;
  };
  struct File {
    std::string path;
    Fd fd;
    bool rows = true;
    std::optional<Module> module;
    bool tried = false;
    std::optional<elf::FunctionTable> functions;
  };
  Module* module_of(sampling::ImageNumber image);
  Row kept_row(sampling::ImageNumber image, uint64_t vaddr, bool by_code);
  void work(sampling::ImageNumber at) const {
    if (working_) working_(at);
  }

  Working working_;
  DebugFiles debug_files_;
  std::deque<File> files_;                   // by number; their descriptors stay where they are
  size_t symbols_ = 0, embedded_bytes_ = 0;  // of all function tables
  std::vector<Kept> rows_;  // by address: each has one place, and the last that came there keeps it
};

}  // namespace compmond::unwind
