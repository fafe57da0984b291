// SPDX-License-Identifier: Apache-2.0
#include "run/engine_list.h"

#include <memory>
#include <utility>
#include <vector>

#include "uprobe/engine.h"

namespace compmond::run {

engine::Engines engine_list(const std::string& attach) {
  std::vector<std::unique_ptr<engine::Engine>> all;
  all.push_back(uprobe::make_engine());
  engine::Engines out(std::move(all));
  if (!attach.empty()) out.attach_by(attach);
  return out;
}

}  // namespace compmond::run
