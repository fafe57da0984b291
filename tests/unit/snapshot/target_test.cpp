// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "snapshot/snapshot.h"

using compmond::snapshot::name_text;

TEST_CASE(
    "target: a process is what it calls itself, with the program where that is another name") {
  CHECK(name_text({.exe = "/usr/bin/redis-check-rdb", .name = "redis-server"}) ==
        "redis-server (redis-check-rdb)");
  CHECK(name_text({.exe = "/usr/bin/postgres", .name = "postgres"}) == "postgres");
  // The kernel keeps 15 characters of it.
  CHECK(name_text({.exe = "/usr/bin/compmond-filehost", .name = "compmond-fileho"}) ==
        "compmond-filehost");
  CHECK(name_text({.exe = "/usr/bin/app", .name = ""}) == "app");
}
