// SPDX-License-Identifier: Apache-2.0
#include "pipeline/data_side.h"

#include <utility>

namespace compmond::pipeline {

DataSide::DataSide() {
  publisher_.add([this](const SharedCheckpoint& checkpoint) { rate_.add(*checkpoint); });
}

Result<void> DataSide::start() {
  auto worker = Worker::start("cannot take in what is recorded");
  if (!worker) return Unexpected(std::move(worker.error()));
  worker_.emplace(std::move(*worker));
  return {};
}

void DataSide::begin(record::EventSource& source, const Options& options) {
  pipeline_ = std::make_unique<Pipeline>(source, options);
  pipeline_->start(*worker_);
  publisher_.follow(*pipeline_);
}

SharedCheckpoint DataSide::publish_due(uint64_t now_ns) {
  return pipeline_ && publisher_.due(now_ns) ? publisher_.read() : nullptr;
}

}  // namespace compmond::pipeline
