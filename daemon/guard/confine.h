// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "guard/confined.h"

namespace compmond::guard {

// In a fresh child: takes all rights away from this process, for good. Of its open files only
// `channel` and `files` stay. Returns what failed, for people; empty when it is confined.
std::string confine_self(const Fd& channel, std::vector<int> files, const ConfinedLimits& limits);

// As above, but for what a process needs that makes confined ones: it may fork, end its children,
// and give them a channel. For one that reads nothing foreign.
std::string confine_maker(const Fd& channel);

// As above, but for one that makes files in the open `folder`, whoever's it is, and removes them:
// it opens none that is there, and the user stays, to whom new files belong.
std::string confine_writer(const Fd& channel, int folder);

// As above, but for one that only removes files from `folders`, with its user's right to.
std::string confine_remover(const Fd& channel, const std::vector<int>& folders);

// As above, but for one that opens files for reading, with its user's right to, and hands them out.
std::string confine_opener(const Fd& channel);

// As above, but for one that reads the memory of other processes, with this process's right to, and
// no other: it opens files for reading as nobody.
std::string confine_looker(const Fd& channel);

// As above, but for one that makes probes of the kernel in the open `files`, one of which is the
// program that they run: nobody, with the rights that takes, and with that call alone. `by_events`:
// the kernel has only perf events for them.
std::string confine_mender(const Fd& channel, std::vector<int> files, bool by_events);

// Of its open files only `channel` stays, of its rights those to trace any process, to write its
// memory, and to suspend its system call filter: which is why this one has none, as the kernel lets
// no process with a filter suspend another one's.
std::string confine_surgeon(const Fd& channel);

}  // namespace compmond::guard
