// SPDX-License-Identifier: Apache-2.0
// Symbol patterns and names. The first line of an input is the pattern, each further one a raw
// symbol name.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.h"
#include "check.h"
#include "core/limits.h"
#include "names/names.h"
#include "names/pattern.h"
#include "names/wildcard.h"

namespace compmond::fuzz {
namespace {

using elf::Symbol;
using names::Pattern;

constexpr size_t kNames = 8;               // an input's time goes into different ones
constexpr size_t kTableBytes = 64 * 1024;  // of the reference table

bool within(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

// The textbook's table for wildcards, which no cleverness can have broken.
bool reference_match(std::string_view pattern, std::string_view text) {
  std::vector<bool> row(text.size() + 1);
  row[0] = true;
  for (const char p : pattern) {
    std::vector<bool> next(text.size() + 1);
    next[0] = row[0] && p == '*';
    for (size_t i = 1; i <= text.size(); ++i)
      next[i] = p == '*' ? next[i - 1] || row[i] : row[i - 1] && (p == '?' || p == text[i - 1]);
    row = std::move(next);
  }
  return row.back();
}

void check_name_parts(std::string_view name) {
  const auto signature = names::split_signature(name);
  FUZZ_CHECK(within(signature.name, name) && within(signature.parameters, name) &&
             within(signature.qualifiers, name));
  FUZZ_CHECK(within(names::last_component(name), name));
  FUZZ_CHECK(within(names::without_clone_note(name), name));
  if (const auto derived = names::derived_name(name)) {
    FUZZ_CHECK(!derived->base.empty() && name.starts_with(derived->base));
    FUZZ_CHECK(derived->base.size() < name.size());
  }
}

Symbol symbol_named(std::string_view name) {
  Symbol symbol;
  symbol.name = name;
  symbol.demangled = elf::demangle(symbol.name);
  // Room for the mark of a cut.
  FUZZ_CHECK(symbol.demangled.size() <= limits::kNameBytes + 3);
  FUZZ_CHECK(symbol.name.empty() || !symbol.demangled.empty());
  check_name_parts(symbol.name);
  check_name_parts(symbol.demangled);
  return symbol;
}

// A name without a pattern's characters is a pattern that matches itself.
void check_matches_itself(const Symbol& symbol) {
  if (symbol.name.empty() || symbol.name.size() > 1024 || symbol.name.starts_with("re:")) return;
  if (symbol.name.find_first_of(std::string_view("*?@\0", 4)) != std::string::npos) return;
  const auto self = Pattern::compile(symbol.name);
  FUZZ_CHECK(self.has_value() && self->matches(symbol));
}

void check_fit(const Pattern& pattern, std::string_view text, const Symbol& symbol) {
  const Pattern::Fit fit = pattern.fit(symbol);
  FUZZ_CHECK(pattern.matches(symbol) == (fit == Pattern::Fit::kYes));
  FUZZ_CHECK(pattern.fit(symbol) == fit);
  FUZZ_CHECK(fit != Pattern::Fit::kOtherVersion);
  if (fit == Pattern::Fit::kClone) FUZZ_CHECK(names::derived_name(symbol.name).has_value());
  if (text.starts_with("re:") || text.size() * symbol.name.size() > kTableBytes) return;
  const bool raw = reference_match(text, symbol.name);
  FUZZ_CHECK(names::wildcard_match(text, symbol.name) == raw);
  if (raw && text.find('@') == text.npos) FUZZ_CHECK(fit == Pattern::Fit::kYes);
}

void check_other_version(const Pattern& pattern, std::string_view text, Symbol symbol) {
  symbol.version = "V_1";
  symbol.default_version = false;
  if (text.starts_with("re:") || text.find('@') == text.npos) FUZZ_CHECK(!pattern.matches(symbol));
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond;
  using namespace compmond::fuzz;
  std::string_view rest = text_of(data, size);
  const auto line = [&rest] {
    const size_t end = rest.find('\n');
    const std::string_view head = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    return head;
  };
  const std::string_view text = line();
  const auto pattern = names::Pattern::compile(std::string(text));
  if (!pattern) {
    FUZZ_CHECK(pattern.error().code == Exit::kData && !pattern.error().why.empty());
  } else {
    FUZZ_CHECK(pattern->text() == text);
    FUZZ_CHECK(pattern->literal().name.size() <= text.size());
  }
  for (size_t i = 0; i < kNames && !rest.empty(); ++i) {
    const elf::Symbol symbol = symbol_named(line());
    check_matches_itself(symbol);
    if (!pattern) continue;
    check_fit(*pattern, text, symbol);
    check_other_version(*pattern, text, symbol);
  }
  return 0;
}
