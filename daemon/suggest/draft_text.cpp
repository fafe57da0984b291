// SPDX-License-Identifier: Apache-2.0
#include "suggest/draft_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "text/clean.h"
#include "text/nearest.h"
#include "text/numbers.h"

namespace compmond::suggest {
namespace {

using Json = nlohmann::ordered_json;

// As a spec takes it.
std::string note(const std::vector<std::string>& parts) {
  constexpr size_t kMost = 4000;  // of 4,096
  return text::printable(fmt::format("{}", fmt::join(parts, "; ")), kMost);
}

std::string shown(const DraftOperation& one) {
  constexpr size_t kMost = 80;
  return text::printable(one.pattern, kMost);
}

std::string seconds(double s) { return fmt::format("{:.3g} s", s); }

std::string rate(double calls_per_s) {
  return calls_per_s >= 10 ? text::count(uint64_t(calls_per_s)) + "/s"
                           : fmt::format("{:.2g}/s", calls_per_s);
}

// On CPU with an operation of it on the stack, in percent.
std::string with_callees(const DraftComponent& component) {
  double out = 0;
  for (const DraftOperation& one : component.operations) out += one.cpu_share;
  return text::whole_percent(100 * std::min(1.0, std::max(out, component.cpu_share)));
}

// "PortalRun 830/s", "PortalStart not called in 5 s".
std::string called(const Draft& draft, const DraftOperation& one) {
  if (!one.calls_per_s) return shown(one);
  if (*one.calls_per_s > 0)
    return fmt::format("{} {}{}", shown(one), one.rate_at_least ? "≥" : "", rate(*one.calls_per_s));
  return fmt::format("{} not called in {}", shown(one), seconds(draft.counted_s));
}

std::string too_hot_text(const DraftComponent& component) {
  std::vector<std::string> hot;
  for (const DraftOperation& one : component.operations)
    if (one.too_hot) hot.push_back(shown(one));
  if (hot.empty()) return {};
  return (hot.size() == component.operations.size() ? "all" : text::listed(hot)) +
         " too often for the default budget to see each call";
}

std::string looked_at(const Draft& draft) {
  if (draft.evidence.samples == 0) return "from names and calls in the code alone";
  return fmt::format(
      "from names, calls in the code and {} in {}, {} of those on CPU with a "
      "function of this spec on their stacks",
      text::counted(draft.evidence.samples, "sample"), seconds(draft.evidence.seconds),
      text::whole_percent(100 * draft.named_share));
}

Json operation_json(const DraftOperation& operation) {
  if (!operation.landmark) return operation.pattern;
  return {{"symbol", operation.pattern}, {"landmark", true}};
}

}  // namespace

std::string note_of(const Draft& draft, const DraftComponent& component) {
  std::vector<std::string> out;
  if (draft.evidence.samples > 0)
    out.push_back(fmt::format(
        "{} of the time on CPU and {} of the waiting are its own, with what it calls {} on CPU",
        text::whole_percent(100 * component.cpu_share),
        text::whole_percent(100 * component.waiting_share), with_callees(component)));
  out.push_back(text::counted(component.functions, "function") + " by name");
  if (draft.counted_s > 0) {
    std::vector<std::string> calls;
    for (const DraftOperation& one : component.operations) calls.push_back(called(draft, one));
    out.push_back(fmt::format("{}", fmt::join(calls, ", ")));
  }
  if (std::string hot = too_hot_text(component); !hot.empty()) out.push_back(std::move(hot));
  return note(out);
}

std::string spec_text(const Draft& draft) {
  std::vector<std::string> said = {"Drafted by compmond suggest " + looked_at(draft)};
  said.insert(said.end(), draft.unseen.begin(), draft.unseen.end());
  Json components = Json::array();
  for (const DraftComponent& component : draft.components) {
    Json& one = components.emplace_back(Json{{"name", component.name}});
    one["note"] = note_of(draft, component);
    if (!component.image.empty()) one["image"] = component.image;
    for (const DraftOperation& operation : component.operations)
      one["in"].push_back(operation_json(operation));
  }
  Json out{{"schema", "compmond.spec/1"}, {"name", draft.name}, {"note", note(said)}};
  for (const auto& [file, id] : draft.build_ids) out["build_ids"][file] = id;
  out["components"] = std::move(components);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string overview(const Draft& draft) {
  std::string out = fmt::format("{}: {}\n", draft.name, looked_at(draft));
  bool any_hot = false;
  for (size_t i = 0; i < draft.components.size(); ++i) {
    const DraftComponent& component = draft.components[i];
    std::vector<std::string> operations;
    for (const DraftOperation& one : component.operations) {
      operations.push_back(called(draft, one) + (one.too_hot ? " !" : "") +
                           (one.landmark ? " (landmark)" : ""));
      any_hot |= one.too_hot;
    }
    out += fmt::format("{:>4}  {}{}", i + 1, component.name,
                       component.image.empty() ? "" : " in " + component.image);
    if (draft.evidence.samples > 0)
      out += fmt::format(": {} of CPU ({} with what it calls), {} of waiting",
                         text::whole_percent(100 * component.cpu_share), with_callees(component),
                         text::whole_percent(100 * component.waiting_share));
    out += fmt::format("\n      {}\n", fmt::join(operations, ", "));
  }
  if (any_hot) out += "  ! too often for the default overhead budget to see each call\n";
  for (const std::string& what : draft.unseen) out += fmt::format("  not seen: {}\n", what);
  return out;
}

}  // namespace compmond::suggest
