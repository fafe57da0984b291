// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/interface.h"
#include "base/words.h"

// The words that a snapshot has for what it knows of a component, an operation, an execution, and
// those of the protocol.
namespace compmond::snapshot {

// Of a component: all its operations are observed, some, none; kSampled: all, but not their calls;
// kDisabled: somebody switched all of them off.
enum class Status : uint8_t { kAttached, kPartial, kRefused, kSampled, kDisabled };
constexpr auto words(Status) {
  return word_table<Status>({{Status::kAttached, "attached"},
                             {Status::kPartial, "partial"},
                             {Status::kRefused, "refused"},
                             {Status::kSampled, "sampled"},
                             {Status::kDisabled, "disabled"}});
}

using compmond::Interface;

// Whether an operation is observed; kThrottled: its probes are too dear at the moment and away;
// kDisabled: somebody switched it off.
enum class Presence : uint8_t { kAttached, kThrottled, kRefused, kDisabled };
constexpr auto words(Presence) {
  return word_table<Presence>({{Presence::kAttached, "attached"},
                               {Presence::kThrottled, "throttled"},
                               {Presence::kRefused, "refused"},
                               {Presence::kDisabled, "disabled"}});
}

// How the ends of an operation's calls are seen; kEntryOnly: not at all; kNone: nor the calls.
enum class ExitMode : uint8_t { kReturnProbe, kRetSites, kEntryOnly, kRefused, kNone };
constexpr auto words(ExitMode) {
  return word_table<ExitMode>({{ExitMode::kReturnProbe, "return-probe"},
                               {ExitMode::kRetSites, "ret-sites"},
                               {ExitMode::kEntryOnly, "entry-only"},
                               {ExitMode::kRefused, "refused"},
                               {ExitMode::kNone, "none"}});
}

// How an execution ended; kOpen: not yet. Of kAbandoned and kLossy the end was not seen. kFailed:
// left by an exception; kJumped: by a longjmp, or a change of context.
enum class Ending : uint8_t {
  kReturned,
  kAbandoned,
  kThreadExit,
  kExec,
  kLossy,
  kFailed,
  kJumped,
  kOpen
};
constexpr auto words(Ending) {
  return word_table<Ending>({{Ending::kReturned, "returned"},
                             {Ending::kAbandoned, "abandoned"},
                             {Ending::kThreadExit, "thread_exit"},
                             {Ending::kExec, "exec"},
                             {Ending::kLossy, "lossy"},
                             {Ending::kFailed, "failed"},
                             {Ending::kJumped, "jumped"},
                             {Ending::kOpen, "open"}});
}

// What a figure rests on: each call, stacks at single moments, a part of the time (reserved:
// nothing is observed in slices yet).
enum class EvidenceKind : uint8_t { kProbes, kSamples, kSlices, kNone };
constexpr auto words(EvidenceKind) {
  return word_table<EvidenceKind>({{EvidenceKind::kProbes, "probes"},
                                   {EvidenceKind::kSamples, "samples"},
                                   {EvidenceKind::kSlices, "slices"},
                                   {EvidenceKind::kNone, "none"}});
}

// Whose code a function is. kOwn: of a program, or a library in which the spec has operations;
// kUnknown: of no file; kMissing: no function, but what a stack lacks.
enum class Whose : uint8_t { kOwn, kLibrary, kKernel, kVdso, kUnknown, kMissing };
constexpr auto words(Whose) {
  return word_table<Whose>({{Whose::kOwn, "own"},
                            {Whose::kLibrary, "library"},
                            {Whose::kKernel, "kernel"},
                            {Whose::kVdso, "vdso"},
                            {Whose::kUnknown, "unknown"},
                            {Whose::kMissing, "missing"}});
}

// What may be asked about a window: its traces, and with kInside its samples.
enum class Report : uint8_t {
  kTraces,
  kClasses,
  kTrace,
  kCallTree,
  kDependencyGraph,
  kMarkov,
  kInside
};
constexpr auto words(Report) {
  return word_table<Report>({{Report::kTraces, "traces"},
                             {Report::kClasses, "classes"},
                             {Report::kTrace, "trace"},
                             {Report::kCallTree, "call-tree"},
                             {Report::kDependencyGraph, "dependency-graph"},
                             {Report::kMarkov, "markov"},
                             {Report::kInside, "inside"}});
}

// What graphs tell apart.
enum class Level : uint8_t { kComponent, kOperation, kProgram, kHost };
constexpr auto words(Level) {
  return word_table<Level>({{Level::kComponent, "component"},
                            {Level::kOperation, "operation"},
                            {Level::kProgram, "program"},
                            {Level::kHost, "host"}});
}

// The order of traces.
enum class Sort : uint8_t { kStart, kDuration, kExecutions, kDepth, kOperation, kClass };
constexpr auto words(Sort) {
  return word_table<Sort>({{Sort::kStart, "start"},
                           {Sort::kDuration, "duration"},
                           {Sort::kExecutions, "executions"},
                           {Sort::kDepth, "depth"},
                           {Sort::kOperation, "operation"},
                           {Sort::kClass, "class"}});
}

}  // namespace compmond::snapshot
