// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "spec/parse.h"

namespace compmond::spec::test {

// The error of a spec that must be refused as bad data.
inline std::string message(const std::string& json) {
  const auto spec = parse(json, "app.json");
  REQUIRE_FALSE(spec.has_value());
  CHECK(spec.error().code == Exit::kData);
  return spec.error().text();
}

inline Spec good(const std::string& json) {
  auto spec = parse(json, "app.json");
  REQUIRE_MESSAGE(spec.has_value(), (spec ? "" : spec.error().text()));
  return *spec;
}

// A spec whose only component, on line 2, holds these members besides its name.
inline std::string with(const std::string& members) {
  return "{\"schema\":\"compmond.spec/1\",\"components\":[\n{\"name\":\"A\"," + members + "}]}";
}

// A spec with these components (JSON) and, on line 2, these connections.
inline std::string connected(const std::string& components, const std::string& connections) {
  return "{\"schema\":\"compmond.spec/1\",\"components\":" + components +
         ",\n\"connections\":" + connections + "}";
}

}  // namespace compmond::spec::test
