// SPDX-License-Identifier: Apache-2.0
#include "later/image_reader.h"

#include <fmt/format.h>
#include <poll.h>

#include <cstring>
#include <utility>

#include "code/switches.h"
#include "core/byte_stream.h"
#include "elf/image.h"
#include "guard/channel.h"

namespace compmond::later {
namespace {

constexpr uint64_t kFileNs = 20'000'000'000;  // a compiler's library with all symbols takes 2 s
constexpr uint64_t kTakesNs = 1'000'000'000;  // an idle child takes what it is asked at once
constexpr size_t kAnswerBytes = 64u << 10;    // sentences with a file's name

struct Answer {
  plan::LaterRisk risk;
  std::string missing;
};

template <class Archive, class A>
requires std::is_same_v<std::remove_const_t<A>, Answer>
void fields(Archive& archive, A& a) { archive(a.risk.to_all, a.risk.to_open, a.missing); }

// In the child.
Answer read(const std::string& path, Fd file, const ImageReader::RiskOf& risk_of) {
  Answer out;
  const auto no_debug_files = [](const std::string&) { return Fd(); };
  auto image = elf::Image::open(std::move(file), path, no_debug_files);
  if (!image) {
    out.missing = image.error().why;
    return out;
  }
  plan::Candidate candidate{std::make_shared<elf::Image>(std::move(*image)), path};
  const auto switches = code::find_stack_switches(*candidate.image);
  candidate.switching = switches.found;
  if (!switches.whole)
    out.missing = "it has too much code that sets its stack pointer for all of it to be read";
  out.risk = risk_of(candidate);
  return out;
}

void serve(const Fd& channel, const ImageReader::RiskOf& risk_of) {
  for (std::string path; guard::receive(channel, path);) {
    ByteWriter writer;
    writer(read(path, guard::receive_file(channel), risk_of));
    if (!guard::send(channel, guard::Message::kResult, writer.take())) return;
  }
}

}  // namespace

Result<ImageReader> ImageReader::start(RiskOf risk_of) {
  guard::ConfinedLimits limits;
  limits.cpu_seconds = guard::ConfinedLimits::kEndless;  // of all files; each has its own time
  auto zygote = guard::Zygote::start(
      "compmond-later",
      [risk_of = std::move(risk_of)](const Fd& channel) { serve(channel, risk_of); }, limits);
  if (!zygote) return Unexpected(std::move(zygote.error()));
  return ImageReader(std::move(*zygote));
}

void ImageReader::add(std::string path, std::shared_ptr<const Fd> file) {
  wanted_.push_back({std::move(path), std::move(file)});
}

std::vector<ImageReader::Read> ImageReader::take(uint64_t now_ns) {
  std::vector<Read> out;
  while (!wanted_.empty()) {
    if (asked_ns_ == 0 && !ask(now_ns)) {
      out.push_back(give_up_on("the process that reads it is gone"));
      continue;
    }
    if (auto read = answer()) {
      out.push_back(std::move(*read));
      continue;
    }
    if (ended_)
      out.push_back(give_up_on(""));
    else if (now_ns > asked_ns_ + kFileNs)
      out.push_back(give_up_on(fmt::format("it took longer than {} s", kFileNs / 1'000'000'000)));
    else
      break;
  }
  return out;
}

// Makes a child where there is none.
bool ImageReader::ask(uint64_t now_ns) {
  if (!channel_.valid() && children_ < kChildren) {
    ++children_;
    channel_ = zygote_.next().channel;
  }
  if (!channel_.valid()) return false;
  asked_ns_ = now_ns;
  inbox_.clear();
  ended_ = false;
  const std::string& path = wanted_.front().path;
  const guard::Header head{guard::Message::kOpen, uint32_t(path.size())};
  const std::string message = std::string(reinterpret_cast<const char*>(&head), sizeof head) + path;
  return guard::send_bytes(channel_, message, now_ns + kTakesNs) &&
         guard::send_file(channel_, *wanted_.front().file, now_ns + kTakesNs);
}

// Nothing where it has not come yet as a whole.
std::optional<ImageReader::Read> ImageReader::answer() {
  if (!fill(sizeof(guard::Header))) return std::nullopt;
  guard::Header head;
  std::memcpy(&head, inbox_.data(), sizeof head);
  if (head.size > kAnswerBytes) return give_up_on("it gave an answer that is none");
  if (!fill(sizeof head + head.size)) return std::nullopt;
  Answer answer;
  ByteReader reader(std::string_view(inbox_).substr(sizeof head));
  reader(answer);
  if (!reader.at_end()) return give_up_on("it gave an answer that is none");
  Read out{std::move(wanted_.front().path), std::move(answer.risk), std::move(answer.missing)};
  wanted_.pop_front();
  asked_ns_ = 0;
  return out;
}

bool ImageReader::fill(size_t size) {
  while (inbox_.size() < size) {
    pollfd entry{channel_.get(), POLLIN, 0};
    if (::poll(&entry, 1, 0) <= 0) return false;
    ended_ = !guard::receive_some(channel_, inbox_, size - inbox_.size(), 0);
    if (ended_) return false;
  }
  return true;
}

// Goes on with the next file, and another child.
ImageReader::Read ImageReader::give_up_on(const std::string& why) {
  std::string how = why;
  channel_.reset();
  if (asked_ns_ != 0 && children_ < kChildren) {
    auto next = zygote_.next();
    ++children_;
    channel_ = std::move(next.channel);
    if (how.empty()) how = "the process that reads it " + next.before;
  }
  if (how.empty()) how = "the process that reads it ended";
  Read out{std::move(wanted_.front().path), {}, std::move(how)};
  wanted_.pop_front();
  asked_ns_ = 0;
  return out;
}

}  // namespace compmond::later
