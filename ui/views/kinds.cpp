// SPDX-License-Identifier: Apache-2.0
#include "ui/views/kinds.h"

#include <algorithm>
#include <array>

#include "ui/views/call_tree/call_tree.h"
#include "ui/views/dependencies/dependencies.h"
#include "ui/views/health/health.h"
#include "ui/views/inside/inside.h"
#include "ui/views/map/map.h"
#include "ui/views/markov/markov.h"
#include "ui/views/sequence/sequence.h"
#include "ui/views/table/table.h"
#include "ui/views/timing/timing.h"
#include "ui/views/trace_timing/trace_timing.h"
#include "ui/views/traces/traces.h"

namespace compmond::ui {
namespace {

template <class T>
std::unique_ptr<View> make() {
  return std::make_unique<T>();
}

constexpr std::array kKinds = {
    ViewKind{ViewId::kMap, '1',
             "Components and who calls whom, coloured by the time that is really theirs.",
             make<MapView>},
    ViewKind{ViewId::kTiming, '2',
             "Single executions on an absolute time scale, a lifeline per component.",
             make<TimingView>, true},
    ViewKind{
        ViewId::kTable, '3',
        "All figures of components and operations, with percentiles: sort, filter (/), expand.",
        make<TableView>},
    ViewKind{ViewId::kInside, 'g',
             "The functions inside what is selected, from samples: a table, and a flame graph of "
             "what they call or who calls them.",
             make<InsideView>},
    ViewKind{ViewId::kTraces, '4',
             "What the program did, call by call from the outside: search, sort, filter, classes.",
             make<TracesView>, true},
    ViewKind{ViewId::kSequence, '5',
             "UML sequence diagram of one trace: who called whom, in which order, for how long.",
             make<SequenceView>, true},
    ViewKind{ViewId::kTraceTiming, '6',
             "The executions of one trace over its time, a row per operation.",
             make<TraceTimingView>, true},
    ViewKind{ViewId::kCallTree, '7',
             "Where the time of traces goes, call path by call path: a tree, or a flame graph (V).",
             make<CallTreeView>, true},
    ViewKind{ViewId::kDependencies, '8',
             "Who calls whom, how often and how long it takes: a graph, or a matrix (V).",
             make<DependenciesView>, true},
    ViewKind{ViewId::kMarkov, '9', "Which call or return follows which, and how probably.",
             make<MarkovView>, true},
    ViewKind{ViewId::kHealth, '0',
             "Whether the figures can be trusted: what is attached, refused, lost, and what the "
             "probes cost.",
             make<HealthView>},
};

static_assert(std::ranges::is_sorted(kKinds, {}, &ViewKind::id),
              "their tabs are in ViewId's order");

}  // namespace

ViewKinds view_kinds() { return kKinds; }

}  // namespace compmond::ui
