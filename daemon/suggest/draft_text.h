// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "suggest/draft.h"

namespace compmond::suggest {

// What is known of a component, in a sentence for its "note".
std::string note_of(const Draft& draft, const DraftComponent& component);
// A spec (compmond.spec/1), ending with a newline.
std::string spec_text(const Draft& draft);
// For people: a numbered list of the components with what is known of each, and what could not be
// seen.
std::string overview(const Draft& draft);

}  // namespace compmond::suggest
