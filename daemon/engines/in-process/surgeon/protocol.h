// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "core/byte_stream.h"
#include "patient/patient.h"

namespace compmond::sampling {

template <class A, class T>
requires std::is_same_v<std::remove_const_t<T>, MovedCode>
void fields(A& archive, T& of) { archive(of.at, of.size, of.original, of.depth, of.called); }

}  // namespace compmond::sampling

// What is asked of a surgeon, and what it answers.
namespace compmond::inprocess {

enum class Ask : uint8_t { kOpen, kPatch, kPutBack, kLeave, kClose };

struct Request {
  Ask what = Ask::kOpen;
  pid_t pid = 0;
  std::vector<Patient::Function> functions;
  std::vector<uint32_t> numbers;
};

// A process that could not be put back.
struct Left {
  pid_t pid = 0;
  std::string why;
};

struct Reply {
  std::string failure;  // packed (guard::packed)
  std::vector<Patient::Refusal> refused;
  std::vector<sampling::MovedCode> moved;  // of all that is patched by now
  std::vector<Left> left;
  bool changed = true;  // code of the process
  bool file = false;    // one follows, of
  SharedLayout layout;
};

template <class T, class Of>
concept Either = std::is_same_v<std::remove_const_t<T>, Of>;

template <class A, Either<FileId> T>
void fields(A& archive, T& file) {
  archive(file.device, file.inode);
}
template <class A, Either<Patient::Function> T>
void fields(A& archive, T& of) {
  archive(of.number, of.file, of.vaddr, of.offset, of.first_site, of.code);
}
template <class A, Either<Patient::Refusal> T>
void fields(A& archive, T& refusal) {
  archive(refusal.number, refusal.reason, refusal.unmapped);
}
template <class A, Either<Left> T>
void fields(A& archive, T& left) {
  archive(left.pid, left.why);
}
template <class A, Either<Request> T>
void fields(A& archive, T& request) {
  archive(request.what, request.pid, request.functions, request.numbers);
}
template <class A, Either<Reply> T>
void fields(A& archive, T& reply) {
  archive(reply.failure, reply.refused, reply.moved, reply.left, reply.changed, reply.file,
          reply.layout.threads, reply.layout.ring);
}

}  // namespace compmond::inprocess
