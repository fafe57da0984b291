// SPDX-License-Identifier: Apache-2.0
#include "walk/walker.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "walk/bare_code.h"
#include "walk/probe_code.h"

namespace compmond::unwind {
namespace {

using sampling::Ended;
using sampling::Frame;
using sampling::Mapping;

constexpr uint64_t kAlignment = 16;        // of functions
constexpr uint8_t kTrap = 0xcc;            // int3
constexpr uint64_t kMostFrame = 1u << 16;  // bytes, where only its code tells

constexpr uint32_t preserved() {
  uint32_t mask = 1u << kRsp;
  for (const uint8_t number : kSaved) mask |= 1u << number;
  return mask;
}

class Walk : public Memory {
 public:
  Walk(const sampling::RawSample& sample, const AddressSpace* space, CodeInfo& code,
       sampling::Walked& out)
      : stack_(sample.stack), returns_(sample.returns), space_(space), code_(code), out_(out) {
    std::ranges::copy(sample.head->registers, now_.value.begin());
    stack_at_ = top_ = now_.value[kRsp];
  }

  void run() {
    out_.frames.clear();
    Step step = Step::kOn;
    while (step == Step::kOn) step = out_.frames.size() < kFrames ? next() : Step::kTruncated;
    if (guessed_ && step == Step::kTruncated) step = Step::kBroken;
    out_.ended = step == Step::kComplete    ? Ended::kComplete
                 : step == Step::kTruncated ? Ended::kTruncated
                                            : Ended::kBroken;
    out_.stack_top = step == Step::kComplete ? top_ : 0;
  }

  std::optional<uint64_t> read(uint64_t address, unsigned size) override {
    const uint64_t skip = address - stack_at_;
    uint64_t value = 0;
    if (skip < stack_.size() && size <= stack_.size() - skip) {
      std::memcpy(&value, stack_.data() + skip, size);
      return value;
    }
    if (read_code(address, {reinterpret_cast<uint8_t*>(&value), size}) == size) return value;
    missing_ = address;
    return std::nullopt;
  }

 private:
  enum class Step : uint8_t { kOn, kComplete, kTruncated, kBroken };

  uint64_t sp() const { return now_.value[kRsp]; }
  uint64_t pc() const { return now_.value[kPc]; }

  uint64_t place() const { return exact_ ? pc() : pc() - 1; }
  bool in_file() const { return mapping_ && mapping_->image != sampling::kNoImage; }

  void find_mapping() {
    if (!mapping_ || place() < mapping_->start || place() >= mapping_->end)
      mapping_ = space_ ? space_->find(place()) : nullptr;
  }

  // One frame: says where it is, and goes to its caller.
  Step next() {
    if (pc() == 0 && !exact_) return Step::kComplete;
    find_mapping();
    if (exact_ && !in_file() && leave_probe_code(now_, returns_, *this)) {
      top_ = std::max(top_, sp());
      find_mapping();
    }
    const uint64_t address = place();
    Frame& frame = out_.frames.emplace_back(Frame{sampling::kNoImage, address});
    if (!mapping_ || in_probe_page(pc())) return Step::kBroken;
    if (!in_file()) return by_frame_pointer();
    const uint64_t offset = address - mapping_->start + mapping_->offset;
    const auto vaddr = code_.vaddr_of(mapping_->image, offset);
    frame = {mapping_->image, vaddr.value_or(0)};
    if (!vaddr) return Step::kBroken;
    return by_row(code_.row(frame.image, *vaddr), frame.image);
  }

  Step by_row(const Row& row, sampling::ImageNumber image) {
    switch (row.kind) {
      case Row::Kind::kUnknown:
        return by_bytes();
      case Row::Kind::kOutermost:
        return Step::kComplete;
      case Row::Kind::kPlain:
        return by_plain(row);
      case Row::Kind::kRules:
        return by_rules(code_.rules(image, row.rules), row.signal);
    }
    return Step::kBroken;
  }

