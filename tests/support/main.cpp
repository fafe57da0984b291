// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

// Graphviz's layout engine does not give back all that it takes; nothing of ours lies below it.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libgvplugin_dot_layout\nleak:libgvc\nleak:libcgraph\nleak:libcdt\n";
}
