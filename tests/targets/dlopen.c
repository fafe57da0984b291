/* SPDX-License-Identifier: Apache-2.0 */
/* dlopen [N]: loads libtarget_plugin.so, calls plugin_work() N times, unloads it, and does it all again. */
#include <dlfcn.h>

#include "wait.h"

PROBED long load_and_call(const char *path, long count)
{
	void *plugin = dlopen(path, RTLD_NOW);
	long (*plugin_work)(long);
	long value = 0;

	if (plugin == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return -1;
	}
	*(void **)&plugin_work = dlsym(plugin, "plugin_work");
	for (long i = 0; i < count; i++)
		value = plugin_work(value);
	dlclose(plugin);
	return value;
}

int main(int argc, char **argv)
{
	wait_for_start(&argc, &argv);
	const long count = argument(argc, argv, 1, 10);
	char path[4096] = "";
	const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);

	if (length <= 0)
		return 1;
	path[length] = '\0';
	strcpy(strrchr(path, '/'), "/libtarget_plugin.so");
	const long first = load_and_call(path, count);
	const long second = load_and_call(path, count);

	printf("first %ld second %ld\n", first, second);
	return 0;
}
