#define _GNU_SOURCE
#include "CFormworkSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#if defined(__linux__)
#include <malloc.h>
#endif
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/fs.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/xattr.h>

ssize_t fw_sendfile(int to, int from, int64_t *offset, size_t count) {
  off64_t at = *offset;
  ssize_t moved = sendfile64(to, from, &at, count);
  if (moved < 0) return -errno;
  *offset = at;
  return moved;
}

ssize_t fw_copy_file_range(int to, int from, int64_t *offset, size_t count) {
  off64_t at = *offset;
  ssize_t moved = copy_file_range(from, &at, to, NULL, count, 0);
  if (moved < 0) return -errno;
  *offset = at;
  return moved;
}

int fw_clone(int from, int to) { return ioctl(to, FICLONE, from) < 0 ? -errno : 0; }

int fw_set_pipe_size(int pipe, int bytes) {
  int size = fcntl(pipe, F_SETPIPE_SZ, bytes);
  return size < 0 ? -errno : size;
}

int fw_has_access_list(int descriptor) {
  return fgetxattr(descriptor, "system.posix_acl_access", NULL, 0) >= 0;
}

int fw_unnamed_file_option(void) { return O_TMPFILE; }

int fw_link_descriptor(int descriptor, int folder, const char *path) {
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", descriptor);
  return linkat(AT_FDCWD, self, folder, path, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

static int rename_exclusively(int from, const char *old, int to, const char *name) {
  return renameat2(from, old, to, name, RENAME_NOREPLACE);
}

int fw_rename_exchange(int folder, const char *one, const char *other) {
  return renameat2(folder, one, folder, other, RENAME_EXCHANGE) < 0 ? -errno : 0;
}
#else
// Elsewhere every transfer goes through a buffer.
ssize_t fw_sendfile(int to, int from, int64_t *offset, size_t count) { return -ENOSYS; }
ssize_t fw_copy_file_range(int to, int from, int64_t *offset, size_t count) { return -ENOSYS; }
int fw_clone(int from, int to) { return -ENOSYS; }
int fw_set_pipe_size(int pipe, int bytes) { return -ENOSYS; }
int fw_has_access_list(int descriptor) { return 0; }
int fw_unnamed_file_option(void) { return 0; }
int fw_link_descriptor(int descriptor, int folder, const char *path) { return -ENOSYS; }

static int rename_exclusively(int from, const char *old, int to, const char *name) {
  errno = ENOSYS;
  return -1;
}

int fw_rename_exchange(int folder, const char *one, const char *other) { return -ENOSYS; }
#endif

int fw_rename_exclusively(int from, const char *old, int to, const char *name) {
  if (rename_exclusively(from, old, to, name) == 0) return 0;
  // A link doesn't replace either, and file systems that lack one of the two mostly have the other.
  if (errno != EINVAL && errno != ENOSYS) return -errno;
  if (linkat(from, old, to, name, 0) < 0) return -errno;
  unlinkat(from, old, 0);
  return 0;
}

int fw_wait(int descriptor, short events, int64_t nanoseconds) {
  struct pollfd entry = {.fd = descriptor, .events = events};
#ifdef __linux__
  struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  int ready = ppoll(&entry, 1, nanoseconds < 0 ? NULL : &limit, NULL);
#else
  int64_t milliseconds = nanoseconds / 1000000 + (nanoseconds % 1000000 > 0);
  int ready = poll(&entry, 1, nanoseconds < 0 ? -1 : milliseconds > INT_MAX ? INT_MAX : (int)milliseconds);
#endif
  return ready < 0 ? -errno : entry.revents;
}

int fw_queued(int pipe) {
  int bytes = 0;
  return ioctl(pipe, FIONREAD, &bytes) < 0 ? -errno : bytes;
}

pid_t fw_start(const char *program, char *const arguments[], int input) {
  // Tells why the program couldn't be started; closed by the start itself.
  int report[2];
  if (pipe(report) < 0) return -errno;
  fcntl(report[0], F_SETFD, FD_CLOEXEC);
  fcntl(report[1], F_SETFD, FD_CLOEXEC);
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
    if (dup2(input, 0) >= 0) execvp(program, arguments);
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

static const int guarded[] = {SIGPIPE, SIGXFSZ};

static _Thread_local fw_signal_guard *current;

int fw_signal_guard_lower(fw_signal_guard *guard) {
  current = guard;
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++) sigaddset(&set, guarded[i]);
  sigpending(&guard->pending);
  return -pthread_sigmask(SIG_BLOCK, &set, &guard->blocked);
}

int fw_signal_guard_lift(const fw_signal_guard *guard) {
  current = NULL;
  for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++) {
    sigset_t pending, one;
    if (sigismember(&guard->pending, guarded[i])) continue;
    sigpending(&pending);
    if (!sigismember(&pending, guarded[i])) continue;
    sigemptyset(&one);
    sigaddset(&one, guarded[i]);
    int signal;
    sigwait(&one, &signal);
  }
  return -pthread_sigmask(SIG_SETMASK, &guard->blocked, NULL);
}

int fw_signal_guard_begin(fw_signal_guard *guard) {
  guard->around = current;
  return fw_signal_guard_lower(guard);
}

int fw_signal_guard_end(const fw_signal_guard *guard) {
  int result = fw_signal_guard_lift(guard);
  current = guard->around;
  return result;
}

fw_signal_guard *fw_signal_guard_current(void) { return current; }

void fw_give_back_memory(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}
