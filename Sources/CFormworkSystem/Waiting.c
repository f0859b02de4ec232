#define _GNU_SOURCE
#include "CFormworkSystem.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

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

ptrdiff_t fw_send_now(int socket, const void *bytes, size_t count) {
  ssize_t sent = send(socket, bytes, count, MSG_DONTWAIT);
  return sent < 0 ? -errno : sent;
}

int fw_queued(int pipe) {
  int bytes = 0;
  return ioctl(pipe, FIONREAD, &bytes) < 0 ? -errno : bytes;
}

int fw_terminal_columns(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) < 0 ? -errno : size.ws_col;
}
