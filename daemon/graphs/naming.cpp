// SPDX-License-Identifier: Apache-2.0
#include "graphs/naming.h"

#include <fmt/format.h>

namespace compmond::graphs {
namespace {

const std::string kNone;

}  // namespace

uint32_t Nodes::of(const traces::TracedExecution& execution) {
  const uint64_t key = uint64_t(execution.operation) << 32 | execution.host;
  if (const auto known = by_execution_.find(key); known != by_execution_.end())
    return known->second;
  return by_execution_.emplace(key, find(execution)).first->second;
}

uint32_t Nodes::find(const traces::TracedExecution& execution) {
  const traces::TracedOperation& operation = catalogue_.operations()[execution.operation];
  const std::string host =
      naming_.with_host || naming_.level == Level::kHost ? fmt::to_string(execution.host) : "";
  const std::string what = naming_.level == Level::kHost ? ""
                           : naming_.level == Level::kComponent
                               ? operation.component
                               : fmt::to_string(execution.operation);
  const auto [at, added] = by_key_.emplace(host + "\n" + what, uint32_t(nodes_.size()));
  if (added)
    nodes_.push_back({execution.operation, execution.host});
  else
    nodes_[at->second].several_hosts |= nodes_[at->second].host != execution.host;
  return at->second;
}

const std::string& Nodes::component(uint32_t node) const {
  return naming_.level == Level::kHost ? kNone
                                       : catalogue_.operations()[nodes_[node].operation].component;
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
  std::string out = naming_.with_host ? host + "::" : "";
  out += component(node);
  if (naming_.level == Level::kOperation)
    out += (component(node).empty() ? "" : ".") + operation(node);
  return out;
}

}  // namespace compmond::graphs
