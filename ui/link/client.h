// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "connection/peer.h"
#include "protocol/protocol.h"
#include "protocol/view.h"

namespace compmond::ui {

// The connection to a daemon, on a thread of its own that reads, decodes and reconnects. One
// request is on its way at a time. `wake` is called on that thread whenever there are new events.
class Client {
 public:
  struct Options {
    std::string address;  // a socket's path, host:port or :port; or
    int fd = -1;          // a connected socket, which the client then owns and cannot open again
    std::string token;    // what a daemon on another host wants to hear first
  };
  struct Lost {
    std::string reason;
    bool parted = false;  // the daemon said it before it hung up
  };
  // One of: a new connection's greeting, an answer, or the end of the connection.
  struct Event {
    std::optional<snapshot::Hello> hello;
    std::optional<snapshot::Answer> answer;
    std::optional<Lost> lost;
  };

  // Connects and waits for the greeting, at most 5 s. Exit::kNoInput where nobody listens,
  // kNoPermission where this user may not, kData where somebody else listens.
  static Result<std::unique_ptr<Client>> open(Options options, std::function<void()> wake);
  ~Client();

  // Whether a request may be sent: connected and nothing on its way.
  bool idle() const;
  void ask(const snapshot::ViewRequest& request);
  void control(const snapshot::ControlRequest& request);
  std::vector<Event> events();  // since the last call
  bool can_reconnect() const { return options_.fd < 0; }

 private:
  Client(Options options, std::function<void()> wake, Fd socket, Fd wake_read, Fd wake_write);
  Result<void> greet();  // takes the greeting of a fresh connection
  void run();            // the thread
  Lost converse();       // until the connection ends
  void push(Event event);
  void post(std::string line);
  void interrupt();
  Result<std::optional<std::string>> next_line(int timeout_ms);
  std::string name() const;
  void forget_wakes();
  bool wait_before_retry();  // false when the client ends

  const Options options_;
  const std::function<void()> wake_;
  Peer daemon_;                // of the thread
  Fd wake_read_, wake_write_;  // a pipe that interrupts the thread's poll

  mutable std::mutex mutex_;
  std::vector<Event> events_;
  std::optional<std::string> request_;  // to be sent
  bool connected_ = false, waiting_ = false, ending_ = false;
  std::thread thread_;
};

}  // namespace compmond::ui
