// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "code/calls.h"
#include "uprobe_exits/linked_images.h"

namespace compmond::uprobe {

// What functions of a target's images may lead to, over all that they call. One thread; borrows
// both.
class CallGraph {
 public:
  CallGraph(const std::vector<plan::Candidate>& candidates, LinkedImages& linked);

  // Why `function` may come to call code that reading cannot name, for people; empty: it is proven
  // that it does not.
  std::string opening(Place function);

  // Why a replaced return address would be seen by what `function` does itself, for people; empty:
  // nothing shows that.
  std::string return_address_use(Place function);

 private:
  const code::Calls& calls(Place function);
  std::string name_of(Place function) const;

  const std::vector<plan::Candidate>& candidates_;
  LinkedImages& linked_;
  std::vector<std::unique_ptr<code::CallReader>> readers_;
  std::map<Place, code::Calls> calls_;
  std::map<Place, std::string> openings_;
};

}  // namespace compmond::uprobe
