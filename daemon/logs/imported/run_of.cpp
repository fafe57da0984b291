// SPDX-License-Identifier: Apache-2.0
#include "imported/run_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/json_writer.h"
#include "base/out.h"
#include "core/limits.h"
#include "imported/import.h"
#include "text/clean.h"

namespace compmond::imported {
namespace {

constexpr const char* kEngine = "kieker";  // saw the calls
constexpr size_t kNameBytes = 180;         // of a component, as specs allow, with room for a number

// Names as a spec takes them: no separators of paths, nothing that cannot be shown, no two alike.
class Names {
 public:
  std::string made(std::string_view of) {
    std::string name = text::printable(of, kNameBytes);
    std::replace(name.begin(), name.end(), '/', '.');
    if (name.find_first_not_of(' ') == std::string::npos) name = "(no class)";
    std::string out = name;
    for (int copy = 2; !taken_.insert(out).second; ++copy) out = fmt::format("{} #{}", name, copy);
    return out;
  }

 private:
  std::set<std::string> taken_;
};

// Which symbols a component has is not asked of a log.
std::string spec_of(const std::vector<recording::Component>& components) {
  StringOut out;
  JsonWriter json(out);
  json.begin_object().member("schema", "compmond.spec/1").member("name", "a log of Kieker");
  json.key("components").begin_list();
  for (const recording::Component& component : components) {
    json.begin_object().member("name", component.path);
    json.key("in").begin_list().value("*").end();
    json.end();
  }
  json.end();
  json.end();
  return out.text();
}

}  // namespace

recording::Header header_of(const traces::Catalogue& catalogue, uint64_t begin_ns) {
  recording::Header out;
  out.version = "Kieker";
  out.run = "imported";
  out.spec_name = "a log of Kieker";
  std::unordered_map<std::string, int> components;
  Names names;
  for (const traces::TracedOperation& of : catalogue.operations()) {
    const auto [at, fresh] = components.emplace(of.component, int(out.components.size()));
    if (fresh) out.components.push_back({names.made(of.component), -1});
    recording::Operation op;
    op.component = at->second;
    op.name = text::printable(of.name, limits::kNameBytes);
    op.symbol = op.demangled =
        text::printable(of.signature.empty() ? of.name : of.signature, limits::kNameBytes);
    op.interface = "in";
    op.exit_mode = "return-probe";
    op.engine = kEngine;
    out.operations.push_back(std::move(op));
  }
  out.spec_text = spec_of(out.components);
  if (!catalogue.hosts().empty()) out.host.name = text::printable(catalogue.hosts().front(), 200);
  out.engines = {{kEngine, "log", false}};
  out.history_bytes = limits::kHistoryBytes;
  out.start_ns = out.begin_ns = kBeginNs;
  out.realtime_less_ns = begin_ns - kBeginNs;
  out.state.as_of_ns = kBeginNs;
  return out;
}

bool is_import(const recording::Header& header) {
  return !header.engines.empty() && header.engines.front().name == kEngine;
}

recording::State state_of(const traces::Catalogue& catalogue, uint64_t end_ns) {
  recording::State out;
  out.as_of_ns = end_ns;
  out.ended = true;
  for (size_t i = 0; i < catalogue.hosts().size(); ++i) {
    snapshot::Target target;
    target.pid = int64_t(i + 1);
    target.exe = text::printable(catalogue.hosts()[i], 200);
    target.alive = false;
    target.ended_ns = end_ns;
    out.targets.push_back(std::move(target));
  }
  return out;
}

}  // namespace compmond::imported
