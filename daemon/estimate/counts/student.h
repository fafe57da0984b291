// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace compmond::counts {

// The 97.5 % quantile of Student's distribution with that many degrees of freedom, within 0.2 %
// from 5 on (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5).
double student(double degrees);

}  // namespace compmond::counts
