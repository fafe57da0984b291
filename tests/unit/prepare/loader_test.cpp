// SPDX-License-Identifier: Apache-2.0
#include "prepare/loader.h"

#include <doctest/doctest.h>

using compmond::prepare::libraries_listed;
using Paths = std::vector<std::string>;

TEST_CASE("loader: the paths of its list in their order, without what has none") {
  CHECK(libraries_listed("\tlinux-vdso.so.1 (0x1)\n\tlibm.so.6 => /lib/libm.so.6 (0x2)\n"
                         "\tlibö.so => /opt/ö/libö.so (0x3)\n\t/lib64/ld.so (0x4)\n") ==
        Paths{"/lib/libm.so.6", "/opt/ö/libö.so"});
  CHECK(libraries_listed("").empty());
}

TEST_CASE("loader: a folder that forges lines or hides characters makes it no answer") {
  const std::string good = "\tlibm.so.6 => /lib/libm.so.6 (0x2)\n";
  CHECK(libraries_listed(good).size() == 1);
  CHECK(libraries_listed(good + "statically linked\n").empty());
  for (const char* hidden : {"\x1b", "\x7f", "\u0085", "\u202e", "\u200b"})
    CHECK(libraries_listed(good + "\tx.so => /a" + hidden + "b/x.so (0x3)\n").empty());
}
