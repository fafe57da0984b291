// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Every bound of the program, with its reason. Promise 4: everything is bounded.
namespace compmond::limits {

constexpr size_t kSpecBytes = 1u << 20;  // a hand-written file; more is a mistake or an attack
constexpr int kSpecDepth = 32;           // nesting of components and of JSON itself
constexpr size_t kOperations =
    2000;  // per spec without --many: attaching more costs seconds and kernel memory
constexpr size_t kOperationsMany = 100'000;    // with --many
constexpr size_t kNameBytes = 4096;            // a demangled name; longer ones are cut with "…"
constexpr size_t kElfBytes = size_t(4) << 30;  // the largest image that is read
constexpr size_t kSymbols = 8'000'000;         // symbols read from one image
constexpr size_t kFunctionBytes = 1u << 20;    // the longest function that is decoded
constexpr uint32_t kThreadSlots = 16'384;  // threads observed at once; 1 KiB of kernel memory each
constexpr uint32_t kTargetProcesses = 16'384;  // processes observed at once
constexpr size_t kRingBytes = 16u << 20;       // 100 ms of five million records a second
constexpr size_t kStackFrames =
    8192;  // open executions of one thread; the oldest is evicted beyond that
constexpr size_t kHistoryBytes = 256u << 20;  // newest executions in full (default of --history)
constexpr size_t kOpenTraceExecutions =
    8'000'000;  // of traces not yet complete while a log is analysed: half a GiB
constexpr size_t kTreeNodes = 2'000'000;    // of a call tree that keeps every call: 200 MiB
constexpr size_t kLogLineBytes = 1u << 20;  // of a text log; a longer line is damage

}  // namespace compmond::limits
