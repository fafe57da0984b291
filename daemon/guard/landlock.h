// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

// The kernel's Landlock: a process's own, irrevocable renunciation, which holds whatever user it is
// and whatever capabilities it has.
namespace compmond::guard {

// Its version; 0 where the kernel has none (before 5.13, or it is not switched on: `lsm=`).
int landlock_version();

// From now on this process, and what it starts, changes no file system: it makes, writes, cuts,
// renames and removes nothing by name, and executes nothing; but below the open folders `except` it
// may write, make and remove regular files. It connects to and binds no port, and signals none that
// has not renounced with it, as far as the version goes. What is open stays so. After no_new_privs.
// 0 or errno: ENOSYS or EOPNOTSUPP where there is no Landlock.
int renounce_changes(std::span<const int> except = {});

}  // namespace compmond::guard
