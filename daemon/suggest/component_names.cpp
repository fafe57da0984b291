// SPDX-License-Identifier: Apache-2.0
#include "suggest/component_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "suggest/name_parts.h"
#include "text/clean.h"
#include "text/match.h"

namespace compmond::suggest {
namespace {

constexpr std::string_view kScope = "::";
constexpr size_t kNameBytes = 160;  // a spec takes 200: with what tells two apart

// "libcrypto" of "/usr/lib/libcrypto.so.3".
std::string stem_of(const std::string& path) {
  const std::string_view leaf = text::leaf(path);
  return std::string(leaf.substr(0, leaf.find(".so")));
}

// "fh::Server" of "fh::Server", "fmt::detail" of "fmt::v9::detail": words that many libraries have
// say nothing alone.
std::string last_word(std::string_view scope) {
  constexpr std::array<std::string_view, 7> kCommon = {"detail", "details",  "impl", "imp",
                                                       "inner",  "internal", "main"};
  const size_t at = scope.rfind(kScope);
  if (at == std::string_view::npos) return std::string(scope);
  const std::string_view last = scope.substr(at + kScope.size());
  const bool common = std::ranges::find(kCommon, last) != kCommon.end();
  return common ? last_word(scope.substr(0, at)) + std::string(scope.substr(at))
                : std::string(last);
}

// As a spec takes it: a '/' parts names.
std::string fit(std::string_view name) {
  std::string out = text::printable(text::clean(name), kNameBytes);
  std::ranges::replace(out, '/', '.');
  return out.find_first_not_of(' ') == std::string::npos ? "unnamed" : out;
}

// Whether another group's scope lies in that of this one, which is only the rest then.
bool has_parts(const std::vector<Group>& groups, const Group& of) {
  return std::ranges::any_of(groups, [&](const Group& one) {
    return one.image == of.image && one.scope.size() > of.scope.size() &&
           one.scope.starts_with(of.scope);
  });
}

std::string whole_name(const std::string& name, const Program& program,
                       const std::vector<Group>& groups, size_t at, const Part& part) {
  const Group& group = groups[at];
  const Image& image = program.images[group.image];
  if (part.entries.size() == 1 && (image.main || !group.scope.empty())) {
    const Function& only = program.functions[part.entries.front().function];
    if (!only.scoped() || has_parts(groups, group)) return plain_name_of(only);
  }
  if (!group.scope.empty()) return group.scope;
  return image.main ? name : stem_of(image.path);
}

}  // namespace

std::vector<std::string> component_names(const std::string& name, const Program& program,
                                         const std::vector<Group>& groups,
                                         const std::vector<Part>& parts) {
  std::vector<std::string> whole, last, out;
  for (size_t i = 0; i < groups.size(); ++i) {
    whole.push_back(whole_name(name, program, groups, i, parts[i]));
    last.push_back(last_word(whole.back()));
  }
  std::set<std::string> taken;
  for (size_t i = 0; i < groups.size(); ++i) {
    const std::string file = groups[i].scope.empty()
                                 ? std::string("other")
                                 : stem_of(program.images[groups[i].image].path);
    std::string one = fit(std::ranges::count(last, last[i]) == 1 ? last[i] : whole[i]);
    for (int number = 1; !taken.insert(one).second; ++number)
      one = fmt::format("{} ({})", fit(whole[i]), fit(file).substr(0, 20)) +
            (number > 1 ? fmt::format(" {}", number) : "");
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace compmond::suggest
