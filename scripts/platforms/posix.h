// What Darwin and musl declare alike, for scripts/check-platforms: it follows what the list of each has of the same header.

// <sys/stat.h>
CONSTANT(T(mode_t), S_IFMT, 0170000);
CALL(int, fstat, (_:_:), int, struct T(stat) *);
CALL(int, fstatat, (_:_:_:_:), int, const char *, struct T(stat) *, int);
CALL(int, fchmod, (_:_:), int, T(mode_t));
CALL(int, mkdirat, (_:_:_:), int, const char *, T(mode_t));

// <fcntl.h>
CONSTANT(int, F_GETFD, 1);
CONSTANT(int, F_SETFD, 2);
CONSTANT(int, FD_CLOEXEC, 1);
VARIADIC(int, open, (_:_:), const char *, int);
VARIADIC(int, open, (_:_:_:), const char *, int, T(mode_t));
VARIADIC(int, openat, (_:_:_:), int, const char *, int);
VARIADIC(int, openat, (_:_:_:_:), int, const char *, int, T(mode_t));
VARIADIC(int, fcntl, (_:_:), int, int);
VARIADIC(int, fcntl, (_:_:_:), int, int, int);

// <unistd.h>
CONSTANT(int, R_OK, 4);
CONSTANT(int, W_OK, 2);
CALL(int, access, (_:_:), const char *, int);
CALL(int, close, (_:), int);
CALL(int, fchown, (_:_:_:), int, T(uid_t), T(gid_t));
CALL(int, fsync, (_:), int);
CALL(int, ftruncate, (_:_:), int, T(off_t));
CALL(T(uid_t), geteuid, (), void);
CALL(T(pid_t), getpid, (), void);
CALL(int, isatty, (_:), int);
CALL(int, link, (_:_:), const char *, const char *);
CALL(int, linkat, (_:_:_:_:_:), int, const char *, int, const char *, int);
CALL(T(off_t), lseek, (_:_:_:), int, T(off_t), int);
CALL(long, sysconf, (_:), int);
CALL(T(ssize_t), pread, (_:_:_:_:), int, void *, size_t, T(off_t));
CALL(T(ssize_t), read, (_:_:_:), int, void *, size_t);
CALL(int, unlink, (_:), const char *);
CALL(int, unlinkat, (_:_:_:), int, const char *, int);
CALL(T(ssize_t), write, (_:_:_:), int, const void *, size_t);

// <stdio.h>
CALL(int, rename, (_:_:), const char *, const char *);
CALL(int, renameat, (_:_:_:_:), int, const char *, int, const char *);

// <sys/file.h>
CONSTANT(int, LOCK_EX, 2);
CONSTANT(int, LOCK_NB, 4);
CONSTANT(int, LOCK_UN, 8);
CALL(int, flock, (_:_:), int, int);

// <fnmatch.h>
CONSTANT(int, FNM_PERIOD, 4);
CALL(int, fnmatch, (_:_:_:), const char *, const char *, int);

// <errno.h>
CONSTANT(int, EINTR, 4);
CONSTANT(int, ENOENT, 2);
CONSTANT(int, EINVAL, 22);
OVERLAY(int, errno);
#if !defined(FORMWORK_CLANG) && !defined(FORMWORK_VERIFY)
// An enum of Swift's own, with a case for each code.
enum __attribute__((swift_name("POSIXErrorCode"))) formwork_POSIXErrorCode : int { formwork_no_error };
#endif

// <time.h>
STRUCT(timespec, {
    T(time_t) tv_sec;
    long tv_nsec;
});
CALL(int, clock_gettime, (_:_:), T(clockid_t), struct T(timespec) *);
CALL(int, clock_getres, (_:_:), T(clockid_t), struct T(timespec) *);
CALL(int, nanosleep, (_:_:), const struct T(timespec) *, struct T(timespec) *);
CALL(T(time_t), time, (_:), T(time_t) *);
STRUCT(tm, {
    int tm_sec;
    int tm_min;
    int tm_hour;
    int tm_mday;
    int tm_mon;
    int tm_year;
    int tm_wday;
    int tm_yday;
    int tm_isdst;
    long tm_gmtoff;
    char *tm_zone;
});
CALL(struct T(tm) *, localtime_r, (_:_:), const T(time_t) *, struct T(tm) *);
CALL(struct T(tm) *, gmtime_r, (_:_:), const T(time_t) *, struct T(tm) *);
CALL(size_t, strftime, (_:_:_:_:), char *, size_t, const char *, const struct T(tm) *);

// <stdlib.h>
CALL(void, free, (_:), void *);
CALL(char *, getenv, (_:), const char *);

// <string.h>
#include <stddef.h>
CALL(char *, strdup, (_:), const char *);
CALL(size_t, strlen, (_:), const char *);
CALL(char *, strrchr, (_:_:), const char *, int);

// <signal.h>
#include <sys/types.h>
CONSTANT(int, SIGKILL, 9);
CONSTANT(int, SIGQUIT, 3);
CALL(int, kill, (_:_:), T(pid_t), int);

// <termios.h>
CONSTANT(int, TCSAFLUSH, 2);
CALL(int, tcgetattr, (_:_:), int, struct T(termios) *);
CALL(int, tcsetattr, (_:_:_:), int, int, const struct T(termios) *);

// <poll.h>
CONSTANT(int, POLLIN, 0x0001);
CONSTANT(int, POLLOUT, 0x0004);
CONSTANT(int, POLLERR, 0x0008);

// <sys/socket.h>
CONSTANT(int, SHUT_WR, 1);
CALL(int, shutdown, (_:_:), int, int);

// <sys/wait.h>
#include <sys/types.h>
CALL(T(pid_t), waitpid, (_:_:_:), T(pid_t), int *, int);
