// SPDX-License-Identifier: Apache-2.0
#include "suggest/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>
#include <vector>

#include "text/clean.h"

namespace compmond::suggest {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    out.push_back(line.substr(at, end - at));
    at = end;
  }
  return out;
}

Unexpected cannot(std::string why) {
  return fail(Exit::kUsage, "cannot change the draft so", std::move(why), edit_help());
}

Result<size_t> place_of(const Draft& draft, std::string_view word) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 1 ||
      number > draft.components.size())
    return cannot(fmt::format("'{}' is no component's number, 1 to {}", word.substr(0, 40),
                              draft.components.size()));
  return number - 1;
}

Result<Edited> rename(Draft& draft, std::string_view line, std::string_view number,
                      std::string_view first) {
  const auto at = place_of(draft, number);
  if (!at) return Unexpected(at.error());
  std::string name(line.substr(size_t(first.data() - line.data())));
  name.erase(name.find_last_not_of(" \t\r") + 1);
  constexpr size_t kLongest = 200;
  if (name.find('/') != std::string::npos || text::has_control(name) || name.size() > kLongest)
    return cannot("a name has no '/' and no control characters, and at most 200 bytes");
  for (size_t i = 0; i < draft.components.size(); ++i)
    if (i != *at && draft.components[i].name == name)
      return cannot(fmt::format("component {} is called '{}', too", i + 1, name));
  draft.components[*at].name = std::move(name);
  return Edited::kChanged;
}

Result<Edited> merge(Draft& draft, const std::vector<std::string_view>& numbers) {
  std::vector<size_t> places;
  for (const std::string_view one : numbers) {
    const auto at = place_of(draft, one);
    if (!at) return Unexpected(at.error());
    if (std::ranges::find(places, *at) == places.end()) places.push_back(*at);
  }
  if (places.size() < 2) return cannot("it takes two components to be one");
  DraftComponent& into = draft.components[places[0]];
  for (size_t i = 1; i < places.size(); ++i) {
    const DraftComponent& other = draft.components[places[i]];
    if (other.image != into.image)
      return cannot(fmt::format("'{}' and '{}' are in different files", into.name, other.name));
  }
  for (size_t i = 1; i < places.size(); ++i) {
    const DraftComponent& other = draft.components[places[i]];
    into.operations.insert(into.operations.end(), other.operations.begin(), other.operations.end());
    into.cpu_share += other.cpu_share;
    into.waiting_share += other.waiting_share;
    into.functions += other.functions;
  }
  std::sort(places.begin() + 1, places.end(), std::greater());
  for (size_t i = 1; i < places.size(); ++i)
    draft.components.erase(draft.components.begin() + std::ptrdiff_t(places[i]));
  return Edited::kChanged;
}

}  // namespace

std::string edit_help() {
  return "Enter accepts it; drop 3, rename 3 NAME, merge 2 5 change it; quit writes nothing.";
}

Result<Edited> edit(Draft& draft, std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty()) return Edited::kAccepted;
  if (words[0] == "quit" && words.size() == 1) return Edited::kQuit;
  if (words[0] == "rename" && words.size() > 2) return rename(draft, line, words[1], words[2]);
  if (words[0] == "merge" && words.size() > 1)
    return merge(draft, {words.begin() + 1, words.end()});
  if (words[0] != "drop" || words.size() != 2) return cannot("nobody knows what that means");
  const auto at = place_of(draft, words[1]);
  if (!at) return Unexpected(at.error());
  if (draft.components.size() == 1) return cannot("it is the only component");
  draft.components.erase(draft.components.begin() + std::ptrdiff_t(*at));
  return Edited::kChanged;
}

}  // namespace compmond::suggest
