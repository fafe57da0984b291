// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "figures/figures.h"

// How far the figures of a checkpoint can be trusted. Pure.
namespace compmond::figures {

// The accounting equations: hits = delivered + lost + pending, entries = closed + open, and what
// the tracer counted is what the history holds, operation by operation and reason by reason.
bool accounts_hold(const history::Checkpoint& checkpoint);

// Whether records are missing that may belong to the window: calls and times are then at least what
// is shown, of any operation.
bool misses_events(const history::Checkpoint& checkpoint, Window window);

// Of the records of a window, whose figures are `of`, what is missing: of what nobody knows when it
// was lost, as much of the run's as the window is of the run.
double lost_share(const history::Checkpoint& checkpoint, const Result& of);

// Whether more than a hundredth of the operation's returns belong to no call of their thread while
// threads change stacks: as many of its calls are shown as something else, with times of their own.
bool strays(const history::Checkpoint& checkpoint, OperationId op);

// What pairing could not make out, for people: what it is, and which figures it makes wrong.
// `name_of` an operation.
using NameOf = std::function<std::string(OperationId)>;
// `were_off`: somebody switched probes off meanwhile.
std::vector<std::string> doubts(const history::Checkpoint& checkpoint, const NameOf& name_of,
                                bool were_off);

}  // namespace compmond::figures
