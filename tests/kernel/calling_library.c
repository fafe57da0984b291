/* SPDX-License-Identifier: Apache-2.0 */
/* What calling.c and throwing_back.cpp share: C that calls back. */
#include "calling_library.h"

__attribute__((noipa)) long call_back(long (*back)(long), long value) { return back(value) + 1; }
