// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

// The few flags of the example programs: "--name value", and "--wait".
class Options {
 public:
  // `defaults` names every flag that is taken. Prints the usage and exits with 64 on anything else.
  static Options parse(int argc, char** argv, std::map<std::string, double> defaults);

  double get(const std::string& name) const { return values_.at(name); }
  // With --wait: prints "pid N" and returns when a line (or the end) has been read from stdin, so
  // that an observer can be attached first.
  void wait_if_asked() const;

 private:
  std::map<std::string, double> values_;
  bool wait_ = false;
};
