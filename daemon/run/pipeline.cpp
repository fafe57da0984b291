// SPDX-License-Identifier: Apache-2.0
#include "run/pipeline.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <map>

namespace compmond::run {
namespace {

using namespace std::chrono_literals;

// Data is at most 40 ms old. What costs is waking up, so it is done often only while events come.
constexpr auto kBusyInterval = 5ms;
constexpr auto kIdleInterval = 35ms;

history::Store::Options store_options(const Pipeline::Options& options) {
  history::Store::Options out;
  out.operations = options.component_of.size();
  out.start_ns = options.start_ns;
  out.budget_bytes = options.history_bytes;
  out.objectives = options.objectives;
  return out;
}

}  // namespace

// Feeds the tracer and notices new processes. Lives on the drain thread.
class Pipeline::Intake : public record::EventSink {
 public:
  explicit Intake(Pipeline& pipeline) : pipeline_(pipeline) {}

  void on_thread(record::ThreadId thread, const record::ThreadInfo& info) override {
    if (pipeline_.recorder_) pipeline_.recorder_->on_thread(thread, info);
    pipeline_.tracer_.on_thread(thread, info);
    pipeline_.store_.on_thread(thread, info);
    arrived(pid_t(info.pid));
  }

  void on_events(record::ThreadId thread, std::span<const record::Event> events) override {
    if (pipeline_.recorder_) pipeline_.recorder_->on_events(thread, events);
    for (const record::Event& event : events) {
      if (event.kind == record::EventKind::kFork) arrived(pid_t(event.arg));
      if (event.kind == record::EventKind::kLoss) lost(thread, events.front(), event);
    }
    pipeline_.tracer_.on_events(thread, events);
  }

 private:
  // What is missing lies between the thread's event before, as far as that is known, and the loss.
  void lost(record::ThreadId thread, const record::Event& first, const record::Event& loss) {
    const uint64_t before = &first == &loss ? pipeline_.tracer_.latest_ns(thread) : first.time_ns;
    const bool known = loss.arg > 0 && before > 0;
    pipeline_.store_.on_loss(known ? before : loss.time_ns, loss.time_ns, loss.arg);
  }
  void arrived(pid_t pid) {
    const std::lock_guard lock(pipeline_.mutex_);
    if (pipeline_.arrivals_.insert(pid).second) ::eventfd_write(pipeline_.arrivals_fd_.get(), 1);
  }
  Pipeline& pipeline_;
};

Pipeline::Pipeline(record::EventSource& source, const Options& options)
    : source_(source),
      recorder_(options.recorder),
      start_ns_(options.start_ns),
      store_(store_options(options)),
      tracer_(options.component_of, store_,
              options.switches_stacks ? trace::Tracer::Stacks::kSwitching
                                      : trace::Tracer::Stacks::kOrdinary),
      intake_(std::make_unique<Intake>(*this)),
      arrivals_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Pipeline::~Pipeline() { stop(monotonic_ns()); }

void Pipeline::start() {
  thread_ = std::thread([this] { loop(); });
}

void Pipeline::loop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    const size_t events = source_.drain(*intake_);
    const uint64_t now = source_.now_ns();
    lock.lock();
    if (interrupt_) {
      const Interrupt interrupt = *interrupt_;
      lock.unlock();
      take_in(interrupt);
      lock.lock();
      interrupt_.reset();
      changed_.notify_all();
    }
    if (wanted_ > 0) {
      lock.unlock();
      auto made = std::make_shared<const history::Checkpoint>(make(now));
      lock.lock();
      answer_ = std::move(made);
      ++made_;
      wanted_ = 0;
      changed_.notify_all();
    }
    if (events >= record::EventSource::kDrainEvents) continue;
    changed_.wait_for(lock, events > 0 ? kBusyInterval : kIdleInterval,
                      [this] { return stopping_ || wanted_ > 0 || interrupt_; });
  }
}

void Pipeline::take_in(const Interrupt& interrupt) {
  while (source_.drain(*intake_) >= record::EventSource::kDrainEvents) {
  }
  source_.drain(*intake_);  // what the last one found on its way
  if (interrupt.operations.empty()) {
    if (recorder_) recorder_->on_interrupt(interrupt.now_ns);
    tracer_.close_all(interrupt.now_ns);
    return store_.on_loss(interrupt.now_ns, interrupt.now_ns, 0);
  }
  std::vector<trace::OpenExecution> open;
  tracer_.open_executions(open);
  std::map<record::ThreadId, uint64_t> threads;  // and when: not before their latest event
  for (const trace::OpenExecution& one : open)
    if (std::ranges::find(interrupt.operations, one.op) != interrupt.operations.end())
      threads.emplace(one.thread, interrupt.now_ns);
  for (const trace::OpenExecution& one : open)
    if (const auto at = threads.find(one.thread); at != threads.end())
      at->second = std::max(at->second, one.on_top_since_ns);
  for (const auto& [thread, time_ns] : threads) {
    record::Event loss;
    loss.kind = record::EventKind::kLoss;
    loss.time_ns = time_ns;
    intake_->on_events(thread, {&loss, 1});
  }
}

void Pipeline::stop(uint64_t end_ns) {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
  while (source_.drain(*intake_) > 0) {
  }
  end_ns_ = end_ns;
}

void Pipeline::interrupt(uint64_t now_ns, std::vector<record::OperationId> operations) {
  if (!thread_.joinable()) return;
  std::unique_lock lock(mutex_);
  interrupt_ = {now_ns, std::move(operations)};
  changed_.notify_all();
  changed_.wait(lock, [this] { return !interrupt_; });
}

history::Checkpoint Pipeline::make(uint64_t now_ns) const {
  history::Checkpoint out;
  out.start_ns = start_ns_;
  out.as_of_ns = now_ns;
  store_.fill(out);
  tracer_.open_executions(out.open);
  out.trace = tracer_.ledger();
  out.capture = source_.ledger();
  return out;
}

history::Checkpoint Pipeline::checkpoint() {
  if (!thread_.joinable()) return make(end_ns_ ? end_ns_ : start_ns_);
  std::unique_lock lock(mutex_);
  const uint64_t before = made_;
  ++wanted_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return made_ > before; });
  return *answer_;
}

std::vector<pid_t> Pipeline::take_arrivals() {
  const std::lock_guard lock(mutex_);
  eventfd_t count = 0;
  ::eventfd_read(arrivals_fd_.get(), &count);
  std::vector<pid_t> out(arrivals_.begin(), arrivals_.end());
  arrivals_.clear();
  return out;
}

}  // namespace compmond::run
