/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#ifdef __cplusplus
extern "C"
#endif
    long
    call_back(long (*back)(long), long value);
