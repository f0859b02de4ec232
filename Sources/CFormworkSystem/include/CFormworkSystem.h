// Kernel calls that Swift's Glibc, Musl and Darwin modules lack, or give in three forms. Every function returns a count or 0, or minus errno; none retries.
#ifndef CFORMWORKSYSTEM_H
#define CFORMWORKSYSTEM_H

// No header of the C library: Swift would see its declarations through this one.
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Moves file bytes from `*offset` on to any descriptor, on Darwin to a socket (sendfile); `*offset` advances.
ptrdiff_t fw_sendfile(int to, int from, int64_t *offset, size_t count);
/// Moves bytes between a pipe and another descriptor (splice). `*offset` is that of a file and advances; NULL for a pipe.
ptrdiff_t fw_splice(int to, int from, int64_t *offset, size_t count);
/// Moves file bytes from `*offset` on to a regular file at its own position (copy_file_range); `*offset` advances.
ptrdiff_t fw_copy_file_range(int to, int from, int64_t *offset, size_t count);
/// Makes the empty file `to` share the content of `from` (FICLONE).
int fw_clone(int from, int to);
/// Asks for a pipe of `bytes` (F_SETPIPE_SZ).
int fw_set_pipe_size(int pipe, int bytes);
/// Whether an open file has a list of permissions beside its mode (POSIX on Linux, NFSv4 on Darwin): 1 or 0.
int fw_has_access_list(int descriptor);
/// O_TMPFILE, or 0 where there is no such thing.
int fw_unnamed_file_option(void);
/// Gives the unnamed file `descriptor` (O_TMPFILE) the name `path`, seen from the open `folder`.
int fw_link_descriptor(int descriptor, int folder, const char *path);
/// Renames a file from one open folder into another, unless something has that name there (-EEXIST).
int fw_rename_exclusively(int from, const char *old, int to, const char *name);
/// Lets two names of an open folder change their files in one step (RENAME_EXCHANGE, RENAME_SWAP).
int fw_rename_exchange(int folder, const char *one, const char *other);
/// Waits until `descriptor` is ready for `events` (POLLIN, POLLOUT, or 0 for its failures alone), for that long; without a
/// limit where `nanoseconds` is negative. Returns what it is ready for (POLLERR and POLLHUP too), 0 when nothing came.
int fw_wait(int descriptor, short events, int64_t nanoseconds);
/// Makes a pipe that no other program inherits: the reading end, then the writing one.
int fw_pipe(int ends[2]);
/// Sends some bytes to a socket that has room for them (MSG_DONTWAIT).
ptrdiff_t fw_send_now(int socket, const void *bytes, size_t count);
/// Bytes in a pipe that its reader has not taken (FIONREAD).
int fw_queued(int pipe);

/// Starts a program, looked for in PATH, whose standard input is a socket with its other end in `*input`. The program has both
/// ends, and `also` under its own number unless that is negative. On Linux it is killed when this process ends, however that
/// happens. Returns its number, or -errno. To be called on the main thread, as the program ends with its caller's.
int fw_start(const char *program, char *const arguments[], int also, int *input);
/// Replaces this process by another program. It returns only when that fails: -errno.
int fw_replace(const char *program, char *const arguments[]);
/// This process's arguments, and their number; a negative one if the system doesn't report them before `main`.
char **fw_arguments(int *count);
/// The most files that this process may have open; the highest number if there is no limit. A limit below `wanted` is raised as
/// far as this process may.
unsigned long long fw_file_limit(unsigned long long wanted);
/// The most bytes of addresses; the highest number if there is no limit.
unsigned long long fw_address_limit(void);
/// Starts that many threads, at most 64, which run at the same time and end at once. Returns 0, or -errno of the first that can't
/// be started.
int fw_try_threads(int count);
/// Writes the path of this process's program, without a NUL at its end. Returns its length.
ptrdiff_t fw_program_path(char *path, size_t size);
/// Ignores a signal.
void fw_ignore_signal(int number);
/// Has a signal write its number, as a byte, to a pipe, which is made not to block. All signals have the same pipe. This
/// thread no longer blocks the signal. One that is ignored stays so.
void fw_note_signal(int number, int descriptor);
/// Gives a signal its usual effect again. This thread no longer blocks it. One that is ignored stays so.
void fw_restore_signal(int number);

/// The columns of a terminal; 0 when it doesn't know them, or -errno when this is no terminal.
int fw_terminal_columns(int descriptor);

/// For systems that send these signals to the thread that writes, which Darwin does not.
/// Which signals were blocked before, and which were pending.
typedef struct fw_signal_guard {
  /// Each has room for a sigset_t.
  uint64_t blocked[16];
  uint64_t pending[16];
} fw_signal_guard;
/// Holds SIGPIPE and SIGXFSZ back from this thread, so that a closed pipe or a full quota is an errno.
int fw_signal_guard_begin(fw_signal_guard *guard);
/// Swallows those that came meanwhile and restores the thread's mask.
int fw_signal_guard_end(fw_signal_guard *guard);

/// Sends a datagram to the Unix socket of a service manager (sd_notify(3)); `path` may be an abstract name with @ in front.
int fw_notify(const char *path, size_t length, const void *bytes, size_t count);
/// Microseconds of CLOCK_MONOTONIC, or -errno.
int64_t fw_monotonic_microseconds(void);
/// Writes the address of a TCP socket that listens, with a NUL at its end, and its port. Programs that this one starts don't
/// get the socket from now on.
int fw_listening_address(int listener, char *host, size_t size, uint16_t *port);

/// Gives free memory back to the system, where the C library can.
void fw_give_back_memory(void);
/// Has the C library keep freed blocks of less than `below` bytes for later ones, and give larger ones back at once, where it
/// can. At the end of each of its heaps it keeps at most `most` free bytes.
void fw_keep_blocks(int below, int most);

#ifdef __cplusplus
}
#endif
#endif
