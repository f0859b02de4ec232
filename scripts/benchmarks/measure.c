/* measure REPORT-FD COMMAND [ARGUMENT...]
 *
 * Runs COMMAND with its own standard descriptors, waits for it and for all processes that it
 * left, and writes one line to REPORT-FD:
 *
 *     start end user system peak_kib written status
 *
 * start and end are CLOCK_MONOTONIC seconds, so that other programs' clocks can be compared with them;
 * user and system are summed over all descendants; peak_kib is the largest of them; written is what the
 * kernel reports as written by COMMAND (-1 if unknown); status is 128 + N after signal N. SIGTERM is passed on to COMMAND, to
 * stop a server.
 *
 * Why not from Python: the kernel carries a process's peak over exec, so a child started straight from a
 * big parent reports the parent's peak. This program is small, and so is the child it forks.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

/* "wchar" counts write and sendfile, not splice; it can still be read while the process is a zombie. */
static long long bytes_written(pid_t pid) {
    char path[64], line[128];
    long long written = -1;
    snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
    FILE *io = fopen(path, "r");
    if (!io) return -1;
    while (fgets(line, sizeof line, io))
        if (sscanf(line, "wchar: %lld", &written) == 1) break;
    fclose(io);
    return written;
}

static volatile pid_t server;

static void pass_on(int number) {
    if (server > 0) kill(server, number);
}

static pid_t launch(char **command) {
    pid_t pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

struct outcome {
    double end, user, system;
    long peak_kib;
    long long written;
    int status;
};

static void add_usage(struct outcome *sum, const struct rusage *usage) {
    sum->user += seconds(usage->ru_utime);
    sum->system += seconds(usage->ru_stime);
    if (usage->ru_maxrss > sum->peak_kib) sum->peak_kib = usage->ru_maxrss;
}

/* A command may leave a child of its own unwaited for (a writer it piped into another program): as a
 * subreaper this process inherits those, and their CPU time isn't lost. */
static struct outcome wait_for_all(pid_t command) {
    struct outcome sum = {.written = -1, .status = 127};
    siginfo_t info;
    while (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0) { /* signal() restarts calls after a handler */
        struct rusage usage;
        int status;
        sum.end = now();
        if (info.si_pid == command) sum.written = bytes_written(command);
        wait4(info.si_pid, &status, 0, &usage);
        add_usage(&sum, &usage);
        if (info.si_pid == command)
            sum.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    return sum;
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: measure REPORT-FD COMMAND [ARGUMENT...]\n");
        return 2;
    }
    int report = atoi(arguments[1]);
    fcntl(report, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_CHILD_SUBREAPER, 1);

    double start = now();
    signal(SIGTERM, pass_on);
    pid_t command = launch(arguments + 2);
    if (command < 0) {
        perror("fork");
        return 1;
    }
    server = command;
    /* The command's reader sees the end of the file only when every copy of the descriptor is closed. */
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    struct outcome sum = wait_for_all(command);
    dprintf(report, "%.9f %.9f %.6f %.6f %ld %lld %d\n", start, sum.end, sum.user, sum.system,
            sum.peak_kib, sum.written, sum.status);
    return 0;
}
