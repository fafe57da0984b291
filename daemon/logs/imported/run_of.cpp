// SPDX-License-Identifier: Apache-2.0
#include "imported/run_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/out.h"
#include "core/limits.h"
#include "imported/import.h"
#include "text/clean.h"
#include "text/numbers.h"

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

using Children = std::map<int, std::vector<int>>;  // by parent

// Which symbols a component has is not asked of a log.
void write_below(const std::vector<recording::Component>& components, const Children& children,
                 int parent, JsonWriter& json) {
  json.key("components").begin_list();
  for (const int child : children.at(parent)) {
    const std::string& path = components[size_t(child)].path;
    json.begin_object().member("name", path.substr(path.rfind('/') + 1));
    if (children.contains(child))
      write_below(components, children, child, json);
    else
      json.key("in").begin_list().value("*").end();
    json.end();
  }
  json.end();
}

std::string spec_of(const std::vector<recording::Component>& components) {
  Children children{{-1, {}}};
  for (size_t i = 0; i < components.size(); ++i) children[components[i].parent].push_back(int(i));
  StringOut out;
  JsonWriter json(out);
  json.begin_object().member("schema", "compmond.spec/1").member("name", "a log of Kieker");
  write_below(components, children, -1, json);
  json.end();
  return out.text();
}

Unexpected too_many(const std::string& path, size_t operations, const std::string& shown) {
  return fail(
      Exit::kData, fmt::format("cannot replay the log '{}'", path),
      fmt::format("it has {}, and {}", text::counted(operations, "operation", "operations"), shown),
      kInstead);
}

bool of_several_hosts(const std::vector<Placed>& operations) {
  return std::ranges::any_of(
      operations, [&](const Placed& one) { return one.host != operations.front().host; });
}

// The components of a run, made as their operations ask for them.
class Components {
 public:
  Components(const traces::Catalogue& catalogue, bool below_hosts,
             std::vector<recording::Component>& out)
      : catalogue_(catalogue), below_hosts_(below_hosts), out_(out) {}

  int of(const Placed& placed) {
    const std::string& of = catalogue_.operations()[placed.operation].component;
    const uint32_t host = below_hosts_ ? placed.host : 0;
    const auto known = classes_.find({host, of});
    if (known != classes_.end()) return known->second;
    const int parent = below_hosts_ ? of_host(host) : -1;
    const std::string below = parent < 0 ? "" : out_[size_t(parent)].path + "/";
    out_.push_back({below + names_[parent].made(of), parent});
    return classes_[{host, of}] = int(out_.size() - 1);
  }

 private:
  int of_host(uint32_t host) {
    const auto [at, fresh] = hosts_.try_emplace(host, int(out_.size()));
    if (fresh) out_.push_back({names_[-1].made(catalogue_.hosts()[host]), -1});
    return at->second;
  }

  const traces::Catalogue& catalogue_;
  const bool below_hosts_;
  std::vector<recording::Component>& out_;
  std::map<uint32_t, int> hosts_;
  std::map<std::pair<uint32_t, std::string>, int> classes_;
  std::map<int, Names> names_;  // by parent
};

}  // namespace

std::vector<Placed> operations_of(const traces::Catalogue& catalogue, std::vector<Placed> seen) {
  std::ranges::sort(seen);
  if (of_several_hosts(seen)) return seen;
  std::vector<Placed> out;
  const uint32_t host = seen.empty() ? 0 : seen.front().host;
  for (size_t i = 0; i < catalogue.operations().size(); ++i) out.push_back({host, uint32_t(i)});
  return out;
}

Result<recording::Header> header_of(const traces::Catalogue& catalogue,
                                    const std::vector<Placed>& operations,
                                    const std::string& path) {
  const size_t all = std::max(catalogue.operations().size(), operations.size());
  if (all > limits::kOperationsMany)
    return too_many(path, all,
                    fmt::format("{} can be shown", text::count(limits::kOperationsMany)));
  recording::Header out;
  out.version = "Kieker";
  out.run = "imported";
  out.spec_name = "a log of Kieker";
  Components components(catalogue, of_several_hosts(operations), out.components);
  for (const Placed& placed : operations) {
    const traces::TracedOperation& of = catalogue.operations()[placed.operation];
    recording::Operation op;
    op.component = components.of(placed);
    op.name = text::printable(of.name, limits::kNameBytes);
    op.symbol = op.demangled =
        text::printable(of.signature.empty() ? of.name : of.signature, limits::kNameBytes);
    op.interface = "in";
    op.exit_mode = "return-probe";
    op.engine = kEngine;
    out.operations.push_back(std::move(op));
  }
  out.spec_text = spec_of(out.components);
  const size_t classes = out.components.size(), bytes = out.spec_text.size();
  if (bytes > limits::kSpecBytes)
    return too_many(
        path, all,
        fmt::format("those of some {} of its {} classes can be shown",
                    text::count(classes * limits::kSpecBytes / bytes), text::count(classes)));
  if (!catalogue.hosts().empty()) out.host.name = text::printable(catalogue.hosts().front(), 200);
  out.engines = {{kEngine, "log", false}};
  out.history_bytes = limits::kHistoryBytes;
  out.start_ns = out.begin_ns = kBeginNs;
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
