/* SPDX-License-Identifier: Apache-2.0 */
/* The library that dlopen.c loads. */
#include "wait.h"

long plugin_work(long value);

PROBED long plugin_work(long value)
{
	return value + 1;
}
