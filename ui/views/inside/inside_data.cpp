// SPDX-License-Identifier: Apache-2.0
#include "ui/views/inside/inside_data.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "text/clean.h"
#include "text/match.h"

namespace compmond::ui {
namespace {

using snapshot::Estimate;
using snapshot::Estimated;
using snapshot::Inside;
using snapshot::Whose;

// Both ends together as if the errors were independent: those of shares of one whole are at most
// that far apart.
void add(Estimate& to, const Estimate& more) {
  const double low = std::hypot(to.value_ns - to.low_ns, more.value_ns - more.low_ns);
  const double high = std::hypot(to.high_ns - to.value_ns, more.high_ns - more.value_ns);
  to.value_ns += more.value_ns;
  to.low_ns = std::max(0.0, to.value_ns - low);
  to.high_ns = to.value_ns + high;
}

void add(snapshot::Spent& to, const snapshot::Spent& more) {
  add(to.cpu_ns, more.cpu_ns);
  add(to.waiting_ns, more.waiting_ns);
  add(to.all_ns, more.all_ns);
  to.samples += more.samples;
  to.at_least |= more.at_least;
  to.cpu_at_least |= more.cpu_at_least;
}

void add_exactly(Estimate& to, double ns) {
  to.value_ns += ns;
  to.low_ns = to.high_ns = to.value_ns;
}

bool has_file(const Inside::Function& function) {
  return !function.image.empty() &&
         (function.whose == Whose::kOwn || function.whose == Whose::kLibrary);
}

std::string name_of(const Inside::Function& function, InsideBy by) {
  if (by == InsideBy::kFunction) return text::clean(label(function));
  if (by == InsideBy::kFile && has_file(function)) return text::clean(text::leaf(function.image));
  return function.whose.known() ? whose_text(*function.whose.known()) : function.whose.text();
}

// The time in a group of functions: that of the paths that first lead into it.
std::map<std::string, snapshot::Spent> totals(const Inside& inside, InsideBy by) {
  std::map<std::string, snapshot::Spent> out;
  std::vector<std::string> keys(inside.callees.size());
  for (size_t i = 1; i < inside.callees.size(); ++i) {
    const Inside::Node& node = inside.callees[i];
    keys[i] = row_key(inside.functions[size_t(node.function)], by);
    int32_t above = node.parent;
    while (above > 0 && keys[size_t(above)] != keys[i])
      above = inside.callees[size_t(above)].parent;
    if (above > 0) continue;
    snapshot::Spent& to = out[keys[i]];
    add_exactly(to.cpu_ns, node.cpu_ns);
    add_exactly(to.waiting_ns, node.waiting_ns);
    add_exactly(to.all_ns, node.cpu_ns + node.waiting_ns);
    to.samples += node.samples;
  }
  return out;
}

double value(const Estimated& of, snapshot::TimeOf time) {
  return of.*time ? (of.*time)->value_ns : 0;
}

double value(const InsideRow& row, InsideColumn column, InsideTime time) {
  switch (column) {
    case InsideColumn::kCpu:
      return value(row.own, &Estimated::cpu_ns);
    case InsideColumn::kWaiting:
      return value(row.own, &Estimated::waiting_ns);
    case InsideColumn::kTotal:
      return value(row.total, time_of(time));
    case InsideColumn::kSamples:
      return double(row.total.samples);
    default:
      return value(row.own, time_of(time));
  }
}

uint64_t ns(double value) { return uint64_t(std::llround(std::max(0.0, value))); }

}  // namespace

snapshot::TimeOf time_of(InsideTime time) {
  return time == InsideTime::kCpu       ? &Estimated::cpu_ns
         : time == InsideTime::kWaiting ? &Estimated::waiting_ns
                                        : &Estimated::net_real_ns;
}

const char* whose_text(Whose whose) {
  switch (whose) {
    case Whose::kOwn:
      return "own code";
    case Whose::kLibrary:
      return "libraries";
    case Whose::kKernel:
      return "kernel";
    case Whose::kVdso:
      return "vDSO";
    case Whose::kUnknown:
      return "code of no file";
    case Whose::kMissing:
      break;
  }
  return "callers missing";
}

std::string row_key(const Inside::Function& function, InsideBy by) {
  if (by == InsideBy::kFunction) return function.image + '\n' + label(function);
  return by == InsideBy::kFile && has_file(function) ? function.image : function.whose.text();
}

std::vector<InsideRow> inside_rows(const Inside& inside, InsideBy by) {
  std::map<std::string, size_t> places;
  std::vector<InsideRow> out;
  std::vector<snapshot::Spent> own, total;
  for (const Inside::Function& function : inside.functions) {
    if (function.total.samples == 0) continue;  // it only called
    std::string key = row_key(function, by);
    const auto [place, fresh] = places.try_emplace(key, out.size());
    if (fresh) {
      out.push_back({name_of(function, by), function.image, function.whose, {}, {}, 0, key});
      own.push_back(function.own);
      total.push_back(function.total);
    } else {
      add(own[place->second], function.own);
      add(total[place->second], function.total);
    }
    InsideRow& row = out[place->second];
    if (by == InsideBy::kWhose) row.image.clear();
    ++row.functions;
  }
  const auto of_paths =
      by == InsideBy::kFunction ? decltype(totals(inside, by))() : totals(inside, by);
  for (size_t i = 0; i < out.size(); ++i) {
    // Of few samples the sum of the functions' bounds is one.
    if (const auto found = of_paths.find(out[i].key); found != of_paths.end())
      if (out[i].functions > 1 && found->second.samples >= snapshot::kFewSamples)
        total[i] = found->second;
    out[i].own = snapshot::estimated_of(own[i]);
    out[i].total = snapshot::estimated_of(total[i]);
  }
  return out;
}

void sort_rows(std::vector<InsideRow>& rows, const InsideOrder& order, InsideTime time) {
  std::ranges::stable_sort(rows, [&](const InsideRow& one, const InsideRow& other) {
    const InsideRow& a = order.descending ? other : one;
    const InsideRow& b = order.descending ? one : other;
    if (order.column == InsideColumn::kName) return a.name < b.name;
    if (order.column == InsideColumn::kFile) return a.image < b.image;
    return value(a, order.column, time) < value(b, order.column, time);
  });
}

diagrams::CallTree inside_tree(const Inside& inside, bool callers, InsideTime time) {
  std::vector<snapshot::AnalysisView::Operation> functions;
  for (const Inside::Function& function : inside.functions)
    functions.push_back({function.image, text::clean(label(function))});
  const auto counted = [&](double cpu, double waiting) {
    return ns((time == InsideTime::kWaiting ? 0 : cpu) + (time == InsideTime::kCpu ? 0 : waiting));
  };
  snapshot::CallTree tree;
  for (const Inside::Node& node : callers ? inside.callers : inside.callees)
    tree.nodes.push_back({node.parent, node.function, node.samples,
                          counted(node.cpu_ns, node.waiting_ns),
                          counted(node.own_cpu_ns, node.own_waiting_ns)});
  return {std::move(functions), tree};
}

}  // namespace compmond::ui
