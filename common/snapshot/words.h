// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/words.h"

// The words that a snapshot has for what it knows of a component, an operation, an execution.
namespace compmond::snapshot {

// Of a component: all its operations are observed, some, none.
enum class Status : uint8_t { kAttached, kPartial, kRefused };
constexpr auto words(Status) {
  return word_table<Status>({{Status::kAttached, "attached"},
                             {Status::kPartial, "partial"},
                             {Status::kRefused, "refused"}});
}

// Of an operation: called from outside the component, or calls out of it.
enum class Interface : uint8_t { kIn, kOut };
constexpr auto words(Interface) {
  return word_table<Interface>({{Interface::kIn, "in"}, {Interface::kOut, "out"}});
}

// How the ends of an operation's calls are seen; kEntryOnly: not at all.
enum class ExitMode : uint8_t { kReturnProbe, kRetSites, kEntryOnly, kRefused };
constexpr auto words(ExitMode) {
  return word_table<ExitMode>({{ExitMode::kReturnProbe, "return-probe"},
                               {ExitMode::kRetSites, "ret-sites"},
                               {ExitMode::kEntryOnly, "entry-only"},
                               {ExitMode::kRefused, "refused"}});
}

// How an execution ended; kOpen: not yet. Of kAbandoned and kLossy the end was not seen.
enum class Ending : uint8_t { kReturned, kAbandoned, kThreadExit, kExec, kLossy, kOpen };
constexpr auto words(Ending) {
  return word_table<Ending>({{Ending::kReturned, "returned"},
                             {Ending::kAbandoned, "abandoned"},
                             {Ending::kThreadExit, "thread_exit"},
                             {Ending::kExec, "exec"},
                             {Ending::kLossy, "lossy"},
                             {Ending::kOpen, "open"}});
}

}  // namespace compmond::snapshot
