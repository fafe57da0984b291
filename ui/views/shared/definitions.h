// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// What each figure means, for the hover; the same words as docs/snapshot.md.
namespace compmond::ui {

enum class Term {
  kHotness,
  kCalls,
  kOpen,
  kRate,
  kReal,
  kNetReal,
  kProbeCostOut,
  kRaw,
  kMean,
  kMin,
  kP50,
  kP90,
  kP99,
  kMax,
  kStatus,
  kExitMode,
  kUncertain,
  kTruncated,
  kAtLeast,
  kLossy,
  kActivity,
  kEdgeCount,
  kEdgeTime,
  kAnalysed,
  kPathCount,
  kPathRaw,
  kPathReal,
  kFlame,
  kDependency,
  kMatrix,
  kTransition,
  kThreshold,
  kHistogram,
  kEvents,
  kLost,
  kPending,
  kOverhead,
  kStrangers,
  kAttached,
  kRefused,
  kThrottled,
  kSwitchedOff,
  kHistory,
  kProbeCost,
  kBalanced,
  kOrphans,
  kAbandoned,
  kFailed,
  kClamped,
  kEvicted,
  kStackSwitches,
  kHits,
  kObjective,
  kViolations,
  kEstimated,
  kOnCpu,
  kWaiting,
  kRawEstimated,
  kEdgeEstimated,
  kSamples,
  kSamplesHz,
  kSamplesLost,
  kTruncatedStacks,
  kBrokenStacks,
  kElsewhere,
  kOffCpuShare,
  kSampledCpu,
  kSampled,
  kOfWall,
  kWaitingMarked,
  kMeanReal,
  kDeviation,
};

struct Definition {
  std::string_view title, text;
};
const Definition& definition(Term term);

}  // namespace compmond::ui
