// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/limits.h"
#include "elf/inlining.h"
#include "names/pattern.h"
#include "plan/display_name.h"
#include "plan/transfers.h"
#include "target/process.h"
#include "text/match.h"
#include "text/nearest.h"

namespace compmond::plan {
namespace {

constexpr size_t kNamesShown = 10;  // mapped files or candidates in one message
constexpr size_t kNearest = 5;
constexpr size_t kErrorsShown = 50;
constexpr const char* kStripped =
    " (stripped: only what it exports has a name; debug symbols, as in Debian's -dbgsym packages, "
    "name the others)";
// Of .debug_info that is read for what is inlined: before attaching, and for an error message.
constexpr uint64_t kInliningBytes = 4u << 20, kInliningBytesForError = 64u << 20;

// Finds what a spec names, and asks the engines how it could be observed.
class Maker {
 public:
  Maker(const spec::Spec& spec, const std::vector<Candidate>& candidates,
        const PlanOptions& options)
      : spec_(spec),
        candidates_(candidates),
        options_(options),
        finders_(candidates.size()),
        planners_(options.planners, candidates),
        plan_index_(candidates.size(), -1) {}

  Result<Plan> make() && {
    for (size_t i = 0; i < spec_.components.size(); ++i) {
      const spec::Component& component = spec_.components[i];
      if (component.operations.empty()) continue;
      const auto images = select(component);
      for (const spec::Operation& operation : component.operations)
        observe(int(i), operation, images);
    }
    if (errors_.empty() && plan_.operations.size() > limit()) report_too_many();
    if (!errors_.empty()) return give_up();
    make_names_unique(plan_);
    mark_jumps(plan_);
    add_transfers();
    return std::move(plan_);
  }

 private:
  // Indices of the candidates that a component looks at; none, with an error noted, when there is
  // no such image.
  std::vector<size_t> select(const spec::Component& component) {
    std::vector<size_t> chosen;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& image = candidates_[i];
      const bool fits =
          component.image.empty() ? image.main : target::image_matches(component.image, image.path);
      if (fits && image.is_of(component.program)) chosen.push_back(i);
    }
    const bool needed =
        std::ranges::any_of(component.operations, [](const auto& op) { return !op.optional; });
    if (chosen.empty() && needed) {
      std::vector<std::string> mapped;
      for (const Candidate& image : candidates_) mapped.emplace_back(text::leaf(image.path));
      if (mapped.size() > kNamesShown) {
        mapped.resize(kNamesShown);
        mapped.push_back("…");
      }
      if (!missing_images_.insert(component.image).second) return chosen;  // said once is enough
      errors_.push_back(fmt::format(
          "{}: no file that the target maps is called {}; it maps {}. A library that is loaded "
          "later is found by its full path",
          component.pointer, component.image.empty() ? "its main executable" : component.image,
          fmt::join(mapped, ", ")));
    }
    return chosen;
  }

  void observe(int component, const spec::Operation& operation, const std::vector<size_t>& images) {
    if (images.empty()) return;
    const auto pattern = names::Pattern::compile(operation.symbol);
    if (!pattern) {
      errors_.push_back(fmt::format("{}: {}", operation.pointer, pattern.error().text()));
      return;
    }
    if (!options_.have(operation.engine)) {
      errors_.push_back(fmt::format("{}: there is no engine \"{}\": it is auto, {}",
                                    operation.pointer, operation.engine,
                                    text::listed(options_.engines, "or")));
      return;
    }
    bool found = false;
    std::vector<std::string> rejected, nearest;
    for (const size_t image : images) {
      if (options_.looks_at) options_.looks_at(image);
      const names::Matches matches = finder(image).find(*pattern);
      for (const elf::Symbol* function : matches.functions)
        add(component, operation, image, *function,
            pattern->fit(*function) == names::Pattern::Fit::kClone);
      found = found || !matches.functions.empty();
      for (const auto& one : matches.rejected)
        rejected.push_back(fmt::format("{} is {}", one.symbol->demangled, one.reason));
    }
    if (found || operation.optional) return;
    for (const size_t image : images)
      std::ranges::move(inlined_everywhere(*pattern, image), std::back_inserter(rejected));
    for (const size_t image : images)
      std::ranges::move(names::nearest(*candidates_[image].image, *pattern, kNearest),
                        std::back_inserter(nearest));
    report_nothing(operation, images, rejected, nearest);
  }

