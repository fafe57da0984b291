// SPDX-License-Identifier: Apache-2.0
#include "spec/parse.h"

#include "spec/reader.h"

namespace compmond::spec {

Result<Spec> parse(std::string_view json, const std::string& path) {
  Result<Node> tree = parse_json(json, path);
  if (!tree) return Unexpected(std::move(tree.error()));
  Result<Spec> spec = SpecReader(json, path).read(*tree);
  if (spec) spec->text = json;
  return spec;
}

}  // namespace compmond::spec
