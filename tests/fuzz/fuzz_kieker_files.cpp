// SPDX-License-Identifier: Apache-2.0
// kieker::KiekerReader on any binary or packed file. The first byte of an input chooses what the
// rest is: a .bin file beside a map of all known types and some texts, a packed file beside it, or
// an archive of a whole log.
#include <array>
#include <string>

#include "bytes.h"
#include "kieker_side.h"

namespace compmond::fuzz {
namespace {

constexpr std::string_view kMap =
    "$0=kieker.common.record.misc.KiekerMetadataRecord\n"
    "$1=kieker.common.record.controlflow.OperationExecutionRecord\n"
    "$2=kieker.common.record.flow.trace.TraceMetadata\n"
    "$3=kieker.common.record.flow.trace.operation.BeforeOperationEvent\n"
    "$4=kieker.common.record.flow.trace.operation.AfterOperationEvent\n"
    "$5=kieker.common.record.flow.trace.operation.AfterOperationFailedEvent\n"
    "$6=kieker.common.record.flow.trace.operation.CallOperationEvent\n"
    "$7=kieker.common.record.flow.trace.operation.EntryLevelBeforeOperationEvent\n"
    "$8=kieker.common.record.system.CPUUtilizationRecord\n"
    "$9=kieker.common.record.flow.trace.BeforeReceivedRemoteEvent\n"
    "$10=an.unknown.Record\n"
    "$11=public void a.C.f()\n"
    "$12=a.C\n"
    "$13=host\n"
    "$14=NANOSECONDS\n";
// Names in a folder, then those of archives.
constexpr std::array kNames = {"kieker-1.bin",        "kieker-1.dat.gz", "kieker-1.gz",
                               "kieker-1.dat.xz",     "kieker-1.df",     "kieker-1.dat.bz2",
                               "kieker-1.bin.deflate"};
constexpr std::array kArchives = {"log.zip", "log.tar", "log.tar.gz"};

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond::fuzz;
  if (size == 0) return 0;
  const Folder folder;
  const std::string_view rest = text_of(data + 1, size - 1);
  const size_t choice = data[0] % (kNames.size() + kArchives.size());
  std::string path = folder.path();
  if (choice < kNames.size()) {
    folder.write("kieker.map", kMap);
    folder.write(kNames[choice], rest);
  } else {
    const char* const name = kArchives[choice - kNames.size()];
    folder.write(name, rest);
    path += std::string("/") + name;
  }
  for (const bool repair : {false, true}) read_kieker_log(path, repair);
  return 0;
}
