#define _GNU_SOURCE
#include "CFormworkSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/auxv.h>
#endif

int fw_pipe(int ends[2]) {
#ifdef __linux__
  return pipe2(ends, O_CLOEXEC) < 0 ? -errno : 0;
#else
  if (pipe(ends) < 0) return -errno;
  for (int end = 0; end < 2; end++) fcntl(ends[end], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

#if defined(__APPLE__)
#include <TargetConditionals.h>
#include <crt_externs.h>
#include <mach-o/dyld.h>
#include <spawn.h>
#include <sys/syslimits.h>

#if TARGET_OS_TV || TARGET_OS_WATCH
// There a program can't start others.
static pid_t start(const char *program, char *const arguments[], const int ends[2], int also) {
  return -ENOTSUP;
}
#else
static pid_t start(const char *program, char *const arguments[], const int ends[2], int also) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int reason = posix_spawn_file_actions_init(&actions);
  if (reason != 0) return -reason;
  reason = posix_spawnattr_init(&attributes);
  if (reason != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return -reason;
  }
  // Of this process's descriptors the program gets only these.
  reason = posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  const int kept[] = {1, 2, ends[1], also};
  const size_t count = sizeof kept / sizeof *kept - (also < 0);
  for (size_t i = 0; i < count && reason == 0; i++)
    reason = posix_spawn_file_actions_addinherit_np(&actions, kept[i]);
  // The command ignores a signal that its programs shouldn't.
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGXFSZ);
  if (reason == 0) reason = posix_spawnattr_setsigdefault(&attributes, &usual);
  if (reason == 0) reason = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_CLOEXEC_DEFAULT | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  if (reason == 0) reason = posix_spawnp(&child, program, &actions, &attributes, arguments, *_NSGetEnviron());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return reason == 0 ? child : -reason;
}
#endif

ptrdiff_t fw_program_path(char *path, size_t size) {
  char named[PATH_MAX], real[PATH_MAX];
  uint32_t room = sizeof named;
  if (_NSGetExecutablePath(named, &room) != 0) return -ENAMETOOLONG;
  if (realpath(named, real) == NULL) return -errno;
  size_t count = strlen(real);
  if (count > size) return -ENAMETOOLONG;
  memcpy(path, real, count);
  return (ptrdiff_t)count;
}
#else
#if defined(__linux__)
#include <sys/prctl.h>
#endif

static pid_t start(const char *program, char *const arguments[], const int ends[2], int also) {
  // Tells why the program couldn't be started; closed by the start itself.
  int report[2];
  int result = fw_pipe(report);
  if (result < 0) return result;
  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0) {
    int reason = errno;
    close(report[0]);
    close(report[1]);
    return -reason;
  }
  if (child == 0) {
    // Only what may be done in a process whose other threads are gone.
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
#else
    (void)parent;
#endif
    if (also >= 0) fcntl(also, F_SETFD, 0);
    if (dup2(ends[0], 0) >= 0) execvp(program, arguments);
    int reason = errno;
    (void)!write(report[1], &reason, sizeof reason);
    _exit(127);
  }
  close(report[1]);
  int reason = 0;
  ssize_t count;
  do count = read(report[0], &reason, sizeof reason);
  while (count < 0 && errno == EINTR);
  close(report[0]);
  if (count != sizeof reason) return child;
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
  }
  return -reason;
}

ptrdiff_t fw_program_path(char *path, size_t size) {
  ssize_t count = readlink("/proc/self/exe", path, size);
  if (count >= 0) return count;
  int reason = errno;
#ifdef __linux__
  // Without /proc: the path with which the program was started.
  const char *started = (const char *)getauxval(AT_EXECFN);
  if (started && *started && strlen(started) < size) {
    memcpy(path, started, strlen(started));
    return (ptrdiff_t)strlen(started);
  }
#endif
  return -reason;
}
#endif

// Swift reads /proc/self/cmdline, and has no arguments where that can't be opened. glibc and Darwin give them to constructors, too.
static int argument_count = -1;
static char **argument_values;

#if defined(__GLIBC__) || defined(__APPLE__)
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  argument_values = values;
}
#endif

char **fw_arguments(int *count) {
  *count = argument_count;
  return argument_values;
}

int fw_start(const char *program, char *const arguments[], int also, int *input) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) return -errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  pid_t child = start(program, arguments, ends, also);
  close(ends[0]);
  if (child < 0) {
    close(ends[1]);
  } else {
    *input = ends[1];
  }
  return child;
}

int fw_replace(const char *program, char *const arguments[]) {
#if TARGET_OS_TV || TARGET_OS_WATCH
  return -ENOTSUP;
#else
  execv(program, arguments);
  return -errno;
#endif
}
