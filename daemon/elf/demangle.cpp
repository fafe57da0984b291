// SPDX-License-Identifier: Apache-2.0
// Else libiberty.h declares basename against <cstring>.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include <csetjmp>
#include <cstring>
#include <string_view>

#include "core/limits.h"
#include "elf/image.h"
#include "text/utf8.h"

namespace compmond::elf {
namespace {

constexpr std::string_view kEllipsis = "…";

// Collects output up to limits::kNameBytes. A short mangled name can stand for a text of any
// length, so the demangler is left as soon as the text is full; its callback interface allocates
// nothing that this could leak.
struct Sink {
  char text[limits::kNameBytes];
  size_t size = 0;
  std::jmp_buf full;
};

void collect(const char* text, size_t size, void* opaque) {
  if (size == 0) return;  // an empty part of a name: `text` may be null
  auto* sink = static_cast<Sink*>(opaque);
  const size_t room = sizeof sink->text - sink->size;
  std::memcpy(sink->text + sink->size, text, size < room ? size : room);
  if (size > room) {
    sink->size = sizeof sink->text;
    std::longjmp(sink->full, 1);
  }
  sink->size += size;
}

enum class Outcome { kNo, kYes, kCut };

// No object with a destructor lives in this frame: longjmp ends here.
Outcome run(const char* name, Sink& sink) {
  // The return type that a template's name carries is dropped, so that all functions read alike.
  constexpr int kOptions = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP;
  if (setjmp(sink.full) != 0) return Outcome::kCut;
  if (rust_demangle_callback(name, kOptions, collect, &sink)) return Outcome::kYes;
  sink.size = 0;
  if (name[1] != 'Z') return Outcome::kNo;
  return cplus_demangle_v3_callback(name, kOptions, collect, &sink) ? Outcome::kYes : Outcome::kNo;
}

}  // namespace

std::string demangle(const std::string& name) {
  if (name.size() < 3 || name[0] != '_' || (name[1] != 'Z' && name[1] != 'R')) return name;
  if (name.size() > limits::kNameBytes || name.find('\0') != std::string::npos) return name;
  Sink sink;
  switch (run(name.c_str(), sink)) {
    case Outcome::kNo:
      return name;
    case Outcome::kYes:
      return sink.size == 0 ? name : std::string(sink.text, sink.size);
    case Outcome::kCut:
      break;
  }
  size_t end = sizeof sink.text - kEllipsis.size();
  while (end > 0 && text::continues(sink.text[end])) --end;
  return std::string(sink.text, end) + std::string(kEllipsis);
}

}  // namespace compmond::elf
