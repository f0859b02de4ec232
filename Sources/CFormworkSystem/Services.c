#define _GNU_SOURCE
#include "CFormworkSystem.h"

#include <errno.h>

// Only Linux has service managers that speak this protocol.
#if defined(__linux__)
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int fw_notify(const char *path, size_t length, const void *bytes, size_t count) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  if (length == 0 || length > sizeof address.sun_path) return -EINVAL;
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path, length);
  // An abstract name begins with a NUL.
  if (address.sun_path[0] == '@') address.sun_path[0] = 0;
  int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (sender < 0) return -errno;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  ssize_t sent = sendto(sender, bytes, count, MSG_NOSIGNAL, (const struct sockaddr *)&address, size);
  int reason = errno;
  close(sender);
  return sent < 0 ? -reason : 0;
}

int64_t fw_monotonic_microseconds(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) < 0) return -errno;
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int fw_listening_address(int listener, char *host, size_t size, uint16_t *port) {
  int listens = 0;
  socklen_t length = sizeof listens;
  if (getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) < 0) return -errno;
  if (!listens) return -EINVAL;
  struct sockaddr_storage address;
  length = sizeof address;
  if (getsockname(listener, (struct sockaddr *)&address, &length) < 0) return -errno;
  const void *number;
  if (address.ss_family == AF_INET) {
    const struct sockaddr_in *four = (const struct sockaddr_in *)&address;
    number = &four->sin_addr;
    *port = ntohs(four->sin_port);
  } else if (address.ss_family == AF_INET6) {
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address;
    number = &six->sin6_addr;
    *port = ntohs(six->sin6_port);
  } else {
    return -EAFNOSUPPORT;
  }
  if (inet_ntop(address.ss_family, number, host, (socklen_t)size) == NULL) return -errno;
  return fcntl(listener, F_SETFD, FD_CLOEXEC) < 0 ? -errno : 0;
}
#else
int fw_notify(const char *path, size_t length, const void *bytes, size_t count) { return -ENOTSUP; }
int64_t fw_monotonic_microseconds(void) { return -ENOTSUP; }
int fw_listening_address(int listener, char *host, size_t size, uint16_t *port) { return -ENOTSUP; }
#endif
