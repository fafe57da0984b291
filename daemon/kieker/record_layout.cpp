// SPDX-License-Identifier: Apache-2.0
#include "kieker/record_layout.h"

#include <algorithm>
#include <array>

#include "kieker/record.h"

namespace compmond::kieker {
namespace {

struct Layout {
  std::string_view name, fields;
};

constexpr std::string_view kEvent = "lliss", kFailed = "llisss", kCall = "llissss";

constexpr std::array kLayouts = {
    // Of traces.
    Layout{"OperationExecutionRecord", "sslllsii"},
    Layout{"TraceMetadata", "llssli"},
    Layout{"Trace", "llssli"},
    Layout{"ApplicationTraceMetadata", "llsslis"},
    Layout{"BeforeOperationEvent", kEvent},
    Layout{"AfterOperationEvent", kEvent},
    Layout{"AfterOperationFailedEvent", kFailed},
    Layout{"CallOperationEvent", kCall},
    Layout{"EntryLevelBeforeOperationEvent", "llissSSi"},
    Layout{"BeforeOperationObjectEvent", "llissi"},
    Layout{"BeforeOperationObjectInterfaceEvent", "llissis"},
    Layout{"EntryLevelBeforeOperationObjectEvent", "llissiSSi"},
    Layout{"AfterOperationObjectEvent", "llissi"},
    Layout{"AfterOperationFailedObjectEvent", "llisssi"},
    Layout{"CallOperationObjectEvent", "llissssii"},
    Layout{"BeforeConstructorEvent", kEvent},
    Layout{"AfterConstructorEvent", kEvent},
    Layout{"AfterConstructorFailedEvent", kFailed},
    Layout{"CallConstructorEvent", kCall},
    Layout{"BeforeConstructorObjectEvent", "llissi"},
    Layout{"BeforeConstructorObjectInterfaceEvent", "llissis"},
    Layout{"AfterConstructorObjectEvent", "llissi"},
    Layout{"AfterConstructorFailedObjectEvent", "llisssi"},
    Layout{"CallConstructorObjectEvent", "llissssii"},
    Layout{"ConstructionEvent", "llisi"},
    Layout{"SplitEvent", "lli"},
    Layout{"ForkEvent", "lli"},
    Layout{"JoinEvent", "llil"},
    Layout{"MonitorEntryEvent", "llii"},
    Layout{"MonitorExitEvent", "llii"},
    Layout{"MonitorNotifyAllEvent", "llii"},
    Layout{"MonitorNotifyEvent", "llii"},
    Layout{"MonitorRequestEvent", "llii"},
    Layout{"MonitorWaitEvent", "llii"},
    Layout{"BeforeSentRemoteEvent", "llis"},
    Layout{"BeforeReceivedRemoteEvent", "llili"},
    Layout{"BeforeDatabaseEvent", "lsliss"},
    Layout{"AfterDatabaseEvent", "lsliss"},
    Layout{"DatabaseFailedEvent", "lslis"},
    // Of others.
    Layout{"BeforeThreadBasedEvent", "lliss"},
    Layout{"AfterThreadBasedEvent", "lliss"},
    Layout{"AfterFailedThreadBasedEvent", "llisss"},
    Layout{"KiekerMetadataRecord", "sssiblsl"},
    Layout{"EmptyRecord", ""},
    Layout{"TimestampRecord", "l"},
    Layout{"BranchingRecord", "lii"},
    Layout{"HostApplicationMetaData", "ssss"},
    Layout{"ThreadMetaData", "sl"},
    Layout{"OperationCallEvent", "ssss"},
    Layout{"SessionStartEvent", "lss"},
    Layout{"SessionEndEvent", "lss"},
    Layout{"CPUUtilizationRecord", "lssddddddd"},
    Layout{"MemSwapUsageRecord", "lsllllll"},
    Layout{"ResourceUtilizationRecord", "lssd"},
    Layout{"LoadAverageRecord", "lsddd"},
    Layout{"NetworkUtilizationRecord", "lsslddddddddddddd"},
    Layout{"DiskUsageRecord", "lssdddddd"},
    Layout{"ClassLoadingRecord", "lsslil"},
    Layout{"CompilationRecord", "lsssl"},
    Layout{"GCRecord", "lsssll"},
    Layout{"MemoryRecord", "lsslllllllli"},
    Layout{"ThreadsStatusRecord", "lssllll"},
    Layout{"UptimeRecord", "lssl"},
};

}  // namespace

std::optional<std::string_view> layout_of(std::string_view record_name) {
  const auto found = std::ranges::find(kLayouts, record_name, &Layout::name);
  if (found == kLayouts.end()) return std::nullopt;
  return found->fields;
}

std::optional<OrderFields> order_fields_of(std::string_view class_name) {
  if (class_name.starts_with("kieker.common.record.database.")) return OrderFields{2, 3};
  if (!class_name.starts_with("kieker.common.record.flow.trace.") &&
      !class_name.starts_with("kieker.common.record.remotecontrolflow."))
    return std::nullopt;
  if (simple_name(class_name) == "BeforeReceivedRemoteEvent") return OrderFields{3, 4};
  return OrderFields{};
}

}  // namespace compmond::kieker
