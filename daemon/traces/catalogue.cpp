// SPDX-License-Identifier: Apache-2.0
#include "traces/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace compmond::traces {

std::string program_name(const std::string& exe, const std::vector<std::string>& all) {
  const auto leaf = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  const std::string name = leaf(exe);
  const bool shared = std::ranges::any_of(
      all, [&](const std::string& other) { return other != exe && leaf(other) == name; });
  return shared ? exe : name;
}

uint32_t Catalogue::Numbers::number(std::string_view name) {
  if (const auto found = index.find(name); found != index.end()) return found->second;
  names.emplace_back(name);
  return index.emplace(name, uint32_t(names.size() - 1)).first->second;
}

uint32_t Catalogue::thread(TracedThread thread) {
  threads_.push_back(std::move(thread));
  return uint32_t(threads_.size() - 1);
}

uint32_t Catalogue::add(std::string_view component, std::string_view signature,
                        std::string_view short_name, std::string_view long_name) {
  const auto id = uint32_t(operations_.size());
  std::string name(short_name);
  for (int copy = 1; !by_name_.emplace(fmt::format("{}\n{}", component, name), id).second; ++copy)
    name = copy == 1 ? std::string(long_name) : fmt::format("{} #{}", long_name, copy);
  operations_.push_back({std::string(component), std::move(name), std::string(signature)});
  return id;
}

uint32_t Catalogue::operation(std::string_view component, std::string_view signature,
                              std::string_view short_name, std::string_view long_name) {
  std::string key = fmt::format("{}\n{}", component, signature);
  if (const auto found = by_signature_.find(key); found != by_signature_.end())
    return found->second;
  return by_signature_.emplace(std::move(key), add(component, signature, short_name, long_name))
      .first->second;
}

uint32_t Catalogue::operation(std::string_view component, std::string_view name) {
  std::string key = fmt::format("{}\n\n{}", component, name);
  if (const auto found = by_signature_.find(key); found != by_signature_.end())
    return found->second;
  return by_signature_.emplace(std::move(key), add(component, "", name, name)).first->second;
}

}  // namespace compmond::traces
