/* SPDX-License-Identifier: Apache-2.0 */
/* Where fields of recording.h are, for recorder.S. */
#pragma once

#define RECORDING_TID 0
#define RECORDING_RING 8
#define RECORDING_BEGUN 16
#define RECORDING_DROPPED 24
#define RECORDING_LIMIT 64
#define RECORDING_THREAD_BYTES 128
#define RECORDING_THREAD_SHIFT 7

#define RECORDING_CLAIMS 8

#define RECORD_SP 8
#define RECORD_SITE 16

/* A thread may have one of so many, from where its number leads. */
#define RECORDING_PROBES 16
