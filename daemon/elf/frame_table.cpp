// SPDX-License-Identifier: Apache-2.0
#include "elf/frame_table.h"

#include <dwarf.h>

#include <algorithm>
#include <unordered_map>

namespace compmond::elf {
namespace {

// Reads forwards inside one record; `ok` turns false at its end and stays so.
class Cursor {
 public:
  Cursor(Bytes bytes, uint64_t at) : bytes_(bytes), at_(at) {}
  bool ok() const { return ok_; }
  uint64_t at() const { return at_; }
  void skip(uint64_t size) { at_ += size; }

  template <class T>
  T take() {
    const auto value = value_at<T>(bytes_, at_);
    if (!value) ok_ = false;
    at_ += sizeof(T);
    return value.value_or(T{});
  }

  uint64_t leb128() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = take<uint8_t>();
      if (shift < 64) value |= uint64_t(byte & 0x7f) << shift;
      if (!ok_ || !(byte & 0x80)) return value;
    }
  }

  // The number itself, without what it is relative to.
  uint64_t encoded(uint8_t encoding) {
    switch (encoding & 0x0f) {
      case DW_EH_PE_absptr:
      case DW_EH_PE_udata8:
      case DW_EH_PE_sdata8:
        return take<uint64_t>();
      case DW_EH_PE_udata4:
        return take<uint32_t>();
      case DW_EH_PE_sdata4:
        return uint64_t(int64_t(take<int32_t>()));
      case DW_EH_PE_udata2:
        return take<uint16_t>();
      case DW_EH_PE_sdata2:
        return uint64_t(int64_t(take<int16_t>()));
      default:
        ok_ = false;
        return 0;
    }
  }

 private:
  Bytes bytes_;
  uint64_t at_;
  bool ok_ = true;
};

// How the FDEs of a CIE write addresses. `at` is behind the CIE's id.
uint8_t pointer_encoding(Bytes section, uint64_t at) {
  Cursor cursor(section, at);
  const auto version = cursor.take<uint8_t>();
  const auto augmentation = text_at(section, cursor.at());
  if (!augmentation) return DW_EH_PE_omit;
  if (augmentation->empty()) return DW_EH_PE_absptr;
  if (augmentation->front() != 'z') return DW_EH_PE_omit;
  cursor.skip(augmentation->size() + 1);
  cursor.leb128();  // code alignment
  cursor.leb128();  // data alignment: signed, but the length is the same
  if (version == 1)
    cursor.take<uint8_t>();  // return address register
  else
    cursor.leb128();
  cursor.leb128();  // length of what follows
  for (const char c : augmentation->substr(1)) {
    if (c == 'R') {
      const auto encoding = cursor.take<uint8_t>();
      return cursor.ok() ? encoding : uint8_t(DW_EH_PE_omit);
    }
    if (c == 'L') {
      cursor.take<uint8_t>();
    } else if (c == 'P') {
      const auto encoding = cursor.take<uint8_t>();
      cursor.encoded(encoding);
    } else if (c != 'S' && c != 'B') {
      return DW_EH_PE_omit;
    }
    if (!cursor.ok()) return DW_EH_PE_omit;
  }
  return DW_EH_PE_absptr;
}

}  // namespace

std::vector<FrameExtent> read_eh_frame(Bytes section, uint64_t vaddr) {
  std::vector<FrameExtent> frames;
  std::unordered_map<uint64_t, uint8_t> encodings;  // by offset of the CIE
  for (uint64_t at = 0; at < section.size();) {
    Cursor cursor(section, at);
    uint64_t length = cursor.take<uint32_t>();
    if (length == 0xffffffff) length = cursor.take<uint64_t>();
    const uint64_t start = cursor.at();
    if (!cursor.ok() || length > section.size() - std::min<uint64_t>(start, section.size())) break;
    at = start + length;
    if (length == 0) continue;  // a terminator; linkers may put more behind it
    const uint32_t id = cursor.take<uint32_t>();
    if (!cursor.ok() || id == 0 || id > start) continue;

    // In .eh_frame, the id of an FDE is the distance from itself back to its CIE.
    const uint64_t cie = start - id;
    auto [known, is_new] = encodings.try_emplace(cie, uint8_t(DW_EH_PE_omit));
    if (is_new) {
      Cursor header(section, cie);
      if (header.take<uint32_t>() == 0xffffffff) header.take<uint64_t>();
      if (header.take<uint32_t>() == 0 && header.ok())
        known->second = pointer_encoding(section, header.at());
    }
    const uint8_t encoding = known->second;
    const uint8_t relative_to = encoding & 0x70;
    if (encoding == DW_EH_PE_omit || (encoding & DW_EH_PE_indirect) ||
        (relative_to != 0 && relative_to != DW_EH_PE_pcrel))
      continue;
    uint64_t begin = cursor.encoded(encoding);
    if (relative_to == DW_EH_PE_pcrel) begin += vaddr + start + sizeof id;
    const uint64_t size = cursor.encoded(encoding);
    if (cursor.ok() && cursor.at() <= at && size != 0) frames.push_back({begin, size});
  }
  std::sort(frames.begin(), frames.end(), [](const FrameExtent& a, const FrameExtent& b) {
    return a.vaddr != b.vaddr ? a.vaddr < b.vaddr : a.size > b.size;
  });
  return frames;
}

}  // namespace compmond::elf
