// Kernel calls that Swift's Glibc module lacks. Every function returns a count or 0, or minus errno; none retries.
#ifndef CFORMWORKSYSTEM_H
#define CFORMWORKSYSTEM_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Moves file bytes from `*offset` on to any descriptor (sendfile); `*offset` advances.
ssize_t fw_sendfile(int to, int from, int64_t *offset, size_t count);
/// Moves file bytes from `*offset` on to a regular file at its own position (copy_file_range); `*offset` advances.
ssize_t fw_copy_file_range(int to, int from, int64_t *offset, size_t count);
/// Makes the empty file `to` share the content of `from` (FICLONE).
int fw_clone(int from, int to);
/// Asks for a pipe of `bytes` (F_SETPIPE_SZ).
int fw_set_pipe_size(int pipe, int bytes);
/// Whether an open file has a POSIX access list: 1 or 0.
int fw_has_access_list(int descriptor);
/// O_TMPFILE, or 0 where there is no such thing.
int fw_unnamed_file_option(void);
/// Gives the unnamed file `descriptor` (O_TMPFILE) the name `path`, seen from the open `folder`.
int fw_link_descriptor(int descriptor, int folder, const char *path);
/// Renames a file from one open folder into another, unless something has that name there (-EEXIST).
int fw_rename_exclusively(int from, const char *old, int to, const char *name);
/// Lets two names of an open folder change their files in one step (RENAME_EXCHANGE).
int fw_rename_exchange(int folder, const char *one, const char *other);
/// Waits until `descriptor` is ready for `events` (POLLIN, POLLOUT, or 0 for its failures alone), for that long; without a
/// limit where `nanoseconds` is negative. Returns what it is ready for (POLLERR and POLLHUP too), 0 when nothing came.
int fw_wait(int descriptor, short events, int64_t nanoseconds);
/// Bytes in a pipe that its reader has not taken (FIONREAD).
int fw_queued(int pipe);

/// Starts a program, looked for in PATH, whose standard input is `input`, and which is killed when this process ends, however
/// that happens (Linux). Returns its number, or -errno. To be called on the main thread, as the program ends with its caller's.
pid_t fw_start(const char *program, char *const arguments[], int input);

/// Which signals were blocked before, and which were pending.
typedef struct fw_signal_guard {
  sigset_t blocked;
  sigset_t pending;
  /// The guard of this thread that this one is inside of; NULL for none.
  struct fw_signal_guard *around;
} fw_signal_guard;
/// Holds SIGPIPE and SIGXFSZ back from this thread, so that a closed pipe or a full quota is an errno.
int fw_signal_guard_begin(fw_signal_guard *guard);
/// Swallows those that came meanwhile and restores the thread's mask.
int fw_signal_guard_end(const fw_signal_guard *guard);
/// The guard begun last on this thread and not ended; NULL when there is none.
fw_signal_guard *fw_signal_guard_current(void);
/// Does what its end does, for a while.
int fw_signal_guard_lift(const fw_signal_guard *guard);
/// Does what its beginning does, again.
int fw_signal_guard_lower(fw_signal_guard *guard);

/// Gives free memory back to the system, where the C library can.
void fw_give_back_memory(void);

#ifdef __cplusplus
}
#endif
#endif
