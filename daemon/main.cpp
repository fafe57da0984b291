// SPDX-License-Identifier: Apache-2.0
#include "app/cli.h"

int main(int argc, char** argv) { return compmond::app::run_program(argc, argv); }
