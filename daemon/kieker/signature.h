// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "traces/traced.h"

namespace compmond::kieker {

// "public static void a.b.Catalog.getBook(boolean, java.lang.String)" in its parts. Views into the
// text.
struct KiekerSignature {
  std::string_view class_name;  // a.b.Catalog; empty where there is none
  std::string_view method;      // getBook, <init>
  std::string_view parameters;  // as written; empty for none

  std::string short_name() const;  // getBook(..), as Kieker abbreviates; run()
  std::string long_name() const;   // getBook(boolean, String)
};
// Never fails: what does not look like a signature is a method without class and parameters.
KiekerSignature parse_signature(std::string_view text);

// A signature for an operation that does not come from Kieker, such that Kieker takes it apart
// again: component path -> class (Parent/Child -> Parent.Child), and what would be read as a
// separator becomes '_'.
std::string make_signature(const traces::TracedOperation& operation);

}  // namespace compmond::kieker
