// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../code/assembled.h"
#include "uprobe_sites/finder.h"

// Where probes may sit in a library that is assembled while the test runs.
class Probed {
 public:
  explicit Probed(const std::string& assembly, bool nop5 = true)
      : code_(assembly), finder_(code_.image(), nop5) {}

  const compmond::elf::Symbol& symbol(const std::string& name) const { return code_.symbol(name); }
  compmond::Result<compmond::uprobe::FunctionSites> try_find(const std::string& name) {
    return finder_.find(symbol(name));
  }
  compmond::uprobe::FunctionSites find(const std::string& name) {
    auto result = try_find(name);
    if (!result) FAIL(result.error().text());
    return *result;
  }
  // As Assembled::exits, of those that can carry a probe.
  std::string exits(const std::string& name) {
    const auto result = find(name);
    return result.exits_complete ? Assembled::as_text(result.exits, symbol(name).vaddr)
                                 : result.incomplete_reason;
  }

 private:
  Assembled code_;
  compmond::uprobe::SiteFinder finder_;
};