  // "f is inlined at 3 places", of functions without code of their own that the pattern names.
  std::vector<std::string> inlined_everywhere(const names::Pattern& pattern, size_t image) {
    std::vector<std::string> out;
    const elf::Image& file = *candidates_[image].image;
    for (const auto& [name, found] : elf::read_inlining(file, kInliningBytesForError)) {
      elf::Symbol symbol;
      symbol.name = name;
      symbol.demangled = elf::demangle(name);
      if (pattern.matches(symbol))
        out.push_back(fmt::format("{} is inlined at {} {} and has no code of its own",
                                  symbol.demangled, found.places,
                                  found.places == 1 ? "place" : "places"));
    }
    return out;
  }

  // What a reader of the counts must know of a function that is inlined here and there.
  std::string inlined_note(size_t image, const std::string& name) {
    auto [known, fresh] = inlining_.try_emplace(image);
    if (fresh) known->second = elf::read_inlining(*candidates_[image].image, kInliningBytes);
    const auto found = known->second.find(name);
    if (found == known->second.end()) return {};
    const auto& [places, calls] = found->second;
    return calls == 0 ? fmt::format("inlined at {} places, whose calls are not counted", places)
                      : fmt::format("inlined at {} of {} call sites, whose calls are not counted",
                                    places, places + calls);
  }

  std::string note(const PlannedOperation& of, size_t image, bool clone,
                   const std::string& engine) {
    std::string out = inlined_note(image, of.symbol);
    if (!engine.empty() && !planners_.have(engine))
      out = joined(engine + " is asked for, and not at work (--engine, --allow-patching)", out);
    if (clone) out = joined("its only body is the compiler's copy " + of.symbol, out);
    for (const Way& way : of.ways)
      if (way.refused && way.ends_in_jump) out = joined(out, "no sample sees it: " + way.reason);
    return out;
  }

  void report_nothing(const spec::Operation& operation, const std::vector<size_t>& images,
                      std::vector<std::string> rejected, std::vector<std::string> nearest) {
    const Candidate& first = candidates_[images.front()];
    const std::string where(text::leaf(first.path));
    if (!rejected.empty()) {
      rejected.resize(std::min(rejected.size(), kNearest));
      errors_.push_back(fmt::format("{}: \"{}\" matches nothing in {} that can be observed: {}",
                                    operation.pointer, operation.symbol, where,
                                    fmt::join(rejected, "; ")));
      return;
    }
    nearest.resize(std::min(nearest.size(), kNearest));
    std::string names = fmt::format("nearest: {}", fmt::join(nearest, ", "));
    if (nearest.empty()) names = "it has no similar names either";
    errors_.push_back(fmt::format("{}: \"{}\" matches no function of {}{}; {}{}", operation.pointer,
                                  operation.symbol, where, first.image->stripped() ? kStripped : "",
                                  names, first.packed.empty() ? "" : "; " + first.packed));
  }

