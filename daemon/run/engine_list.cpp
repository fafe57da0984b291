// SPDX-License-Identifier: Apache-2.0
#include "run/engine_list.h"

#include <memory>
#include <utility>
#include <vector>

#include "sampler/engine.h"
#include "uprobe/engine.h"

namespace compmond::run {

using prepare::EngineChoice;

engine::Engines engine_list(const prepare::EngineOptions& options) {
  std::vector<std::unique_ptr<engine::Engine>> chosen;
  if (options.choice == EngineChoice::kSampling)
    chosen.push_back(sampler::make_engine(options.samples_hz));
  else
    chosen.push_back(uprobe::make_engine());
  engine::Engines out(std::move(chosen));
  if (!options.attach.empty()) out.attach_by(options.attach);
  return out;
}

engine::Engines all_engines() {
  std::vector<std::unique_ptr<engine::Engine>> all;
  all.push_back(uprobe::make_engine());
  all.push_back(sampler::make_engine({}));
  return engine::Engines(std::move(all));
}

}  // namespace compmond::run
