// SPDX-License-Identifier: Apache-2.0
#include "unwind/images.h"

#include <algorithm>

#include "base/hash_mix.h"
#include "core/limits.h"
#include "walk/code_row.h"

namespace compmond::unwind {

using sampling::ImageNumber;

namespace {

class CodeOf : public code::Memory {
 public:
  explicit CodeOf(const Module& module) : module_(module) {
    for (const Elf64_Phdr& segment : module.segments())
      if (segment.p_flags & PF_X) text_.push_back({segment.p_vaddr, segment.p_filesz});
  }
  std::vector<uint8_t> read(uint64_t vaddr, uint64_t size) const override {
    std::vector<uint8_t> out(size);
    out.resize(module_.read(vaddr, out));
    return out;
  }
  const std::vector<elf::Image::Range>& text() const override { return text_; }
  uint64_t region_size(uint64_t) const override { return 0; }

 private:
  const Module& module_;
  std::vector<elf::Image::Range> text_;
};

}  // namespace

void Images::add(ImageNumber number, const std::string& path, Fd file, bool rows) {
  if (number >= limits::kImages) return;
  if (number >= files_.size()) files_.resize(number + 1);
  File& place = files_[number];
  if (place.fd.valid()) return;
  place.path = path;
  place.fd = std::move(file);
  place.rows = rows;
}

Module* Images::module_of(ImageNumber image) {
  if (image >= files_.size()) return nullptr;
  File& file = files_[image];
  if (!file.tried && file.fd.valid()) {
    work(image);
    if (auto module = Module::open(file.fd, file.path, file.rows))
      file.module.emplace(std::move(*module));
    work(sampling::kNoImage);
  }
  file.tried = true;
  return file.module ? &*file.module : nullptr;
}

std::optional<uint64_t> Images::vaddr_of(ImageNumber image, uint64_t offset) {
  const Module* module = module_of(image);
  return module ? module->vaddr_of(offset) : std::nullopt;
}

Row Images::row(ImageNumber image, uint64_t vaddr) { return kept_row(image, vaddr, false); }

Row Images::row_by_code(ImageNumber image, uint64_t pc) { return kept_row(image, pc, true); }

Row Images::kept_row(ImageNumber image, uint64_t vaddr, bool by_code) {
  Kept& kept = rows_[hash_mix(uint64_t(image) << 40 | uint64_t(by_code), vaddr) >> (64 - kRowBits)];
  if (kept.image == image && kept.vaddr == vaddr && kept.by_code == by_code) return kept.row;
  Module* module = module_of(image);
  if (!module || (by_code && !files_[image].rows)) return {};
  work(image);
  kept = {vaddr, image, by_code,
          by_code ? unwind::row_by_code(CodeOf(*module), vaddr) : module->row_at(vaddr)};
  work(sampling::kNoImage);
  return kept.row;
}

const Rules& Images::rules(ImageNumber image, uint32_t number) {
  return module_of(image)->rules(number);
}

size_t Images::read(ImageNumber image, uint64_t vaddr, std::span<uint8_t> to) {
  const Module* module = module_of(image);
  return module ? module->read(vaddr, to) : 0;
}

std::optional<sampling::Function> Images::function(ImageNumber image, uint64_t vaddr) {
  if (image >= files_.size() || !files_[image].rows || !files_[image].fd.valid())
    return std::nullopt;
  File& file = files_[image];
  work(image);
  if (!file.functions) {
    const elf::FunctionTable::Most most{
        std::min(limits::kImageSymbols, limits::kAllImageSymbols - symbols_),
        limits::kAllEmbeddedBytes - embedded_bytes_};
    const auto debug_file = [this, image](const std::string& path) {
      return debug_files_ ? debug_files_(image, path) : Fd();
    };
    file.functions.emplace(file.fd, file.path, debug_file, most, [this, image] { work(image); });
    symbols_ += file.functions->symbols();
    embedded_bytes_ += file.functions->embedded_bytes();
  }
  auto found = file.functions->find(vaddr);
  work(sampling::kNoImage);
  if (!found) return std::nullopt;
  return sampling::Function{image, found->start, found->end, std::move(found->name)};
}

}  // namespace compmond::unwind
