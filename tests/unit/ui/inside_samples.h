// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stage.h"

namespace compmond::ui {

// Inside FileEncrypter in the window of sampled_host(): encrypt() with libcrypto and the kernel
// below it, log() which was hardly met, called by two callers and by what a cut stack lacks.
snapshot::AnalysisView inside_of_encrypter();

// Takes it in as the answer to what the shown view asks, and draws it.
void feed_inside(Stage& stage, snapshot::AnalysisView answer = inside_of_encrypter(),
                 snapshot::View view = sampled_host());

}  // namespace compmond::ui
