// SPDX-License-Identifier: Apache-2.0
#include "ui/link/client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "base/thread.h"
#include "connection/connect.h"

namespace compmond::ui {
namespace {

constexpr int kRetryMs = 1000;

}  // namespace

Client::Client(Options options, std::function<void()> wake, Fd socket, Fd wake_read, Fd wake_write)
    : options_(std::move(options)),
      wake_(std::move(wake)),
      daemon_(std::move(socket), name()),
      wake_read_(std::move(wake_read)),
      wake_write_(std::move(wake_write)) {}

std::string Client::name() const {
  return options_.address.empty() ? "the daemon" : options_.address;
}

Result<std::unique_ptr<Client>> Client::open(Options options, std::function<void()> wake) {
  Fd socket;
  if (options.fd >= 0) {
    socket.reset(options.fd);
    if (::fcntl(options.fd, F_SETFL, ::fcntl(options.fd, F_GETFL) | O_NONBLOCK) != 0)
      return fail_errno(Exit::kUsage, fmt::format("cannot use descriptor {}", options.fd), errno);
    ::fcntl(options.fd, F_SETFD, FD_CLOEXEC);
  } else {
    auto connected = connect_to(options.address);
    if (!connected) return Unexpected(std::move(connected.error()));
    socket = std::move(*connected);
  }
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    return fail_errno(Exit::kInternal, "cannot make a pipe", errno);
  std::unique_ptr<Client> client(
      new Client(std::move(options), std::move(wake), std::move(socket), Fd(pipe[0]), Fd(pipe[1])));
  if (auto greeted = client->greet(); !greeted) return Unexpected(std::move(greeted.error()));
  auto thread = start_thread("cannot talk to compmond", [raw = client.get()] { raw->run(); });
  if (!thread) return Unexpected(std::move(thread.error()));
  client->thread_ = std::move(*thread);
  return client;
}

Client::~Client() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  interrupt();
  if (thread_.joinable()) thread_.join();
}

bool Client::idle() const {
  const std::lock_guard lock(mutex_);
  return connected_ && !waiting_;
}

void Client::ask(const snapshot::ViewRequest& request) { post(to_line(request)); }

void Client::control(const snapshot::ControlRequest& request) { post(to_line(request)); }

void Client::post(std::string line) {
  {
    const std::lock_guard lock(mutex_);
    request_ = std::move(line);
    waiting_ = true;
  }
  interrupt();
}

std::vector<Client::Event> Client::events() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

void Client::interrupt() {
  const char byte = 0;
  (void)!::write(wake_write_.get(), &byte, 1);  // a full pipe has already woken it
}

void Client::push(Event event) {
  {
    const std::lock_guard lock(mutex_);
    if (event.hello) connected_ = true;
    if (event.answer || event.hello || event.lost) waiting_ = false;
    if (event.lost) {
      connected_ = false;
      request_.reset();
    }
    events_.push_back(std::move(event));
  }
  wake_();
}

Result<void> Client::greet() {
  auto hello = daemon_.greet(options_.token, wake_read_);
  if (!hello) return Unexpected(std::move(hello.error()));
  push({.hello = std::move(*hello), .answer = {}, .lost = {}});
  return {};
}

// None: time is over, or a request waits.
Result<std::optional<std::string>> Client::next_line(int timeout_ms) {
  auto line = daemon_.read_line(timeout_ms, wake_read_);
  if (line && !*line) forget_wakes();
  return line;
}

Client::Lost Client::converse() {
  std::optional<std::string> broken;   // the way there: what it said before may be here
  std::optional<std::string> parting;  // what it said last
  for (;;) {
    std::optional<std::string> request;
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return {};
      request = std::exchange(request_, {});
    }
    if (request && !broken && !parting)
      if (auto sent = daemon_.send(std::move(*request)); !sent) broken = sent.error().text();
    if (broken) forget_wakes();  // what is there is read at once
    auto line = next_line(broken ? 0 : -1);
    if (parting && !line) return {*parting, true};
    if (broken && (!line || !*line)) return {parting.value_or(*broken), parting.has_value()};
    if (!line) return {line.error().text()};
    if (!*line) continue;
    auto answer = snapshot::answer_from_line(**line);
    if (!answer) return {answer.error().text()};
    if (answer->refusal && answer->refusal->ends)
      parting = answer->refusal->error;
    else
      push({.hello = {}, .answer = std::move(*answer), .lost = {}});
  }
}

void Client::forget_wakes() {
  char drain[64];
  while (::read(wake_read_.get(), drain, sizeof drain) > 0) {
  }
}

// One who asked meanwhile wakes it once, and does not cut every later pause short.
bool Client::wait_before_retry() {
  pollfd poll{wake_read_.get(), POLLIN, 0};
  ::poll(&poll, 1, kRetryMs);
  forget_wakes();
  const std::lock_guard lock(mutex_);
  return !ending_;
}

void Client::run() {
  for (;;) {
    Lost lost = converse();
    daemon_ = Peer();
    push({.hello = {}, .answer = {}, .lost = std::move(lost)});
    do {
      if (!can_reconnect() || !wait_before_retry()) return;
      if (auto socket = connect_to(options_.address)) daemon_ = Peer(std::move(*socket), name());
    } while (!daemon_.connected() || !greet());
  }
}

}  // namespace compmond::ui
