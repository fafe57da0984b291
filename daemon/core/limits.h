// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Every bound of the program, with its reason. Promise 4: everything is bounded.
namespace compmond::limits {

constexpr size_t kSpecBytes = 1u << 20;  // a hand-written file; more is a mistake or an attack
constexpr int kSpecDepth = 32;           // nesting of components and of JSON itself
constexpr size_t kPrograms = 16;  // of one run, each with its spec; as the kernel side has it
constexpr size_t kOperations =
    2000;  // per spec without --many: attaching more costs seconds and kernel memory
constexpr size_t kOperationsMany = 100'000;    // with --many
constexpr size_t kNameBytes = 4096;            // a demangled name; longer ones are cut with "…"
constexpr size_t kElfBytes = size_t(4) << 30;  // the largest image that is read
constexpr size_t kSymbols = 8'000'000;         // symbols read from one image
constexpr size_t kEmbeddedBytes = 64u << 20;   // of these, unpacked: browsers have 20 MB
constexpr uint64_t kUnpackedDebugBytes = 512u << 20;  // of compressed debug information, all in all
constexpr uint64_t kUnpackedDebugFree = 16u << 20;    // and so much, and so many times the file's
constexpr uint64_t kUnpackedDebugRatio = 20;          // size: compilers' packs to a third
constexpr size_t kFunctionBytes = 1u << 20;           // the longest function that is decoded
constexpr size_t kSwitchFunctions = 20'000;  // of an image that are read for stack switches
constexpr uint32_t kThreadSlots = 16'384;  // threads observed at once; 1 KiB of kernel memory each
constexpr uint32_t kTargetProcesses =
    65'536;                               // processes observed at once, where the machine has
                                          // as many threads; looked through many times a second
constexpr uint32_t kTargetEnds = 16'384;  // of them that end between two looks
constexpr size_t kRingBytes = 16u << 20;  // 100 ms of five million records a second
constexpr size_t kMergedEvents =
    2'000'000;  // that wait for a source that lags, 80 MB; beyond that they go on without it
constexpr size_t kStackFrames =
    8192;  // open executions of one thread; the oldest is evicted beyond that
constexpr size_t kOpenExecutions =
    2'000'000;  // of all threads, likewise: 220 MB; a hundred on each of those observed at once
constexpr size_t kHistoryBytes = 256u << 20;  // newest executions in full (default of --history)
constexpr size_t kHistoryBytesMost = size_t(64) << 30;  // the most that --history takes
constexpr size_t kViolationsKept = 512;  // newest ones of a run; 32 KiB in each checkpoint
constexpr size_t kViolationsShown = 50;  // of a window; more than a person reads

constexpr size_t kLogQueueBytes =
    64u << 20;  // events on their way to the log: half a second of a flood
constexpr size_t kLogSamplesBytes = 4u << 20;  // likewise, packed samples: some minutes
constexpr size_t kFlightBytes = 128u << 20;    // packed events that --record-last keeps

// Of samples, some 500 a second at most.
constexpr size_t kSampleTilesBytes = 32u << 20;  // sums over time: half an hour of single seconds
                                                 // with 200 keys each, a day in twelve sizes
constexpr size_t kSampleTileRows = 16'384;       // keys of a tile: 1.5 MB, twenty fit
// Parts of --history, in addition.
constexpr size_t kRecentSamplesShare = 10;  // the newest in full: by default ten minutes
constexpr size_t kStacksShare = 8;          // distinct stacks, some 500 bytes each
constexpr size_t kWaitingSamples = 65'536;  // until what is told of their time: two minutes
constexpr size_t kAnalysedSamplesBytes =
    256u << 20;                          // of a log at once: two hours; as much of distinct stacks
constexpr size_t kInsideNodes = 20'000;  // of a component's tree; more than a screen draws

// Of the child that reads ELF files: a browser with all its symbols takes 3 GiB and 15 s.
constexpr uint64_t kReaderBytes = uint64_t(8) << 30;
constexpr uint64_t kReaderSeconds = 60;
constexpr size_t kReaderResultBytes = size_t(256) << 20;  // a plan of kOperationsMany operations

// Of unwinding.
constexpr size_t kMappings = 65'536;  // of code of one process; the kernel's default is no more
constexpr size_t kMappingsAll = 2'000'000;  // of all processes: 64 MB
constexpr size_t kImages = 65'536;  // files that a run meets; of later ones no caller is known
constexpr size_t kImageSymbols = 4'000'000;  // functions of one file that are named; a browser with
                                             // all its symbols has 1.5 million. 48 bytes each
constexpr size_t kAllImageSymbols = 8'000'000;    // of all files; later ones have no names
constexpr size_t kAllEmbeddedBytes = 512u << 20;  // of kEmbeddedBytes, of all files; likewise
constexpr size_t kFunctions = 200'000;            // that samples of a run met: 30 MB
constexpr size_t kPerfMaps = 256;                 // processes whose own code is named at once
constexpr size_t kPerfMapBytes = 64u << 20;       // of each; node writes some MB an hour
constexpr size_t kPerfMapCode = 400'000;          // functions of each: 60 MB
constexpr size_t kFunctionNameBytes = 1024;       // longer names of these are cut with "…"
constexpr size_t kFunctionsBytes = 64u << 20;     // their names and what finds them

// Clients of the socket. They pull: a client's next request is read when it has taken its answer.
constexpr size_t kClients = 64;             // a person's windows and scripts, with room
constexpr size_t kClientsTcp = 32;          // of them, so that strangers never take all places
constexpr size_t kStrangers = 64;           // beside them: have not shown their token yet
constexpr size_t kRequestBytes = 64 << 10;  // a filter with a thousand names; more is no request
constexpr size_t kAnswerBytes = 64u << 20;  // waiting for all clients together; then none is made
constexpr uint64_t kStuckNs = 10'000'000'000;  // a client that takes nothing for so long is dropped
constexpr uint64_t kTokenNs = 5'000'000'000;   // until a client must have shown its token
constexpr size_t kTokenLineBytes = 16 << 10;   // the longest token, every character escaped
constexpr uint64_t kClientRest = 2;  // rests for so many times as long as its answer took to make
constexpr uint64_t kServeRest = 1;   // and all together: half a core at most
constexpr uint32_t kStripColumns = 4096;         // the pixels of a wide screen
constexpr size_t kStripCells = size_t(4) << 20;  // columns × components, 40 MB of JSON at worst
constexpr uint32_t kExecutionsPixels = 8192;
constexpr uint32_t kExecutionsShown = 20'000;  // more than can be told apart on a screen
// Of the traces of a window.
constexpr size_t kTracedExecutions = 50'000;  // looked at, the newest: 20 to 30 ms at worst
constexpr size_t kTraceClasses = 200'000;     // that keep their numbers; then counting starts anew
constexpr size_t kJoinedTraces = 200'000;     // likewise
constexpr size_t kContextShare = 8;  // a part of --history for what arguments said, in addition
constexpr size_t kOpenTraceExecutions =
    8'000'000;  // of traces not yet complete while a log is analysed: half a GiB
constexpr size_t kLogMemoryBytes =
    size_t(2)
    << 30;  // of who reads a log, half of the machine's at most: the limits here, together
constexpr size_t kLogTextFree = 16u << 20;  // header or state of that size is small in any case;
constexpr size_t kLogTextRatio = 256;       // of larger ones; of names all alike a 150th is left
constexpr size_t kTreeNodes = 2'000'000;    // of a call tree that keeps every call: 200 MiB
constexpr size_t kMatrixNodes = 5'000;      // rows and columns: 200 MiB of counts
constexpr size_t kWrittenFrames = 100'000'000;  // of a call tree as stacks: some 2 GiB of text
constexpr size_t kLogLineBytes = 1u << 20;      // of a text log; a longer line is damage
// Of packed logs of others.
constexpr size_t kArchiveFiles = 100'000;          // in one archive
constexpr size_t kArchivesBegun = 1'000;           // each time that one is read from its beginning
constexpr uint64_t kUnpackedRatio = 300;           // logs pack to a tenth, at best a fiftieth
constexpr uint64_t kUnpackedFree = 256u << 20;     // that much is small in any case
constexpr size_t kKiekerMapBytes = 64u << 20;      // all texts of a binary log
constexpr size_t kReplayedExecutions = 8'000'000;  // of a log of Kieker that are put in the order
                                                   // of their times at once: half a GiB

}  // namespace compmond::limits
