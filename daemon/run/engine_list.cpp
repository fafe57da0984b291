// SPDX-License-Identifier: Apache-2.0
#include "run/engine_list.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/words.h"
#include "uprobe/attach_kind.h"
#include "uprobe/engine.h"

namespace compmond::run {

engine::Engines engine_list(const std::string& attach) {
  std::vector<std::unique_ptr<engine::Engine>> all;
  all.push_back(uprobe::make_engine(from_text<uprobe::AttachKind>(attach)));
  return engine::Engines(std::move(all));
}

std::vector<std::string> attach_words() { return all_words<uprobe::AttachKind>(); }

}  // namespace compmond::run