  Step by_plain(const Row& row) {
    if (!now_.knows(row.cfa_register)) return Step::kBroken;
    const uint64_t cfa = now_.value[row.cfa_register] + uint64_t(int64_t(row.cfa_offset));
    const uint64_t slot = cfa + uint64_t(int64_t(row.at.back()));
    if ((cfa <= sp() && !row.signal) || slot < sp()) return Step::kBroken;
    const auto caller = read_return(slot);
    if (!caller) return without(slot);
    for (size_t i = 0; i + 1 < kSaved.size(); ++i) {
      if (row.at[i] == Row::kSame) continue;
      const uint64_t at = cfa + uint64_t(int64_t(row.at[i]));
      if (row.at[i] != Row::kUndefined && at < sp()) continue;
      restore(kSaved[i], row.at[i] == Row::kUndefined ? std::nullopt : read(at, 8));
    }
    now_.known &= preserved();
    return go_to(*caller, cfa, row.signal);
  }

  Step by_rules(const Rules& rules, bool signal) {
    missing_.reset();
    const auto cfa = evaluate(rules.cfa, now_, std::nullopt, *this);
    if (!cfa) return missing_ ? without(*missing_) : Step::kBroken;
    if (*cfa <= sp() && !signal) return Step::kBroken;
    Registers before = now_;
    for (int number = 0; number < CM_REGISTERS; ++number) {
      missing_.reset();
      const auto value = by_rule(rules.registers[size_t(number)], number, *cfa, signal);
      if (!value && number == kPc) return missing_ ? without(*missing_) : Step::kBroken;
      if (value)
        before.set(number, *value);
      else
        before.lose(number);
    }
    const uint64_t caller_sp = before.knows(kRsp) ? before.value[kRsp] : *cfa;
    if (caller_sp <= sp() && !signal) return Step::kBroken;
    now_ = before;
    if (!signal) now_.known &= preserved();
    return go_to(now_.value[kPc], caller_sp, signal);
  }

  std::optional<uint64_t> by_rule(const Rules::Rule& rule, int number, uint64_t cfa, bool signal) {
    const auto same =
        now_.knows(uint64_t(number)) ? std::optional(now_.value[size_t(number)]) : std::nullopt;
    if (rule.how == Rules::Rule::How::kSame) return same;
    if (rule.how == Rules::Rule::How::kUndefined) return std::nullopt;
    const auto result = evaluate(rule.expression, now_, cfa, *this);
    if (!result || rule.how == Rules::Rule::How::kValue) return result;
    if (*result < sp() && !signal && number != kPc) return same;
    return number == kPc ? read_return(*result) : read(*result, 8);
  }

  // A place in a file of which its call frame information knows nothing.
  Step by_bytes() {
    std::array<uint8_t, kBareBefore + kBareBehind> bytes{};
    const size_t before = read_code(pc() - kBareBefore, std::span(bytes).first(kBareBefore));
    const size_t behind = read_code(pc(), std::span(bytes).subspan(kBareBefore));
    if (out_.frames.size() == 1 && exact_ && !stepped_ && behind > 0 &&
        bytes[kBareBefore] == kTrap) {
      stepped_ = true;
      out_.frames.clear();
      now_.set(kPc, pc() + 1);
      return Step::kOn;
    }
    switch (bare_code(std::span(bytes).first(before), std::span(bytes).subspan(kBareBefore, behind),
                      now_, out_.frames.size() == 1)) {
      case Bare::kSignalReturn:
        return leave_signal(now_, *this) ? go_to(pc(), sp(), true) : without(sp());
      case Bare::kNewThread:
        return Step::kComplete;
      case Bare::kAtReturn:
        if (const auto caller = read_return(sp())) return go_to(*caller, sp() + 8, false);
        return without(sp());
      case Bare::kUnknown:
        break;
    }
    if (is_laid_by_hand()) return Step::kComplete;
    if (const auto step = by_code()) return *step;
    if (below_arguments(sp(), *this, &top_)) return Step::kComplete;
    if (!exact_ && now_.knows(kRbp) && now_.value[kRbp] == 0) return Step::kComplete;
    return by_frame_pointer();
  }

  // A function begins where this one is to return to, with no call in front: no caller is waiting
  // there, the stack was made to end so.
  bool is_laid_by_hand() {
    std::array<uint8_t, kCallBytes> before{};
    if (exact_ || pc() % kAlignment != 0) return false;
    if (read_code(pc() - before.size(), before) != before.size() || is_behind_call(before))
      return false;
    const auto vaddr = code_.vaddr_of(mapping_->image, pc() - mapping_->start + mapping_->offset);
    if (!vaddr) return false;
    const Row row = code_.row(mapping_->image, *vaddr);
    return row.kind == Row::Kind::kOutermost ||
           (row.kind == Row::Kind::kPlain && row.cfa_register == kRsp && row.cfa_offset == 8);
  }

