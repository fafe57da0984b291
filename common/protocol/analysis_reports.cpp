// SPDX-License-Identifier: Apache-2.0
#include "protocol/analysis_reports.h"

#include <algorithm>

namespace compmond::snapshot {
namespace {

bool all(const auto& list, auto fine) { return std::ranges::all_of(list, fine); }

// Each refers to one before it, or by -1 to none.
template <class T>
bool in_order(const std::vector<T>& list, int32_t T::*earlier) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].*earlier < -1 || list[i].*earlier >= int64_t(i)) return false;
  return true;
}

// Looks into each kind of content.
struct Check {
  size_t operations;

  bool known(int64_t operation) const { return operation >= 0 && operation < int64_t(operations); }
  auto has_known() const {
    return [this](const auto& of) { return known(of.operation); };
  }

  bool operator()(std::monostate) const { return true; }
  bool operator()(const Traces& of) const { return all(of.rows, has_known()); }
  bool operator()(const Classes& of) const { return all(of.rows, has_known()); }
  bool operator()(const OneTrace& of) const {
    return (!of.trace || known(of.trace->operation)) && all(of.steps, has_known()) &&
           in_order(of.steps, &OneTrace::Step::caller) &&
           all(of.steps, [](const auto& step) { return step.end_ns >= step.start_ns; });
  }
  bool operator()(const CallTree& of) const {
    return (of.nodes.empty() || of.nodes.front().parent == -1) &&
           all(of.nodes, [&](const auto& n) { return n.operation == -1 || known(n.operation); }) &&
           in_order(of.nodes, &CallTree::Node::parent);
  }
  bool operator()(const DependencyGraph& of) const {
    const auto node = [&](int64_t n) { return n >= 0 && n < int64_t(of.nodes.size()); };
    return all(of.edges,
               [&](const auto& e) { return (e.from == -1 || node(e.from)) && node(e.to); });
  }
  bool operator()(const Markov& of) const {
    const auto end = [&](int64_t n) { return n >= -1 && n < int64_t(of.nodes.size()); };
    return all(of.states, [&](const auto& s) { return end(s.from) && end(s.to); }) &&
           all(of.transitions,
               [&](const auto& t) { return t.from < of.states.size() && t.to < of.states.size(); });
  }
  bool operator()(const Inside& of) const { return well_formed(of); }
};

}  // namespace

ReportContent empty_content(const Word<Report>& report) {
  if (!report.known()) return {};
  switch (*report.known()) {
    case Report::kTraces:
      return Traces{};
    case Report::kClasses:
      return Classes{};
    case Report::kTrace:
      return OneTrace{};
    case Report::kCallTree:
      return CallTree{};
    case Report::kDependencyGraph:
      return DependencyGraph{};
    case Report::kMarkov:
      return Markov{};
    case Report::kInside:
      return Inside{};
  }
  return {};
}

bool well_formed(const ReportContent& content, size_t operations) {
  return std::visit(Check{operations}, content);
}

}  // namespace compmond::snapshot
