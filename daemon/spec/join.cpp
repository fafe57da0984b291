// SPDX-License-Identifier: Apache-2.0
#include "spec/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "spec/parse.h"

namespace compmond::spec {
namespace {

using Ordered = nlohmann::ordered_json;

std::string names_of(const std::vector<Part>& parts, std::string Spec::*of) {
  std::string out;
  for (const Part& part : parts) out += (out.empty() ? "" : " + ") + part.spec.*of;
  return out;
}

Unexpected cannot(const std::string& why, const std::string& next) {
  return fail(Exit::kData, "cannot join these specs", why, next);
}

Result<void> check_names(const std::vector<Part>& parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    const Spec& one = parts[i].spec;
    if (one.name.find('/') != one.name.npos)
      return cannot(
          fmt::format("'{}' of {} holds a '/', and becomes a component's", one.name, one.path),
          "Give the spec another \"name\".");
    for (size_t j = 0; j < i; ++j)
      if (parts[j].spec.name == one.name)
        return cannot(
            fmt::format("{} and {} are both named '{}'", parts[j].spec.path, one.path, one.name),
            "Give one of them another \"name\": it stands in front of its components.");
  }
  return {};
}

// Each part was read before, so its text is well formed.
Ordered whole_of(const std::vector<Part>& parts, const std::string& name) {
  Ordered components = Ordered::array(), connections = Ordered::array();
  for (const Part& part : parts) {
    Ordered own = Ordered::parse(part.spec.text);
    components.push_back({{"name", part.spec.name},
                          {"image", part.exe},
                          {"components", std::move(own["components"])}});
    const auto path = [&](int component) {
      return part.spec.name + "/" + part.spec.components[size_t(component)].path;
    };
    for (const Connection& one : part.spec.connections)
      connections.push_back({path(one.from), path(one.to)});
  }
  Ordered out = {
      {"schema", "compmond.spec/1"}, {"name", name}, {"components", std::move(components)}};
  if (!connections.empty()) out["connections"] = std::move(connections);
  return out;
}

// As its own file has them; both list components in the same order.
void keep_places(const Part& part, std::vector<Component>::iterator to) {
  to++->pointer = part.spec.path;
  for (const Component& from : part.spec.components) {
    const auto place = [&](const std::string& pointer) { return part.spec.path + ":" + pointer; };
    to->pointer = place(from.pointer);
    for (size_t i = 0; i < from.operations.size(); ++i)
      to->operations[i].pointer = place(from.operations[i].pointer);
    ++to;
  }
}

}  // namespace

Result<Spec> joined(const std::vector<Part>& parts) {
  if (auto fine = check_names(parts); !fine) return Unexpected(std::move(fine.error()));
  // A name has at most 200 bytes, which of many specs is not enough for all of theirs.
  constexpr size_t kNames = 4;
  const std::string name =
      parts.size() > kNames
          ? fmt::format("{} and {} others", parts.front().spec.name, parts.size() - 1)
          : names_of(parts, &Spec::name);
  auto out = parse(whole_of(parts, name).dump(2), names_of(parts, &Spec::path));
  if (!out) return out;
  auto to = out->components.begin();
  for (const Part& part : parts) {
    keep_places(part, to);
    to += ptrdiff_t(part.spec.components.size()) + 1;
  }
  return out;
}

}  // namespace compmond::spec
