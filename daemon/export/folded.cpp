// SPDX-License-Identifier: Apache-2.0
#include "export/reports.h"
#include "headless/text.h"

namespace compmond::exporting {
namespace {

// A frame's name: a semicolon would end it, a line break the stack.
std::string frame(const std::string& name) {
  std::string out = headless::clean(name);
  for (char& c : out)
    if (c == ';') c = ',';
  return out;
}

}  // namespace

void write_folded(Out& out, const analysis::CallTree& tree) {
  struct At {
    uint32_t node;
    size_t prefix;  // bytes of `stack` that belong to its ancestors
  };
  std::string stack;
  std::vector<At> open;
  const auto push_children = [&](uint32_t node) {
    const auto& children = tree.nodes()[node].children;
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      open.push_back({*child, stack.size()});
  };
  push_children(0);
  while (!open.empty()) {
    const At at = open.back();
    open.pop_back();
    stack.resize(at.prefix);
    if (!stack.empty()) stack += ';';
    stack += frame(tree.name(at.node));
    if (const uint64_t real = tree.nodes()[at.node].real_ns) out.format("{} {}\n", stack, real);
    push_children(at.node);
  }
}

}  // namespace compmond::exporting
