// SPDX-License-Identifier: Apache-2.0
#include "snapshot/strangers_text.h"

#include "text/numbers.h"

namespace compmond::snapshot {

std::string strangers_text(const Health::Strangers& strangers) {
  return (strangers.processes_at_least ? "at least " : "") +
         text::counted(strangers.processes, "other process", "other processes");
}

std::string strangers_cost_text(const Health::Strangers& strangers) {
  return strangers.cost_pct ? text::percent(*strangers.cost_pct)
                            : text::duration(strangers.cost_ns);
}

}  // namespace compmond::snapshot