  // One function for one component: the first pattern of a component wins, two components may not
  // share.
  void add(int component, const spec::Operation& operation, size_t image,
           const elf::Symbol& function, bool clone) {
    if (clone && !operation.contexts.empty()) {
      errors_.push_back(fmt::format(
          "{}: \"{}\" is there only as a copy that the compiler made, {}, whose arguments may be "
          "others: name that one if they are not",
          operation.pointer, operation.symbol, function.name));
      return;
    }
    const auto [claim, fresh] =
        claims_.try_emplace({image, function.vaddr}, Claim{component, operation.pointer});
    if (!fresh) {
      if (claim->second.component != component)
        errors_.push_back(
            fmt::format("{} and {} both claim {} of {}: a function belongs to one component",
                        claim->second.pointer, operation.pointer, function.demangled,
                        text::leaf(candidates_[image].path)));
      return;
    }
    if (plan_.operations.size() > limit()) return;  // an error already: more only takes time
    PlannedOperation planned;
    planned.component = component;
    planned.name = operation.name.empty() ? plain_name(function.demangled) : operation.name;
    planned.symbol = function.name;
    planned.demangled = function.demangled;
    planned.image = index_in_plan(image);
    planned.interface = operation.interface;
    planned.slo_ms = operation.slo_ms.value_or(0);
    planned.landmark = operation.landmark;
    planned.waiting = operation.waiting;
    planned.contexts = operation.contexts;
    planned.pointer = operation.pointer;
    planned.vaddr = function.vaddr;
    planned.ways = ways(operation, image, function);
    if (std::ranges::any_of(planned.ways, [](const Way& way) { return !way.refused; }))
      planned.note = note(planned, image, clone, operation.engine);
    plan_.operations.push_back(std::move(planned));
  }

  void add_transfers() {
    spec::Operation counted;
    counted.exit = spec::ExitMode::kEntryOnly;
    for (const TransferPlace& place : find_transfers(plan_, candidates_))
      plan_.transfers.push_back({place.kind, index_in_plan(place.image), place.function->name,
                                 ways(counted, place.image, *place.function)});
  }

  std::vector<Way> ways(const spec::Operation& operation, size_t image,
                        const elf::Symbol& function) {
    const auto exit = operation.exit == spec::ExitMode::kAuto ? options_.exit_mode : operation.exit;
    const Wanted wanted{image, function, exit, operation.contexts, options_.move_probes};
    return planners_.ways(wanted, operation.engine);
  }

  names::Finder& finder(size_t image) {
    if (!finders_[image])
      finders_[image] = std::make_unique<names::Finder>(*candidates_[image].image);
    return *finders_[image];
  }

  int index_in_plan(size_t image) {
    if (plan_index_[image] < 0) {
      plan_index_[image] = int(plan_.images.size());
      plan_.images.push_back({image, candidates_[image].path, candidates_[image].main, {}, 0, 0});
    }
    return plan_index_[image];
  }

  size_t limit() const { return options_.many ? limits::kOperationsMany : limits::kOperations; }

  void report_too_many() {
    errors_.push_back(fmt::format("the patterns match more than {} functions{}", limit(),
                                  options_.many ? ""
                                                : "; give --many to observe up to " +
                                                      std::to_string(limits::kOperationsMany)));
  }

  Unexpected give_up() {
    const std::string what =
        "cannot observe what " + (spec_.path.empty() ? "the spec" : spec_.path) + " asks for";
    std::string why;
    for (size_t i = 0; i < std::min(errors_.size(), kErrorsShown); ++i)
      why += (errors_.size() > 1 ? "\n  " : "") + errors_[i];
    if (errors_.size() > kErrorsShown)
      why += fmt::format("\n  … and {} more", errors_.size() - kErrorsShown);
    return fail(Exit::kData, what, why, R"(Correct them, or mark the patterns "optional": true.)");
  }

  struct Claim {
    int component;
    std::string pointer;
  };

  const spec::Spec& spec_;
  const std::vector<Candidate>& candidates_;
  const PlanOptions& options_;
  Plan plan_;
  std::vector<std::string> errors_;
  std::set<std::string> missing_images_;                            // told already
  std::map<std::pair<size_t, uint64_t>, Claim> claims_;             // by candidate and address
  std::map<size_t, std::map<std::string, elf::Inlined>> inlining_;  // by candidate and raw name
  std::vector<std::unique_ptr<names::Finder>> finders_;
  Planners planners_;
  std::vector<int> plan_index_;
};

}  // namespace

Result<Plan> make_plan(const spec::Spec& spec, const std::vector<Candidate>& candidates,
                       const PlanOptions& options) {
  return Maker(spec, candidates, options).make();
}

}  // namespace compmond::plan
