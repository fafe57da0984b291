// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "counts/slice_store.h"
#include "estimate/sample_store.h"
#include "figures/executions.h"
#include "figures/figures.h"
#include "history/objectives.h"
#include "history/store.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "singles/single_store.h"
#include "snapshot/snapshot.h"
#include "snapshot/words.h"
#include "spec/model.h"
#include "stacks/model.h"
#include "target/observed.h"

namespace compmond::present {

// The samples of a run. Borrowed.
struct RunSamples {
  const estimate::SampleStore& store;
  double hz;  // on CPU, as asked for
};

// Of a saved snapshot: real time without waiting, as a share of its window's length.
struct Baseline {
  std::map<std::string, double> components;                          // by path
  std::map<std::pair<std::string, std::string>, double> operations;  // by component and name
};

// What slices of a busy run tell of calls. Borrowed.
struct RunSlices {
  const counts::SliceStore& store;
  const singles::SingleStore& singles;
  std::vector<bool> too_hot;  // per operation: no slice can have it
  // Per operation, or empty: until then it was so, and called far more often than since.
  std::vector<uint64_t> was_too_hot_until_ns = {};
  bool stopped = false;  // none comes just now; a note says why
};

// What a run consists of at one moment, wherever its events come from: all that snapshots and views
// are made of. Borrowed for the call; everything refers to the one checkpoint.
struct RunParts {
  const spec::Spec& spec;
  const plan::Plan& plan;
  const plan::OperationStates& states;
  const plan::Costs& costs;
  std::vector<snapshot::Health::Engine> engines;  // that observe its operations
  const target::ObservedProcesses& processes;
  const std::vector<std::string>& notes;
  const history::Store& store;
  const history::Checkpoint& checkpoint;
  std::span<const target::Program> programs;  // that its processes execute
  bool ended;                                 // everything was drained: nothing may be pending
  std::optional<RunSamples> samples = std::nullopt;  // none: it takes none
  const Baseline* baseline = nullptr;  // what deviations are from; null: the run's own past
  bool raw_costs = false;              // as figures::Model
  std::optional<snapshot::Health::Strangers> strangers = std::nullopt;  // none came by
  std::optional<RunSlices> slices = std::nullopt;                       // none: it makes none
  std::string host = {};             // that it was recorded on; empty: this one
  bool processes_are_hosts = false;  // as of a log of Kieker

  const plan::Way& way(size_t operation) const { return plan::way_of(plan, states, operation); }
};

// What slices tell of an operation that is away in these times, or of calls of it, with the reason
// that will not pass. Of a run with slices.
counts::Count settled(const RunParts& run, counts::Count count, size_t operation,
                      const std::vector<Window>& away);
// How the ends of its calls are seen, in the words of snapshots; kNone where no call is: `way` is
// that in use.
Word<snapshot::ExitMode> observed_as(const plan::OperationState& state, const plan::Way& way);
// Per component, those of its own.
std::vector<std::vector<size_t>> operations_by_component(const RunParts& run);
// Of the window as far as it is part of the run, 0 to 1, in which the probes of all these
// operations were there.
double observed_share(const RunParts& run, const std::vector<size_t>& operations, Window window);
// 0: none, or it is only counted.
uint64_t objective_ns(const plan::PlannedOperation& operation, const plan::Way& way);
uint64_t objective_ns(const RunParts& run, size_t operation);
history::Objectives objectives_of(const plan::Plan& plan, const plan::OperationStates& states);
figures::Model model_of(const RunParts& run);
// Where the operations' code lies, for whom stacks are all there is.
estimate::Model estimate_model_of(const spec::Spec& spec, const plan::Plan& plan);

// How it ended. A snapshot has one more than the tracer, for what has not ended.
Word<snapshot::Ending> ending_of(const figures::Single& single);

}  // namespace compmond::present
