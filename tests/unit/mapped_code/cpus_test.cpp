// SPDX-License-Identifier: Apache-2.0
#include "mapped_code/cpus.h"

#include <doctest/doctest.h>

#include <string>

using compmond::sampler::remedy_at;

TEST_CASE("perf events: CAP_PERFMON is named alone where it is enough") {
  const std::string enough = remedy_at(2), more = remedy_at(3);
  CHECK(enough.find("CAP_PERFMON") != std::string::npos);
  CHECK(enough.find("CAP_SYS_ADMIN") == std::string::npos);
  CHECK(more.find("set it to 2") != std::string::npos);
  CHECK(more.find("CAP_SYS_ADMIN") != std::string::npos);
}
