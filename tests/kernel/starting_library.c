// SPDX-License-Identifier: Apache-2.0
// Does things before the entry point of the program that it is linked to, as STARTING says.
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
static volatile sig_atomic_t caught;

static void count(int number) {
    (void)number;
    ++caught;
}

static void* run_on(void* arg) { return arg; }

static void print(const char* text, int number) {
    printf("%s %d\n", text, number);
    fflush(stdout);
}

static int end_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Its child goes on to main, like everybody.
static void fork_here(void) {
    const pid_t child = fork();
    if (child == 0) {
        setenv("STARTING", "child", 1);
        return;
    }
    print("forked", end_of(child));
}

static void spawn_here(void) {
    char* words[] = {"/proc/self/exe", "7", NULL};
    char self[4096] = "";
    if (readlink(words[0], self, sizeof self - 1) > 0) words[0] = self;
    pid_t child = 0;
    setenv("STARTING", "nothing", 1);
    if (posix_spawn(&child, self, NULL, NULL, words, environ) == 0) print("spawned", end_of(child));
}

static void execute_here(void) {
    char self[4096] = "";
    char* words[] = {self, "21", NULL};
    setenv("STARTING", "raise", 1);  // and once more in what it becomes
    if (readlink("/proc/self/exe", self, sizeof self - 1) > 0) execv(self, words);
}

__attribute__((constructor)) static void start(void) {
    const char* what = getenv("STARTING");
    if (!what) return;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = count;
    sigaction(SIGTRAP, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    pthread_t thread;
    if (!strcmp(what, "raise")) raise(SIGTRAP);
    if (!strcmp(what, "int3")) __asm__ volatile("int3");
    if (!strcmp(what, "signal")) raise(SIGUSR1);
    if (!strcmp(what, "trap kills")) signal(SIGTRAP, SIG_DFL), raise(SIGTRAP);
    if (!strcmp(what, "fork")) fork_here();
    if (!strcmp(what, "spawn")) spawn_here();
    if (!strcmp(what, "exec")) execute_here();
    if (!strcmp(what, "exit")) _exit(7);
    if (!strcmp(what, "killed")) kill(getpid(), SIGKILL);
    if (!strcmp(what, "stop")) print("stops", 0), raise(SIGSTOP);
    if (!strcmp(what, "thread") && pthread_create(&thread, NULL, run_on, NULL) == 0)
        pthread_join(thread, NULL);
    print("caught", (int)caught);
}
