// SPDX-License-Identifier: Apache-2.0
#include "graphs/naming.h"

#include <fmt/format.h>

namespace compmond::graphs {
namespace {

const std::string kNone;

}  // namespace

uint32_t Nodes::of(const traces::TracedExecution& execution) {
  const Of key{execution.operation, execution.host, execution.program};
  if (const auto known = by_execution_.find(key); known != by_execution_.end())
    return known->second;
  return by_execution_.emplace(key, find(execution)).first->second;
}

std::string Nodes::key_of(const traces::TracedExecution& execution) const {
  const std::string host = fmt::format("host {}", execution.host);
  const std::string front = naming_.with_host ? host : "";
  switch (naming_.level) {
    case Level::kHost:
      return host;
    case Level::kProgram:
      return execution.program == 0 ? host : fmt::format("{}\n{}", front, execution.program);
    case Level::kComponent:
      return front + "\n" + catalogue_.operations()[execution.operation].component;
    case Level::kOperation:
      break;
  }
  return fmt::format("{}\n{}", front, execution.operation);
}

uint32_t Nodes::find(const traces::TracedExecution& execution) {
  const auto [at, added] = by_key_.emplace(key_of(execution), uint32_t(nodes_.size()));
  if (added)
    nodes_.push_back({execution.operation, execution.host, execution.program});
  else
    nodes_[at->second].several_hosts |= nodes_[at->second].host != execution.host;
  return at->second;
}

const std::string& Nodes::component(uint32_t node) const {
  const bool told = naming_.level == Level::kOperation || naming_.level == Level::kComponent;
  return told ? catalogue_.operations()[nodes_[node].operation].component : kNone;
}

const std::string& Nodes::program(uint32_t node) const {
  return naming_.level == Level::kProgram ? catalogue_.programs()[nodes_[node].program] : kNone;
}

const std::string& Nodes::operation(uint32_t node) const {
  return naming_.level == Level::kOperation ? catalogue_.operations()[nodes_[node].operation].name
                                            : kNone;
}

std::optional<std::string> Nodes::host(uint32_t node) const {
  if (nodes_[node].several_hosts) return std::nullopt;
  return catalogue_.hosts()[nodes_[node].host];
}

std::string Nodes::name(uint32_t node) const {
  const std::string& host = catalogue_.hosts()[nodes_[node].host];
  if (naming_.level == Level::kHost) return host;
  if (naming_.level == Level::kProgram && program(node).empty()) return host;
  std::string out = naming_.with_host ? host + "::" : "";
  if (naming_.level == Level::kProgram) return out + program(node);
  out += component(node);
  if (naming_.level == Level::kOperation)
    out += (component(node).empty() ? "" : ".") + operation(node);
  return out;
}

}  // namespace compmond::graphs
