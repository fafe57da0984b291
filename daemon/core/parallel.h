// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <thread>

namespace compmond {

// Makes a thread, or throws std::system_error where there can be no more.
using MakeThread = std::function<std::thread(std::function<void()>)>;
std::thread make_thread(std::function<void()> work);

// Calls work(i) for each i below `count`, up to `together` at the same time, and returns when all
// is done. Where no thread can be made those that are there do it, in the end this one alone: for
// destructors. `work` must not throw.
void in_parallel(size_t count, size_t together, const std::function<void(size_t)>& work,
                 const MakeThread& make = make_thread);

}  // namespace compmond
