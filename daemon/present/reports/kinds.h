// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "graphs/equivalence.h"
#include "graphs/naming.h"
#include "reports/mentioned.h"
#include "reports/reports.h"

// Each report of chosen traces. They number the operations that they mention, and add to `left_out`
// what is over the limit.
namespace compmond::present {

snapshot::Traces traces(const Chosen& chosen, const snapshot::AnalysisRequest& request,
                        Mentioned& mentioned, uint64_t& left_out);
snapshot::Classes classes(const Chosen& chosen, const snapshot::AnalysisRequest& request,
                          Mentioned& mentioned, uint64_t& left_out);
// The newest of them, execution by execution.
snapshot::OneTrace steps(const Chosen& chosen, const snapshot::AnalysisRequest& request,
                         Mentioned& mentioned, uint64_t& left_out);
snapshot::CallTree call_tree(const Chosen& chosen, const snapshot::AnalysisRequest& request,
                             Mentioned& mentioned, uint64_t& left_out);
snapshot::DependencyGraph dependency_graph(const Chosen& chosen, graphs::Naming naming,
                                           size_t limit, uint64_t& left_out);
snapshot::Markov markov(const Chosen& chosen, graphs::Naming naming, size_t limit,
                        uint64_t& left_out);

// Of the chosen traces; its representative is the newest of a class.
graphs::EquivalenceClasses classes_of(const Chosen& chosen);

}  // namespace compmond::present