  // Nothing where the code does not tell, or where what it tells is no caller.
  std::optional<Step> by_code() {
    const auto vaddr = code_.vaddr_of(mapping_->image, pc() - mapping_->start + mapping_->offset);
    if (!vaddr) return std::nullopt;
    const Row row = code_.row_by_code(mapping_->image, *vaddr);
    if (row.kind != Row::Kind::kPlain || !now_.knows(row.cfa_register)) return std::nullopt;
    const uint64_t slot = now_.value[row.cfa_register] + uint64_t(int64_t(row.cfa_offset)) - 8;
    const auto caller = slot < sp() ? std::nullopt : read_return(slot);
    if (caller && !may_return_to(*caller)) return std::nullopt;
    if (!caller && (slot < sp() || slot - sp() > kMostFrame)) return std::nullopt;
    return by_plain(row);
  }

  bool may_return_to(uint64_t address) {
    const Mapping* mapping = space_->find(address - 1);
    if (!mapping) return false;
    if (mapping->image == sampling::kNoImage) return true;  // its code is not at hand
    std::array<uint8_t, kCallBytes> before{};
    return is_behind_call(std::span(before).first(read_code(address - before.size(), before)));
  }

  Step by_frame_pointer() {
    guessed_ = true;
    const uint64_t frame = now_.value[kRbp];
    if (!now_.knows(kRbp) || frame % 8 != 0 || frame < sp()) return Step::kBroken;
    const auto outer = read(frame, 8), caller = read_return(frame + 8);
    if (!outer || !caller || (*caller != 0 && !space_->find(*caller - 1))) return Step::kBroken;
    now_.known = 0;
    now_.set(kRbp, *outer);
    return go_to(*caller, frame + 16, false);
  }

  Step go_to(uint64_t caller, uint64_t sp, bool from_signal) {
    now_.set(kPc, caller);
    now_.set(kRsp, sp);
    top_ = std::max(top_, sp);
    exact_ = from_signal;
    after_signal_ |= from_signal;
    return Step::kOn;
  }

  // What stands in `slot`, or stood there before a probe took it.
  std::optional<uint64_t> read_return(uint64_t slot) {
    const auto address = read(slot, 8);
    if (!address || !in_probe_page(*address)) return address;
    const auto taken = taken_from(slot, returns_);
    return taken ? taken : address;
  }

  void restore(int number, std::optional<uint64_t> value) {
    if (value)
      now_.set(number, *value);
    else
      now_.lose(number);
  }

  // What `address` holds is needed, and is not at hand.
  Step without(uint64_t address) const {
    return address >= stack_at_ || after_signal_ ? Step::kTruncated : Step::kBroken;
  }

  size_t read_code(uint64_t address, std::span<uint8_t> to) {
    const Mapping* mapping = space_ ? space_->find(address) : nullptr;
    if (!mapping || mapping->image == sampling::kNoImage) return 0;
    const auto vaddr = code_.vaddr_of(mapping->image, address - mapping->start + mapping->offset);
    return vaddr ? code_.read(mapping->image, *vaddr, to) : 0;
  }

  const std::span<const std::byte> stack_;
  const std::span<const cm_return> returns_;
  const AddressSpace* const space_;
  CodeInfo& code_;
  sampling::Walked& out_;
  Registers now_;
  const Mapping* mapping_ = nullptr;  // the last frame's
  uint64_t stack_at_ = 0;
  uint64_t top_ = 0;
  bool exact_ = true;  // pc is where the frame stands, not where it was returned to
  bool after_signal_ = false;
  bool guessed_ = false;
  bool stepped_ = false;             // over a trap that the file has
  std::optional<uint64_t> missing_;  // what could not be read last
};

}  // namespace

void walk(const sampling::RawSample& sample, const AddressSpace* space, CodeInfo& code,
          sampling::Walked& out) {
  Walk(sample, space, code, out).run();
}

}  // namespace compmond::unwind
