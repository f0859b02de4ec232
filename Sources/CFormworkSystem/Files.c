#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "CFormworkSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

// As in linux/fs.h, which not every musl has beside it.
#ifndef FICLONE
#define FICLONE _IOW(0x94, 9, int)
#endif
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif
#if !defined(__GLIBC__)
#define renameat2(from, old, to, name, flags) (int)syscall(SYS_renameat2, from, old, to, name, flags)
#endif

ptrdiff_t fw_sendfile(int to, int from, int64_t *offset, size_t count) {
  off_t at = *offset;
  ssize_t moved = sendfile(to, from, &at, count);
  if (moved < 0) return -errno;
  *offset = at;
  return moved;
}

ptrdiff_t fw_splice(int to, int from, int64_t *offset, size_t count) {
  off_t at = offset == NULL ? 0 : *offset;
  ssize_t moved = splice(from, offset == NULL ? NULL : &at, to, NULL, count, 0);
  if (moved < 0) return -errno;
  if (offset != NULL) *offset = at;
  return moved;
}

ptrdiff_t fw_copy_file_range(int to, int from, int64_t *offset, size_t count) {
  off_t at = *offset;
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
#include <sys/acl.h>
#include <sys/socket.h>
#include <sys/uio.h>

ptrdiff_t fw_sendfile(int to, int from, int64_t *offset, size_t count) {
  // 0 would mean the rest of the file.
  if (count == 0) return 0;
  off_t moved = (off_t)count;
  // What was sent before an error or an interruption is in `moved`, and counts.
  if (sendfile(from, to, *offset, &moved, NULL, 0) < 0 && moved == 0) return -errno;
  *offset += moved;
  return (ptrdiff_t)moved;
}

int fw_has_access_list(int descriptor) {
  acl_t list = acl_get_fd_np(descriptor, ACL_TYPE_EXTENDED);
  if (list == NULL) return 0;
  acl_free(list);
  return 1;
}

static int rename_exclusively(int from, const char *old, int to, const char *name) {
  return renameatx_np(from, old, to, name, RENAME_EXCL);
}

int fw_rename_exchange(int folder, const char *one, const char *other) {
  return renameatx_np(folder, one, folder, other, RENAME_SWAP) < 0 ? -errno : 0;
}

// What Darwin lacks. fcopyfile copies whole files, a clone is a new file (SystemCalls.openClone), and a pipe grows by itself.
int fw_unnamed_file_option(void) { return 0; }
ptrdiff_t fw_splice(int to, int from, int64_t *offset, size_t count) { return -ENOTSUP; }
ptrdiff_t fw_copy_file_range(int to, int from, int64_t *offset, size_t count) { return -ENOTSUP; }
int fw_clone(int from, int to) { return -ENOTSUP; }
int fw_set_pipe_size(int pipe, int bytes) { return -ENOTSUP; }
int fw_link_descriptor(int descriptor, int folder, const char *path) { return -ENOTSUP; }
#endif

int fw_rename_exclusively(int from, const char *old, int to, const char *name) {
  if (rename_exclusively(from, old, to, name) == 0) return 0;
  // A link doesn't replace either, and file systems that lack one of the two mostly have the other.
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return -errno;
  if (linkat(from, old, to, name, 0) == 0) {
    unlinkat(from, old, 0);
    return 0;
  }
  if (errno != EPERM && errno != ENOSYS && errno != ENOTSUP) return -errno;
  // Without both (exFAT by FUSE), an empty file takes the name, and is replaced at once.
  int empty = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (empty < 0) return -errno;
  close(empty);
  if (renameat(from, old, to, name) == 0) return 0;
  int error = errno;
  unlinkat(to, name, 0);
  return -error;
}
