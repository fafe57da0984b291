// SPDX-License-Identifier: Apache-2.0
#include "spec/connections.h"

#include "text/clean.h"
#include "text/nearest.h"

namespace compmond::spec {

Connections::Connections(const Spec& spec) : spec_(spec) {
  for (size_t i = 0; i < spec.components.size(); ++i) {
    paths_.emplace(spec.components[i].path, int(i));
    names_[spec.components[i].name].push_back(int(i));
  }
}

Result<int> Connections::resolve(std::string_view name) const {
  if (const auto path = paths_.find(name); path != paths_.end()) return path->second;
  const auto same = names_.find(name);
  if (same == names_.end()) {
    std::vector<std::string_view> known;
    for (const auto& [path, index] : paths_) known.push_back(path);
    for (const auto& [bare, indices] : names_) known.push_back(bare);
    const std::string meant = text::did_you_mean(name, known);
    return fail(Exit::kData, {}, fmt::format("there is no component {}", text::in_quotes(name)),
                meant.empty()
                    ? "Name a component of this spec by its name, or by its path \"Parent/Child\"."
                    : meant);
  }
  if (same->second.size() > 1)
    return fail(
        Exit::kData, {},
        fmt::format("{} components are named {}", same->second.size(), text::in_quotes(name)),
        fmt::format("Name one by its path, for example {}.",
                    text::in_quotes(spec_.components[size_t(same->second.front())].path)));
  return same->second.front();
}

}  // namespace compmond::spec
