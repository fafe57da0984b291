// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace compmond::commands {

// Packs text as a gzip file (RFC 1952), piece by piece.
class Gzip {
 public:
  using Sink = std::function<void(std::string_view packed)>;
  Gzip();

  void add(std::string_view text, const Sink& sink);
  // Ends the file: nothing can be added behind it.
  void finish(const Sink& sink);

 private:
  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  void pack(std::string_view text, int flush, const Sink& sink);

  std::unique_ptr<State, Free> state_;
};

}  // namespace compmond::commands
