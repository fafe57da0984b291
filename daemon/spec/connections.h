// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "spec/model.h"

namespace compmond::spec {

// Finds the components that connections name, by path or by a bare name that only one component
// has. A path wins. Keeps views into the spec's components, which must not change meanwhile.
class Connections {
 public:
  explicit Connections(const Spec& spec);
  // Index of the component. The error's `why` and `next` are set; its place is the caller's to add.
  Result<int> resolve(std::string_view name) const;
  // False if the connection was added before.
  bool add(int from, int to) { return seen_.emplace(from, to).second; }

 private:
  const Spec& spec_;
  std::map<std::string_view, int> paths_;
  std::map<std::string_view, std::vector<int>> names_;
  std::set<std::pair<int, int>> seen_;
};

}  // namespace compmond::spec
