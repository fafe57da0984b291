// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

// Random cases are the same in every run, so that a change is judged by the change. To look
// further:
//   RC_PARAMS="seed=7 max_success=100000" build/dev/bin/unit_trace
int main(int argc, char** argv) {
  ::setenv("RC_PARAMS", "seed=20261121", 0);
  return doctest::Context(argc, argv).run();
}

// Graphviz's layout engine does not give back all that it takes; nothing of ours lies below it.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libgvplugin_dot_layout\nleak:libgvc\nleak:libcgraph\nleak:libcdt\n";
}
