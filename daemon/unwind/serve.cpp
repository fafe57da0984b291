// SPDX-License-Identifier: Apache-2.0
#include "unwind/serve.h"

#include "guard/channel.h"
#include "unwind/messages.h"
#include "unwind/unwinding.h"

namespace compmond::unwind {
namespace {

class Server {
 public:
  Server(const Fd& channel, Desk& desk)
      : channel_(channel),
        desk_(desk),
        unwinding_(
            [&desk](sampling::ImageNumber at) {
              desk.progress().image = at;
              ++desk.progress().steps;
            },
            [&channel](sampling::ImageNumber of, const std::string& path) {
              return guard::send_bytes(channel, packed(Kind::kOpen, of, path))
                         ? guard::receive_file(channel)
                         : Fd();
            },
            {[&desk](uint32_t pid) {
               desk.progress().image = pid != 0 ? kPerfMapOf | pid : sampling::kNoImage;
               ++desk.progress().steps;
             },
             [&channel](const MadeCode::Report& r) {
               const auto cut = uint8_t(r.cut);
               (void)guard::send_bytes(channel,
                                       packed(Kind::kLeftOut, r.pid, r.lines, r.skipped, cut));
             }}) {}

  // False when it is over.
  bool take_message() {
    Head head;
    if (!guard::receive_bytes(channel_, &head, sizeof head)) return false;
    std::string body(head.size, '\0');
    if (!guard::receive_bytes(channel_, body.data(), body.size())) return false;
    ByteReader reader(body);
    return act(head.kind, reader);
  }

 private:
  bool act(Kind kind, ByteReader& reader) {
    uint32_t number = 0, other = 0;
    switch (kind) {
      case Kind::kImage: {
        std::string path;
        bool rows = true;
        reader(number, path, rows);
        unwinding_.add(number, path, guard::receive_file(channel_), rows);
        return true;
      }
      case Kind::kMap: {
        sampling::Mapping mapping;
        reader(number, mapping.start, mapping.end, mapping.offset, mapping.image);
        unwinding_.map(number, mapping);
        return true;
      }
      case Kind::kNames: {
        uint64_t first = 0;
        reader(number, other, first);
        unwinding_.name_code(number, other, first, guard::receive_file(channel_));
        return true;
      }
      case Kind::kFork:
        reader(number, other);
        unwinding_.fork(number, other);
        return true;
      case Kind::kForget:
        reader(number);
        unwinding_.forget(number);
        return true;
      case Kind::kWalk:
        reader(number);
        return walk(number);
      case Kind::kOpen:
      case Kind::kLeftOut:
      case Kind::kWalked:
        break;
    }
    return false;
  }

  bool walk(uint32_t count) {
    ByteWriter answer;
    sampling::RawSample sample;
    size_t at = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const size_t from = at;
      if (!desk_.take(&at, &sample)) return false;
      unwinding_.walk({&sample, 1}, [&](size_t, const sampling::Walked& walked) {
        answer(walked.ended, walked.stack_top, uint32_t(walked.frames.size()));
        for (const sampling::Frame& frame : walked.frames) answer(frame.image, frame.vaddr);
        answer(uint32_t(walked.functions.size()));
        for (const sampling::Function& f : walked.functions)
          answer(f.image, f.start, f.end, f.name);
      });
      desk_.wipe(from, at);
      ++desk_.progress().samples;
      ++desk_.progress().steps;
    }
    return guard::send_bytes(channel_, message(Kind::kWalked, answer.take()));
  }

  const Fd& channel_;
  Desk& desk_;
  Unwinding unwinding_;
};

}  // namespace

void serve(const Fd& channel, Desk& desk) {
  Server server(channel, desk);
  while (server.take_message()) {
  }
}

}  // namespace compmond::unwind
