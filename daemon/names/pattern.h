// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/image.h"

namespace compmond::names {

// A symbol pattern of the spec: `*` and `?` wildcards on the raw or the demangled name, or "re:"
// and a regular expression of RE2 that must match one of them whole. A wildcard pattern
// without parentheses matches any parameter list; one with a parameter list and no qualifiers
// matches any qualifiers ("f(int)" the function "f(int) const"). ABI tags need not be written ("f"
// matches "f[abi:cxx11](int)"). "name@VERSION" asks for a symbol
// version; without it only default versions match. Matching takes at most pattern × name steps, and
// no stack that grows with a name.
class Pattern {
 public:
  // Exit::kData for an empty or too long pattern, a version that is missing, an expression that is
  // wrong (with the place) or too long.
  static Result<Pattern> compile(const std::string& text);

  enum class Fit {
    kNo,
    kYes,
    kClone,         // the name is that of a copy or part which the compiler made of a function that
                    // matches; found where a copy is the function's only body
    kOtherVersion,  // the name matches, but is not the default version
  };
  Fit fit(const elf::Symbol& symbol) const;
  bool matches(const elf::Symbol& symbol) const { return fit(symbol) == Fit::kYes; }
  const std::string& text() const { return text_; }

  // The pattern without what makes it one: "fh::open" for "fh::open*(int)" and "re:fh::open.*". For
  // looking up similar names; `prefix` when more may follow the name.
  struct Literal {
    std::string name;
    bool prefix = false;
    bool versioned = false;
  };
  Literal literal() const;

  // What the raw or the demangled name of every match begins with; empty when nothing is known.
  const std::string& prefix() const;

 private:
  struct Impl;
  std::string text_;
  std::shared_ptr<const Impl> impl_;
};

// What a pattern finds in an image.
struct Matches {
  std::vector<const elf::Symbol*>
      functions;  // one per address: aliases are merged (the global, shortest name wins)
  // Matching symbols that cannot be observed, each with the reason for people ("an import from
  // another library", "an IFUNC resolver; implementations: …", "data, not code", "the compiler
  // cloned it: foo.constprop.0", …).
  struct Rejected {
    const elf::Symbol* symbol = nullptr;
    std::string reason;
  };
  std::vector<Rejected> rejected;
};

// Finds many patterns in one image, which must outlive it: after some searches it sorts the names,
// so that a search looks at those alone that begin as the pattern does.
class Finder {
 public:
  explicit Finder(const elf::Image& image) : image_(image) {}
  Matches find(const Pattern& pattern);

 private:
  struct Name {
    std::string_view text;
    uint32_t symbol;  // index into image.symbols()
  };
  void sort_names();
  std::vector<uint32_t> beginning_with(std::string_view prefix) const;

  const elf::Image& image_;
  unsigned searches_ = 0;
  std::vector<Name> names_;  // raw and demangled ones, by text; empty until that pays
};

// One pattern in an image.
Matches find(const elf::Image& image, const Pattern& pattern);

// The up to `count` symbol names nearest to a pattern that found nothing: clones (.constprop,
// .part, .isra, .cold) first, then same name with other case or namespace, then smallest edit
// distance. For error messages.
std::vector<std::string> nearest(const elf::Image& image, const Pattern& pattern, size_t count = 5);

}  // namespace compmond::names
