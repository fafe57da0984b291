// SPDX-License-Identifier: Apache-2.0
#include "imported/written_log.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "log_format/codec.h"

namespace compmond::imported {
namespace {

constexpr size_t kBlockEvents = 32'768;  // as the recorder's

}  // namespace

Result<WrittenLog> WrittenLog::begin(const recording::Header& header) {
  Fd file(::memfd_create("compmond-log", MFD_CLOEXEC));
  if (!file.valid()) return fail_errno(Exit::kUnavailable, "cannot keep the log", errno);
  WrittenLog out(std::move(file));
  recording::ChunkHead head;
  const std::string bytes = recording::header_chunk(header, head);
  if (auto written = out.append(head, bytes); !written) return Unexpected(written.error());
  return out;
}

Result<void> WrittenLog::write(const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t got = ::write(file_.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail_errno(Exit::kUnavailable, "cannot keep the log", errno);
    done += size_t(got);
  }
  size_ += bytes.size();
  return {};
}

Result<void> WrittenLog::append(const recording::ChunkHead& head, const std::string& bytes) {
  places_.push_back({size_, head});
  return write(bytes);
}

Result<void> WrittenLog::add(record::ThreadId thread, const record::ThreadInfo& info,
                             const record::Event& event) {
  using Call = recording::Block::Call;
  if (thread >= known_in_.size()) known_in_.resize(thread + 1);
  if (known_in_[thread] == 0) block_.steps.push_back({Call::kThread, thread, 0, 0});
  if (known_in_[thread] != block_number_) block_.threads.push_back({thread, info});
  known_in_[thread] = block_number_;
  if (block_.steps.empty() || block_.steps.back().thread != thread ||
      block_.steps.back().call != Call::kEvents)
    block_.steps.push_back({Call::kEvents, thread, 0, 0});
  ++block_.steps.back().count;
  block_.events.push_back(event);
  return block_.events.size() < kBlockEvents ? Result<void>() : write_block();
}

Result<void> WrittenLog::write_block() {
  block_.first_event = events_;
  events_ += block_.events.size();
  recording::ChunkHead head;
  const std::string payload = recording::encode(block_, head);
  const std::string bytes = recording::seal(head, payload);
  block_.clear();
  ++block_number_;
  return append(head, bytes);
}

Result<Fd> WrittenLog::finish(recording::State state, uint64_t unread) {
  if (!block_.empty())
    if (auto written = write_block(); !written) return Unexpected(std::move(written.error()));
  state.events = events_;
  state.capture.delivered = events_;
  state.capture.lost_refused = unread;
  state.capture.hits = events_ + unread;
  recording::ChunkHead head;
  const std::string bytes = recording::state_chunk(state, head);
  if (auto written = append(head, bytes); !written) return Unexpected(std::move(written.error()));
  if (auto written = write(recording::log_end(places_, size_)); !written)
    return Unexpected(std::move(written.error()));
  return std::move(file_);
}

}  // namespace compmond::imported
