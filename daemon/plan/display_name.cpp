// SPDX-License-Identifier: Apache-2.0
#include "plan/display_name.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "names/names.h"
#include "text/match.h"

namespace compmond::plan {
namespace {

// Where the name proper begins: behind the last space outside of brackets, if that ends a return
// type.
size_t name_begin(std::string_view name) {
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    // Everything behind "operator" belongs to the name: "operator new", "operator<", "operator()".
    if (depth == 0 && name.substr(i).starts_with("operator") && (i == begin || name[i - 1] == ':'))
      break;
    const char c = name[i];
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    if (c == ' ' && depth == 0) begin = i + 1;
  }
  return begin;
}

// Without "[abi:cxx11]", which says what is returned.
std::string untagged(std::string_view name) {
  std::string out;
  for (;;) {
    const size_t tag = name.find("[abi:");
    out += name.substr(0, tag);
    const size_t end = tag == name.npos ? tag : name.find(']', tag);
    if (end == name.npos) return out;
    name.remove_prefix(end + 1);
  }
}

using Groups = std::map<std::pair<int, std::string>, std::vector<PlannedOperation*>>;

Groups by_name(Plan& plan) {
  Groups groups;
  for (PlannedOperation& operation : plan.operations)
    groups[{operation.component, operation.name}].push_back(&operation);
  return groups;
}

}  // namespace

std::string plain_name(const std::string& demangled) {
  const std::string_view name = names::split_signature(names::without_clone_note(demangled)).name;
  return untagged(name.substr(name_begin(name)));
}

void make_names_unique(Plan& plan) {
  for (auto& [key, group] : by_name(plan))
    if (group.size() > 1)
      for (PlannedOperation* operation : group) operation->name = operation->demangled;
  for (auto& [key, group] : by_name(plan))
    if (group.size() > 1)
      for (PlannedOperation* operation : group) {
        const std::string& path = plan.images[size_t(operation->image)].path;
        operation->name += fmt::format(" at {}+{:#x}", text::leaf(path), operation->vaddr);
      }
}

}  // namespace compmond::plan
