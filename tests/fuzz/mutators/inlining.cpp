// SPDX-License-Identifier: Apache-2.0
// Units of .debug_info with lengths that fit, and abbreviations made of what readers of inlining
// look for; the form of an input is in fuzz_inlining.cpp.
#include <dwarf.h>

#include <string>
#include <vector>

#include "bytes.h"
#include "entries.h"

namespace compmond::fuzz {
namespace {

constexpr uint8_t kTags[] = {DW_TAG_compile_unit, DW_TAG_subprogram, DW_TAG_inlined_subroutine,
                             DW_TAG_lexical_block, DW_TAG_call_site};
constexpr uint8_t kAttributes[] = {DW_AT_name,          DW_AT_linkage_name, DW_AT_abstract_origin,
                                   DW_AT_specification, DW_AT_call_origin,  DW_AT_sibling,
                                   DW_AT_inline};
constexpr uint8_t kForms[] = {
    DW_FORM_string, DW_FORM_strp,   DW_FORM_ref4,     DW_FORM_ref_udata,      DW_FORM_ref_addr,
    DW_FORM_data1,  DW_FORM_block1, DW_FORM_indirect, DW_FORM_implicit_const, DW_FORM_flag_present};

// code, tag, has children, pairs of attribute and form, 0, 0; all small enough for one byte.
std::string declaration(uint8_t code, Dice& dice) {
  std::string out{char(code), char(dice.of(kTags)), char(dice.below(2))};
  for (size_t n = dice.below(4); n > 0; --n) {
    const uint8_t form = dice.of(kForms);
    out += {char(dice.of(kAttributes)), char(form)};
    if (form == DW_FORM_implicit_const) out.push_back(char(dice.below(64)));
  }
  return out + std::string(2, '\0');
}

// A unit with a function that is inlined into another one, and called.
std::string sound_abbreviations() {
  std::string out;
  const std::initializer_list<uint8_t> bytes = {1,
                                                DW_TAG_compile_unit,
                                                1,
                                                DW_AT_name,
                                                DW_FORM_string,
                                                0,
                                                0,
                                                2,
                                                DW_TAG_subprogram,
                                                0,
                                                DW_AT_name,
                                                DW_FORM_string,
                                                0,
                                                0,
                                                3,
                                                DW_TAG_subprogram,
                                                1,
                                                DW_AT_name,
                                                DW_FORM_strp,
                                                0,
                                                0,
                                                4,
                                                DW_TAG_inlined_subroutine,
                                                0,
                                                DW_AT_abstract_origin,
                                                DW_FORM_ref4,
                                                0,
                                                0,
                                                5,
                                                DW_TAG_call_site,
                                                0,
                                                DW_AT_call_origin,
                                                DW_FORM_ref4,
                                                0,
                                                0,
                                                0};
  for (const uint8_t byte : bytes) out.push_back(char(byte));
  return out;
}

std::string sound_unit() {
  using namespace std::string_literals;
  // version 4, abbreviations at 0, addresses of 8 bytes; "u"; "f"; the first text; two places
  return "\x04\0\0\0\0\0\x08\x01u\0\x02"s + "f\0\x03\0\0\0\0\x04\x0e\0\0\0\x05\x0e\0\0\0\0\0"s;
}

void put(std::string& out, std::string_view sized) {
  const auto size = uint16_t(std::min<size_t>(sized.size(), UINT16_MAX));
  out.push_back(char(size & 0xff));
  out.push_back(char(size >> 8));
  out += sized.substr(0, size);
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  using namespace compmond::fuzz;
  Dice dice(seed);
  if (dice.one_in(8)) return LLVMFuzzerMutate(data, size, most);
  Bytes bytes(data, size);
  const auto a = bytes.take(bytes.take<uint16_t>());
  const auto s = bytes.take(bytes.take<uint16_t>());
  std::string abbreviations(text_of(a.data(), a.size())), strings(text_of(s.data(), s.size()));
  auto units = entries_of(text_of(bytes.rest().data(), bytes.rest().size()));
  if (abbreviations.empty()) abbreviations = sound_abbreviations();
  if (strings.empty()) strings = std::string("g\0h\0", 4);
  if (units.empty()) units.push_back(sound_unit());
  switch (dice.below(5)) {
    case 0:
      abbreviations = mutated(abbreviations, 8);
      break;
    case 1:
      abbreviations.insert(0, declaration(uint8_t(1 + dice.below(8)), dice));
      break;
    case 2:
      strings = mutated(strings, 8);
      break;
    default:
      change_entries(units, 7, dice);  // the unit's own head
  }
  std::string out;
  put(out, abbreviations);
  put(out, strings);
  return as_input(out + joined(units, dice), data, size, most);
}
