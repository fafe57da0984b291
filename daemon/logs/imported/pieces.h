// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "traces/traced.h"

namespace compmond::imported {

// An operation on one of the hosts, by their numbers in a catalogue.
struct Placed {
  uint32_t host = 0, operation = 0;
  auto operator<=>(const Placed&) const = default;
};

// What one thread may have done without a break: executions of one trace that lie within each other
// or one after the other in time, wherever they were.
struct Piece {
  uint32_t host = 0;  // of the first
  uint64_t start_ns = 0, end_ns = 0;
  size_t first = 0, count = 0;  // of the moves
};

// A begin or an end, in the order of the piece.
struct Move {
  enum class Kind : uint8_t { kBegin, kEnd, kFail };
  uint64_t time_ns = 0;
  uint32_t operation = 0;  // in Pieces::operations()
  uint16_t depth = 0;
  Kind kind = Kind::kBegin;
};

// What is said of the execution that begins with a move: where its trace goes on, or which session
// it is of.
struct Said {
  size_t move = 0;
  ContextKind kind = ContextKind::kTraceId;
  uint64_t number = 0;
  std::string text;  // of a session
};

// Takes traces apart into pieces. What does not lie in its caller's time (calls that are not waited
// for, clocks that differ) is a piece of its own, tied to its caller; calls of one trace from
// outside that overlap are tied by its id.
class Pieces {
 public:
  explicit Pieces(const traces::Catalogue& catalogue) : catalogue_(catalogue) {}
  void add(const traces::Trace& trace);

  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<Move>& moves() const { return moves_; }
  const std::vector<Said>& said() const { return said_; }                // by move
  const std::vector<Placed>& operations() const { return operations_; }  // as they came first

 private:
  struct Place {
    uint32_t piece = 0;  // of the trace
    uint16_t depth = 0;
    uint64_t free_ns = 0;  // from here on it may call within the piece
  };
  void place(const traces::Trace& trace);
  void emit(const traces::Trace& trace, uint32_t piece);
  void say(size_t execution);
  uint32_t number_of(const traces::TracedExecution& execution);
  std::optional<std::string> session_of(const traces::TracedExecution& execution) const;

  const traces::Catalogue& catalogue_;
  std::vector<Piece> pieces_;
  std::vector<Move> moves_;
  std::vector<Said> said_;
  std::vector<Placed> operations_;
  std::map<Placed, uint32_t> numbers_;
  uint64_t ties_ = 0;
  // Of the trace at hand.
  std::vector<Place> places_;
  std::vector<std::vector<uint32_t>> members_;  // per piece: its executions
  std::vector<Said> to_say_;                    // `move` being the execution
};

}  // namespace compmond::imported
