// SPDX-License-Identifier: Apache-2.0
#include "run/engine_list.h"

#include <memory>
#include <utility>
#include <vector>

#include "sampler/engine.h"
#include "uprobe/engine.h"

namespace compmond::run {

engine::Engines all_engines(const prepare::EngineOptions& options) {
  std::vector<std::unique_ptr<engine::Engine>> all;
  all.push_back(uprobe::make_engine());
  all.push_back(sampler::make_engine(options.samples_hz));
  return engine::Engines(std::move(all));
}

engine::Engines engine_list(const prepare::EngineOptions& options) {
  engine::Engines out = all_engines(options);
  out.choose(options.choice);
  if (!options.attach.empty()) out.attach_by(options.attach);
  return out;
}

}  // namespace compmond::run
