// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/definitions.h"

#include <utility>

namespace compmond::ui {
namespace {

constexpr std::pair<Term, Definition> kDefinitions[] = {
    {Term::kHotness,
     {"hotness",
      "0 to 100 by the chosen metric, linear: 100 is the largest value of the window, of the run, "
      "or "
      "a whole CPU, as the list of metrics (W) has it; 0 is nothing, or a time below its floor."}},
    {Term::kCalls, {"calls", "Executions begun in the window."}},
    {Term::kOpen, {"open", "Executions still open at the window's end. They count up to it."}},
    {Term::kRate, {"calls per second", "Executions begun in the window, divided by its length."}},
    {Term::kReal,
     {"real time",
      "The time that was its own: raw time minus the raw times of the observed executions directly "
      "nested in it, added "
      "up over the window."}},
    {Term::kNetReal,
     {"real time, net",
      "Real time minus what the probes themselves cost: inside · calls + outside · directly nested "
      "calls, as measured at "
      "start on this machine."}},
    {Term::kProbeCostOut,
     {"probe cost taken out", "Real time minus net real time: what the probes themselves added."}},
    {Term::kRaw,
     {"raw time",
      "End minus start of its executions, clipped to the window and added up. On one thread only "
      "the outermost count, "
      "so recursion is not counted twice."}},
    {Term::kMean,
     {"mean", "Mean raw time of single executions that ended in the window: what callers waited."}},
    {Term::kMin, {"minimum", "The shortest raw time of one execution that ended in the window."}},
    {Term::kP50,
     {"p50",
      "Half of the executions that ended in the window had a raw time at most this long. Within "
      "1/64."}},
    {Term::kP90,
     {"p90",
      "90 of 100 executions that ended in the window had a raw time at most this long. Within "
      "1/64."}},
    {Term::kP99,
     {"p99",
      "99 of 100 executions that ended in the window had a raw time at most this long. Within "
      "1/64."}},
    {Term::kMax, {"maximum", "The longest raw time of one execution that ended in the window."}},
    {Term::kStatus,
     {"status",
      "attached: all its operations are observed. partial: some are. refused: none is. "
      "switched off: somebody did so. A 0 means "
      "\"there was none\" only "
      "where all are attached and nothing was lost."}},
    {Term::kExitMode,
     {"exit mode",
      "How the ends of calls are seen: return-probe (fastest), ret-sites (safe with exceptions and "
      "fibers), entry-only "
      "(counts, no times), or refused."}},
    {Term::kUncertain,
     {"uncertain",
      "The correction for probe cost is more than a third of the real time: the figure is a guess "
      "about something small. Or samples see the probes cost something else than what was taken "
      "out "
      "of it, which matters by more than 2 %. Or probes were away for a part of the time and no "
      "samples tell what "
      "they would have seen: it is missing in its own time, and contained in those of its "
      "callers."}},
    {Term::kTruncated,
     {"truncated",
      "Executions nested too deeply for their engine to see their ends: of those that it can await "
      "at once there is a number per thread."}},
    {Term::kAtLeast,
     {"at least",
      "Records were lost in the window, or the probes were away for a while: calls and raw times "
      "are at least these; latencies are of the calls that were seen."}},
    {Term::kLossy,
     {"lossy",
      "Executions that ended in the window without their ends being seen, because events were lost "
      "or the probes were away: their times are not exact."}},
    {Term::kActivity, {"activity", "Real time over time, in the range of the time scale."}},
    {Term::kEdgeCount, {"calls", "Calls between the two components begun in the window."}},
    {Term::kEdgeTime, {"raw time of calls", "Clipped raw times of these calls, added up."}},
    {Term::kAnalysed,
     {"traces",
      "All executions under one execution at the bottom of a thread's stack are a trace. Here are "
      "those that began and ended in the window, whole: times are not clipped. What probes cost is "
      "taken out of real times."}},
    {Term::kPathCount, {"calls", "Executions reached on this path of calls from outside."}},
    {Term::kPathRaw,
     {"raw time", "End minus start of the executions reached on this path, added up."}},
    {Term::kPathReal,
     {"real time",
      "Raw time minus the raw times of the observed executions directly nested in them, added up: "
      "the time that was their own, less what probes cost."}},
    {Term::kFlame,
     {"flame graph",
      "Each box is a path of calls, below it what it calls; wide boxes take long. What a box does "
      "not cover with boxes below it is its own time. Siblings stand by name, not by time."}},
    {Term::kDependency,
     {"calls and response times",
      "How often the caller called, and the raw times of the called executions: what the caller "
      "waited. A component's calls to itself are not lines at the level of components."}},
    {Term::kMatrix,
     {"adjacency matrix",
      "A row calls, a column is called; the stronger its colour the more often, on a logarithmic "
      "scale. $ is "
      "outside."}},
    {Term::kTransition,
     {"probability",
      "Of the times that a message was followed by another one, how often by this one. The last "
      "message of a trace is followed by none."}},
    {Term::kThreshold,
     {"threshold", "Transitions less likely than this are not drawn. The lists have them all."}},
    {Term::kHistogram,
     {"latency of one execution",
      "How many executions that ended in the window had which raw time. The axis is logarithmic."}},
    {Term::kEvents,
     {"events per second", "Records that arrived from the kernel during the last second."}},
    {Term::kLost,
     {"lost",
      "Records that could not be kept. Where it happened figures are too small; what it touched is "
      "hatched."}},
    {Term::kPending, {"pending", "Recorded and not drained yet."}},
    {Term::kOverhead,
     {"overhead",
      "What the probes cost the targets: calls · (inside + outside), as a percentage of the CPU "
      "time "
      "that they used meanwhile; compmond's own is not in it. Samples, where there are some, tell "
      "how much of their CPU time is at work for probes, without knowing these costs: amber where "
      "the two do not agree."}},
    {Term::kStrangers,
     {"others pay",
      "What probes cost processes that nobody observes and that run a file which is probed for "
      "all: "
      "their calls, each at its cost as measured at start, as a percentage of the targets' CPU "
      "time. "
      "The overhead budget counts it, no figure contains it. Since the start."}},
    {Term::kAttached, {"attached", "Operations that are observed, of those that the spec names."}},
    {Term::kInLog, {"in the log", "Operations that the log of Kieker has executions of."}},
    {Term::kRefused,
     {"refused",
      "Operations that are not observed, each with its reason. Their figures are missing, not "
      "zero."}},
    {Term::kThrottled,
     {"throttled",
      "Operations whose probes are away at the moment because they were too dear for the overhead "
      "budget."}},
    {Term::kSwitchedOff,
     {"switched off",
      "Operations that somebody switched off while the run goes on: in this window (J, K), by "
      "compmond control, or by a signal. Their calls are not seen meanwhile; figures are those of "
      "the time before."}},
    {Term::kHistory,
     {"history", "How far back the run goes, and the memory that its newest executions take."}},
    {Term::kProbeCost,
     {"probe cost",
      "Measured at start on this machine, per kind of site: inside falls into the observed "
      "execution, outside to its "
      "caller. Both are taken out of net real times."}},
    {Term::kBalanced,
     {"accounts",
      "hits = delivered + pending + lost, and entries = closed + open. If they do not hold, do not "
      "trust the figures."}},
    {Term::kOrphans,
     {"orphan exits",
      "Ends of calls whose beginning was not seen: they were running when observation began, or a "
      "fork took them along. "
      "Ignored."}},
    {Term::kAbandoned,
     {"abandoned",
      "Executions that were left without a return: by a longjmp, a change of context, or in a way "
      "that was not seen. Their share is of all that ended in the window."}},
    {Term::kFailed,
     {"failed",
      "Executions that an exception left, and their share of all that ended in the window: the "
      "error rate. ≥: exceptions were so many that they were not watched all the while, and some "
      "of what was left may have been left by one."}},
    {Term::kClamped,
     {"clamped", "Times that ran backwards within a thread and were set to the thread's latest."}},
    {Term::kEvicted, {"evicted", "Executions given up because a thread had more than 8,192 open."}},
    {Term::kStackSwitches,
     {"stack switches",
      "Threads that were seen switching stacks (fibers, coroutines with stacks)."}},
    {Term::kObjective,
     {"objective",
      "The response-time objective of the spec (slo_ms): an execution whose raw time is above it "
      "misses it."}},
    {Term::kViolations,
     {"objective missed",
      "Executions that ended in the window with a raw time above their objective, and open ones "
      "that are above it already."}},
    {Term::kEstimated,
     {"real time, estimated",
      "The time that was its own, on a CPU or waiting: its share of the samples times the CPU time "
      "that the processes used, and the weights of the waits that were sampled. ± is half of the "
      "interval that holds the true value 95 times of 100."}},
    {Term::kOnCpu,
     {"on CPU",
      "Time on a CPU with it as the innermost operation of the stack: its share of the samples "
      "times the CPU time that the processes used, which is known exactly. ≥: stacks were cut "
      "before any operation was met, so it may be more."}},
    {Term::kWaiting,
     {"waiting",
      "Time off the CPU with it as the innermost operation of the stack: blocked, or waiting for a "
      "CPU. ≥: waiting was sampled only part of the time, or stacks were cut before any operation "
      "was "
      "met, so it is a lower bound."}},
    {Term::kRawEstimated,
     {"raw time, estimated",
      "Time, on a CPU or waiting, with it anywhere on the stack. ≥: some stacks were cut, or it "
      "ends "
      "in a jump to another function (a tail call) and is off the stack while that runs, so it is "
      "a lower bound."}},
    {Term::kEdgeEstimated,
     {"raw time of calls",
      "Time in the callee, called by this caller: estimated from the stacks that had both. Wider "
      "lines took longer; how many calls there were is not known."}},
    {Term::kSamples,
     {"samples",
      "Stacks looked at in the window, of threads on a CPU and of threads that waited."}},
    {Term::kSamplesHz,
     {"rate on CPU",
      "Samples per second and busy CPU, as asked for (--samples); fewer are taken where more than "
      "some 500 a second would come."}},
    {Term::kSamplesLost,
     {"lost samples",
      "Samples that had no room on their way. Shares of the CPU time stay true, with wider "
      "intervals; waiting is a lower bound."}},
    {Term::kTruncatedStacks,
     {"truncated stacks",
      "Stacks deeper than the 16 KiB that are copied: their first callers are missing, so raw "
      "times "
      "are lower bounds."}},
    {Term::kBrokenStacks,
     {"broken stacks",
      "Stacks that could not be followed to the end: the callers beyond are missing, so raw times "
      "are lower bounds."}},
    {Term::kElsewhere,
     {"elsewhere",
      "Time below no operation of the spec, which no component has, on a CPU and waiting; by the "
      "file of the innermost function."}},
    {Term::kOffCpuShare,
     {"waiting sampled",
      "Part of the window in which waiting was sampled. Below 100 % waiting times are lower "
      "bounds."}},
    {Term::kSampledCpu, {"CPU time", "What the processes used in the window, exactly."}},
    {Term::kSampled,
     {"sampled",
      "Operations that samples can name, of those that the spec names. None of them has a probe."}},
    {Term::kOfWall,
     {"of the window",
      "Real time as a part of the window's length; all threads together, so it may "
      "be above 100 %."}},
    {Term::kWaitingMarked,
     {"waiting",
      "Net real time of the operations that the spec says only wait (\"waiting\"). It is not in "
      "the real time, and makes nothing hot."}},
    {Term::kDeviation,
     {"deviation",
      "Real time beyond what its share of the earlier time would be in this window: of the saved "
      "snapshot (--baseline), else of the run before the window; less where it is negative."}},
    {Term::kMeanReal, {"mean real", "Net real time by execution, without what only waits."}},
    {Term::kHits,
     {"hits", "Times that a probe or a thread's end was recorded or should have been."}},
};

}  // namespace

const Definition& definition(Term term) {
  static constexpr Definition kNone{};
  for (const auto& [key, value] : kDefinitions)
    if (key == term) return value;
  return kNone;
}

}  // namespace compmond::ui
