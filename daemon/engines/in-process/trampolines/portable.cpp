// SPDX-License-Identifier: Apache-2.0
#include "trampolines/portable.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "code/insn.h"
#include "core/byte_stream.h"

namespace compmond::inprocess {
namespace {

template <class T, class Of>
concept Is = std::is_same_v<std::remove_const_t<T>, Of>;

constexpr Trampolines::Place kNowhere{.bias = 0, .at = 0, .recorder = 0, .first_site = 0};
constexpr size_t kMost = 1 << 20;  // bytes of one function's code, and whatever else it has

template <class Number>
Number number_at(const uint8_t* bytes) {
  Number out;
  std::memcpy(&out, bytes, sizeof out);
  return out;
}

// False: the distance does not fit.
bool move(uint8_t* distance, int64_t by) {
  const int64_t now = int64_t(number_at<int32_t>(distance)) + by;
  const auto fits = int32_t(now);
  if (now != fits) return false;
  std::memcpy(distance, &fits, sizeof fits);
  return true;
}

bool is_sound(const PortableCode& code) {
  if (code.code.size() > kMost || code.changes.empty() || code.sites.empty() ||
      std::ranges::any_of(code.sites,
                          [](const Site& site) { return site.kind > Site::Kind::kValue; }))
    return false;
  for (const Trampolines::Fixup& fixup : code.fixups) {
    if (fixup.at > code.code.size() || code.code.size() - fixup.at < sizeof(uint32_t) ||
        fixup.to > Trampolines::Relative::kSite)
      return false;
    if (fixup.to == Trampolines::Relative::kSite &&
        number_at<uint32_t>(&code.code[fixup.at]) >= code.sites.size())
      return false;
  }
  return std::ranges::all_of(code.changes,
                             [](const PortableCode::Change& change) {
                               return change.size == Patch::kJump ||
                                      change.size == Patch::kShortJump;
                             }) &&
         std::ranges::all_of(
             code.twins,
             [&](const PortableCode::Twin& twin) { return twin.at < code.code.size(); }) &&
         std::ranges::is_sorted(code.stretches, {}, &Trampolines::Stretch::at) &&
         (code.stretches.empty() || code.stretches.back().at <= code.code.size());
}

}  // namespace

template <class A, Is<Site> T>
void fields(A& archive, T& site) {
  archive(site.function, site.kind, site.depth, site.place);
}
template <class A, Is<Trampolines::Fixup> T>
void fields(A& archive, T& fixup) {
  archive(fixup.at, fixup.to);
}
template <class A, Is<PortableCode::Twin> T>
void fields(A& archive, T& twin) {
  archive(twin.vaddr, twin.at);
}
template <class A, Is<PortableCode::Change> T>
void fields(A& archive, T& change) {
  archive(change.vaddr, change.size);
  for (auto& byte : change.before) archive(byte);
  for (auto& byte : change.after) archive(byte);
}
template <class A, Is<Trampolines::Stretch> T>
void fields(A& archive, T& stretch) {
  archive(stretch.at, stretch.original, stretch.depth);
}
template <class A, Is<PortableCode> T>
void fields(A& archive, T& code) {
  archive(code.code, code.fixups, code.sites, code.changes, code.twins, code.stretches);
}

std::optional<PortableCode> portable(const code::Memory& memory, const FunctionPatches& patches) {
  Trampolines trampolines(memory, kNowhere);
  if (!trampolines.add(0, patches)) return std::nullopt;
  PortableCode out;
  out.code = trampolines.code();
  out.fixups = trampolines.fixups();
  out.sites.assign(trampolines.sites().begin(), trampolines.sites().end());
  for (const Trampolines::Twin& twin : trampolines.twins())
    out.twins.push_back({twin.original, uint32_t(twin.moved)});
  out.stretches = trampolines.stretches();
  code::CodeReader reader(memory);
  for (const Trampolines::Write& write : trampolines.writes()) {
    PortableCode::Change change{write.at, write.size, {}, write.bytes};
    const auto before = reader.at(write.at);
    if (before.size() < write.size) return std::nullopt;
    std::copy_n(before.begin(), write.size, change.before.begin());
    out.changes.push_back(change);
  }
  return out;
}

std::string packed(const PortableCode& code) {
  ByteWriter writer;
  writer(code);
  return writer.take();
}

std::optional<PortableCode> unpacked(std::string_view bytes) {
  ByteReader reader(bytes);
  PortableCode out;
  reader(out);
  if (!reader.at_end() || !is_sound(out)) return std::nullopt;
  return out;
}

std::optional<PlacedCode> placed(const PortableCode& code, const Trampolines::Place& place) {
  PlacedCode out{.code = code.code, .changes = {}, .twins = {}, .stretches = {}};
  for (const Trampolines::Fixup& fixup : code.fixups) {
    uint8_t* const at = &out.code[fixup.at];
    switch (fixup.to) {
      case Trampolines::Relative::kToImage:
        if (!move(at, int64_t(place.bias - place.at))) return std::nullopt;
        break;
      case Trampolines::Relative::kToRecorder:
        if (!move(at, int64_t(place.recorder - place.at))) return std::nullopt;
        break;
      case Trampolines::Relative::kSite:
        const uint32_t site = number_at<uint32_t>(at) + place.first_site;
        std::memcpy(at, &site, sizeof site);
    }
  }
  for (const PortableCode::Change& change : code.changes) {
    PlacedCode::Change to{change.vaddr + place.bias, change.size, change.before, change.after};
    if (change.size == Patch::kJump && !move(&to.after[1], int64_t(place.at - place.bias)))
      return std::nullopt;
    out.changes.push_back(to);
  }
  for (const PortableCode::Twin& twin : code.twins)
    out.twins.push_back({twin.vaddr + place.bias, place.at + twin.at});
  for (const Trampolines::Stretch& one : code.stretches)
    out.stretches.push_back({one.at + place.at, one.original + place.bias, one.depth});
  return out;
}

}  // namespace compmond::inprocess
