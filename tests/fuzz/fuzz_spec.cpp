// SPDX-License-Identifier: Apache-2.0
// spec::parse: what it accepts is consistent, what it refuses is refused with a message fit to be
// shown.
#include <set>
#include <string>

#include "bytes.h"
#include "check.h"
#include "core/limits.h"
#include "spec/parse.h"
#include "text/clean.h"

namespace compmond::fuzz {
namespace {

constexpr size_t kMessageBytes = 4096;  // more is no message any more

void check_text(const std::string& text) {
  FUZZ_CHECK(text.size() <= kMessageBytes);
  FUZZ_CHECK(!text::has_control(text));
}

void check_error(const Error& error) {
  FUZZ_CHECK(error.code == Exit::kData);
  FUZZ_CHECK(!error.what.empty() && !error.why.empty());
  check_text(error.what);
  check_text(error.why);
  check_text(error.next);
}

void check_operation(const spec::Component& component, const spec::Operation& operation) {
  FUZZ_CHECK(!operation.symbol.empty());
  FUZZ_CHECK(operation.pointer.starts_with(component.pointer + "/"));
  FUZZ_CHECK(!operation.slo_ms || *operation.slo_ms > 0);
}

void check_component(const spec::Spec& spec, size_t index) {
  const spec::Component& component = spec.components[index];
  FUZZ_CHECK(!component.name.empty());
  FUZZ_CHECK(component.parent >= -1 && component.parent < int(index));
  const bool top = component.parent < 0;
  const std::string prefix = top ? "" : spec.components[size_t(component.parent)].path + "/";
  FUZZ_CHECK(component.path == prefix + component.name);
  FUZZ_CHECK(component.color.empty() || component.color.size() == 7);
  bool out_seen = false;
  for (const spec::Operation& operation : component.operations) {
    check_operation(component, operation);
    FUZZ_CHECK(!(out_seen && operation.interface == spec::Interface::kIn));
    out_seen = operation.interface == spec::Interface::kOut;
  }
}

void check_spec(const spec::Spec& spec) {
  FUZZ_CHECK(!spec.name.empty());
  std::set<std::string> paths;
  for (size_t i = 0; i < spec.components.size(); ++i) {
    check_component(spec, i);
    FUZZ_CHECK(paths.insert(spec.components[i].path).second);
  }
  const int count = int(spec.components.size());
  for (const spec::Connection& c : spec.connections)
    FUZZ_CHECK(c.from >= 0 && c.from < count && c.to >= 0 && c.to < count);
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond;
  const auto spec = spec::parse(fuzz::text_of(data, size), "input.json");
  if (spec)
    fuzz::check_spec(*spec);
  else
    fuzz::check_error(spec.error());
  return 0;
}
