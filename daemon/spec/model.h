// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/context.h"
#include "base/interface.h"
#include "base/words.h"

// The component spec as a value (schema compmond.spec/1). Passive data; parse.h makes it from JSON.
namespace compmond::spec {

enum class ExitMode : uint8_t { kAuto, kReturnProbe, kRetSites, kEntryOnly };
using compmond::ContextKind;
using compmond::ContextType;
using compmond::Interface;

constexpr auto words(ExitMode) {
  return word_table<ExitMode>({{ExitMode::kAuto, "auto"},
                               {ExitMode::kReturnProbe, "return-probe"},
                               {ExitMode::kRetSites, "ret-sites"},
                               {ExitMode::kEntryOnly, "entry-only"}});
}

struct Context {
  ContextKind kind = ContextKind::kTraceId;
  ContextType type = ContextType::kInteger;
  uint8_t argument = 1;  // 1 to kContextArguments
  bool operator==(const Context&) const = default;
};
constexpr int kContextArguments = 6;  // that a function gets in general registers

// One entry of `in` or `out`: a pattern and what was said about what it matches.
struct Operation {
  std::string symbol;  // pattern: wildcards, or "re:" and a regular expression
  std::string name;    // display name; empty: the symbol's own
  bool optional = false;
  ExitMode exit = ExitMode::kAuto;  // the component's when the operation says nothing
  std::string engine;               // likewise: which is to see it; empty: any
  std::optional<double> slo_ms;     // likewise
  bool landmark = false;            // likewise
  bool waiting = false;             // likewise: it only waits, as an event loop does
  std::vector<Context> contexts;    // at most one trace id, one session id, one give or take
  Interface interface = Interface::kIn;
  std::string pointer;  // JSON pointer to its place in the spec, for messages
};

struct Component {
  std::string name;      // as written; unique among its siblings
  std::string path;      // unique in the spec: "Parent/Child"
  int parent = -1;       // index in Spec::components, -1 at the top
  std::string color;     // "#rrggbb", or empty
  std::string image;     // path, file name with wildcards, or empty: the main executable (inherited
                         // from the parent)
  uint32_t program = 0;  // number of the run's program that it is part of (join.h)
  ExitMode exit = ExitMode::kAuto;  // inherited from the parent
  std::string engine;               // likewise
  std::optional<double> slo_ms;
  bool landmark = false, waiting = false;
  std::string kind;                   // free word such as "input", or empty
  std::vector<Operation> operations;  // `in` first, then `out`, each in the order of the spec
  std::string pointer;
};

struct Connection {
  int from = 0;  // indices in Spec::components
  int to = 0;
};

struct Spec {
  std::string name;                   // the file's name without ".json" when the spec gives none
  std::string path;                   // file it came from, or empty
  std::string text;                   // the JSON that it was parsed from
  std::vector<Component> components;  // flattened, a parent before its children
  std::vector<Connection> connections;
  // Of the files that it was made for, by their names without folders: lowercase hex.
  std::map<std::string, std::string> build_ids;
  // Whether code of the target may be written over, and whether nobody but root can have said so.
  bool allow_patching = false, by_root = false;
};

}  // namespace compmond::spec
