// SPDX-License-Identifier: Apache-2.0
#include "spec/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "spec/parse.h"
#include "text/clean.h"

namespace compmond::spec {
namespace {

using Ordered = nlohmann::ordered_json;

std::string names_of(const std::vector<Spec>& parts, std::string Spec::*of) {
  std::string out;
  for (const Spec& part : parts) out += (out.empty() ? "" : " + ") + part.*of;
  return out;
}

Unexpected cannot(const std::string& why, const std::string& next) {
  return fail(Exit::kData, "cannot join these specs", why, next);
}

Result<void> check_names(const std::vector<Spec>& parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    const Spec& one = parts[i];
    if (one.name.find('/') != one.name.npos)
      return cannot(
          fmt::format("'{}' of {} holds a '/', and becomes a component's", one.name, one.path),
          "Give the spec another \"name\".");
    for (size_t j = 0; j < i; ++j)
      if (parts[j].name == one.name)
        return cannot(
            fmt::format("{} and {} are both named '{}'", parts[j].path, one.path, one.name),
            "Give one of them another \"name\": it stands in front of its components.");
  }
  return {};
}

// Each part was read before, so its text is well formed.
Ordered whole_of(const std::vector<Spec>& parts, const std::string& name) {
  Ordered components = Ordered::array(), connections = Ordered::array();
  for (const Spec& part : parts) {
    Ordered own = Ordered::parse(part.text);
    components.push_back({{"name", part.name}, {"components", std::move(own["components"])}});
    const auto path = [&](int component) {
      return part.name + "/" + part.components[size_t(component)].path;
    };
    for (const Connection& one : part.connections)
      connections.push_back({path(one.from), path(one.to)});
  }
  Ordered out = {
      {"schema", "compmond.spec/1"}, {"name", name}, {"components", std::move(components)}};
  if (!connections.empty()) out["connections"] = std::move(connections);
  return out;
}

// What the text does not say, of the component around a part and of those in it; both list these in
// the same order.
void complete(const Spec& part, uint32_t program, std::vector<Component>::iterator to) {
  to->program = program;
  to++->pointer = part.path;
  for (const Component& from : part.components) {
    const auto place = [&](const std::string& pointer) { return part.path + ":" + pointer; };
    to->program = program;
    to->pointer = place(from.pointer);
    for (size_t i = 0; i < from.operations.size(); ++i)
      to->operations[i].pointer = place(from.operations[i].pointer);
    ++to;
  }
}

// "shop + bank"; as a name, so with no more bytes than these have.
std::string name_of(const std::vector<Spec>& parts) {
  constexpr size_t kBytes = 100;
  std::string all = names_of(parts, &Spec::name);
  if (all.size() <= kBytes) return all;
  const std::string first = text::printable(parts.front().name, kBytes);
  return parts.size() == 2 ? first + " and another"
                           : fmt::format("{} and {} others", first, parts.size() - 1);
}

}  // namespace

Result<Spec> joined(const std::vector<Spec>& parts) {
  if (auto fine = check_names(parts); !fine) return Unexpected(std::move(fine.error()));
  auto out = parse(whole_of(parts, name_of(parts)).dump(), names_of(parts, &Spec::path));
  if (!out) return out;
  auto to = out->components.begin();
  for (uint32_t program = 0; program < parts.size(); ++program) {
    complete(parts[program], program, to);
    out->build_ids.insert(parts[program].build_ids.begin(), parts[program].build_ids.end());
    to += ptrdiff_t(parts[program].components.size()) + 1;
  }
  return out;
}

}  // namespace compmond::spec
