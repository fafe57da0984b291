// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/analysis_view.h"
#include "stage.h"

// Answers about 20 uploads to the file host: HTTPServer → UploadManager → FileHandler →
// FileEncrypter → FSWriter.
namespace compmond::ui {

snapshot::AnalysisView uploads();                                 // counts and window alone
snapshot::AnalysisView call_tree_of_uploads(size_t paths = 0);    // so many more below HTTPServer
snapshot::AnalysisView dependencies_of_uploads(bool operations);  // HTTPServer calls itself, too
snapshot::AnalysisView markov_of_uploads(bool operations = false);

// Takes the answer in, with figures of the file host.
void feed_analysis(Stage& stage, snapshot::AnalysisView answer);
// Draws until boxes stand and nothing moves.
void wait_for_graph(Stage& stage, const char* shown);
// Shows it alone: other parts of the frame name components, too.
void show_alone(Stage& stage, const char* view);

}  // namespace compmond::ui
