// What FormworkSystem uses of musl, for Swift; scripts/check-platforms compares every line with musl's real headers.
// Only what Swift sees: C files are compiled with those headers themselves. Written anew from musl 1.2.3 (64-bit).

// <sys/types.h>
#include <stddef.h>
#include <stdint.h>
TYPE(unsigned int, mode_t);
TYPE(unsigned long, nlink_t);
TYPE(unsigned long, dev_t);
TYPE(unsigned long, ino_t);
TYPE(unsigned int, uid_t);
TYPE(unsigned int, gid_t);
TYPE(long, off_t);
TYPE(long, ssize_t);
TYPE(int, pid_t);
TYPE(long, time_t);

// <sys/stat.h>
#include <sys/types.h>
#include <time.h>
STRUCT(stat, {
    T(dev_t) st_dev;
    T(ino_t) st_ino;
    T(nlink_t) st_nlink;
    T(mode_t) st_mode;
    T(uid_t) st_uid;
    T(gid_t) st_gid;
    unsigned int __pad0;
    T(dev_t) st_rdev;
    T(off_t) st_size;
    long st_blksize;
    long st_blocks;
    struct T(timespec) st_atim;
    struct T(timespec) st_mtim;
    struct T(timespec) st_ctim;
    long __unused_[3];
});
CONSTANT(T(mode_t), S_IFMT, 0170000);
CALL(int, fstat, (_:_:), int, struct T(stat) *);
CALL(int, fstatat, (_:_:_:_:), int, const char *, struct T(stat) *, int);
CALL(int, fchmod, (_:_:), int, T(mode_t));
CALL(int, mkdir, (_:_:), const char *, T(mode_t));
CALL(int, mkdirat, (_:_:_:), int, const char *, T(mode_t));

// <sys/statvfs.h>
#include <sys/types.h>
STRUCT(statvfs, {
    unsigned long f_bsize, f_frsize;
    unsigned long f_blocks, f_bfree, f_bavail;
    unsigned long f_files, f_ffree, f_favail;
    unsigned long f_fsid;
    unsigned long f_flag, f_namemax;
    unsigned int f_type;
    int __reserved[5];
});
CALL(int, statvfs, (_:_:), const char *restrict, struct T(statvfs) *restrict);

// <fcntl.h>
#include <sys/types.h>
CONSTANT(int, F_SETFD, 2);
CONSTANT(int, FD_CLOEXEC, 1);
CONSTANT(int, O_RDONLY, 0);
CONSTANT(int, O_WRONLY, 1);
CONSTANT(int, O_RDWR, 2);
CONSTANT(int, O_CREAT, 0100);
CONSTANT(int, O_EXCL, 0200);
CONSTANT(int, O_NOCTTY, 0400);
CONSTANT(int, O_NONBLOCK, 04000);
CONSTANT(int, O_DIRECTORY, 0200000);
CONSTANT(int, O_NOFOLLOW, 0400000);
CONSTANT(int, O_CLOEXEC, 02000000);
CONSTANT(int, AT_FDCWD, -100);
CONSTANT(int, AT_SYMLINK_NOFOLLOW, 0x100);
CONSTANT(int, AT_REMOVEDIR, 0x200);
CONSTANT(int, F_GETFD, 1);
CONSTANT(int, F_DUPFD_CLOEXEC, 1030);
VARIADIC(int, open, (_:_:), const char *, int);
VARIADIC(int, open, (_:_:_:), const char *, int, T(mode_t));
VARIADIC(int, openat, (_:_:_:), int, const char *, int);
VARIADIC(int, openat, (_:_:_:_:), int, const char *, int, T(mode_t));
VARIADIC(int, fcntl, (_:_:), int, int);
VARIADIC(int, fcntl, (_:_:_:), int, int, int);

// <unistd.h>
#include <sys/types.h>
CONSTANT(int, R_OK, 4);
CONSTANT(int, W_OK, 2);
CALL(int, access, (_:_:), const char *, int);
CALL(int, close, (_:), int);
CALL(int, execv, (_:_:), const char *, char *const *);
CALL(_Noreturn void, _exit, (_:), int);
CALL(int, fchown, (_:_:_:), int, T(uid_t), T(gid_t));
CALL(int, fsync, (_:), int);
CALL(int, ftruncate, (_:_:), int, T(off_t));
CALL(T(uid_t), geteuid, (), void);
CALL(T(pid_t), getpid, (), void);
CALL(int, isatty, (_:), int);
CALL(int, link, (_:_:), const char *, const char *);
CALL(int, linkat, (_:_:_:_:_:), int, const char *, int, const char *, int);
CALL(T(off_t), lseek, (_:_:_:), int, T(off_t), int);
CALL(T(ssize_t), pread, (_:_:_:_:), int, void *, size_t, T(off_t));
CALL(T(ssize_t), read, (_:_:_:), int, void *, size_t);
CALL(T(ssize_t), readlink, (_:_:_:), const char *restrict, char *restrict, size_t);
CALL(int, rmdir, (_:), const char *);
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

// <dirent.h>
#include <sys/types.h>
STRUCT(dirent, {
    T(ino_t) d_ino;
    T(off_t) d_off;
    unsigned short d_reclen;
    unsigned char d_type;
    char d_name[256];
});
// Not complete in musl, so Swift has an OpaquePointer.
#if !defined(FORMWORK_VERIFY)
struct formwork_dir;
#define DIR struct formwork_dir
#endif
CALL(DIR *, fdopendir, (_:), int);
CALL(struct T(dirent) *, readdir, (_:), DIR *);
CALL(int, closedir, (_:), DIR *);

// <fnmatch.h>
CONSTANT(int, FNM_PERIOD, 4);
CALL(int, fnmatch, (_:_:_:), const char *, const char *, int);

// <errno.h>
CONSTANT(int, EINTR, 4);
CONSTANT(int, EAGAIN, 11);
CONSTANT(int, EWOULDBLOCK, 11);
CONSTANT(int, EINVAL, 22);
CONSTANT(int, ENOENT, 2);
OVERLAY(int, errno);
#if !defined(FORMWORK_CLANG) && !defined(FORMWORK_VERIFY)
// An enum of Swift's own, with a case for each code.
enum __attribute__((swift_name("POSIXErrorCode"))) formwork_POSIXErrorCode : int { formwork_no_error };
#endif

// <limits.h>
CONSTANT(int, PATH_MAX, 4096);

// <time.h>
#include <sys/types.h>
TYPE(int, clockid_t);
STRUCT(timespec, {
    T(time_t) tv_sec;
    long tv_nsec;
});
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
    const char *tm_zone;
});
CONSTANT(int, CLOCK_REALTIME_COARSE, 5);
CALL(long, clock, (), void);
CALL(int, clock_gettime, (_:_:), T(clockid_t), struct T(timespec) *);
CALL(int, clock_getres, (_:_:), T(clockid_t), struct T(timespec) *);
CALL(int, nanosleep, (_:_:), const struct T(timespec) *, struct T(timespec) *);
CALL(T(time_t), time, (_:), T(time_t) *);
CALL(struct T(tm) *, localtime_r, (_:_:), const T(time_t) *restrict, struct T(tm) *restrict);
CALL(struct T(tm) *, gmtime_r, (_:_:), const T(time_t) *restrict, struct T(tm) *restrict);

// <stdlib.h>
CALL(_Noreturn void, exit, (_:), int);
CALL(void, free, (_:), void *);
CALL(char *, getenv, (_:), const char *);
CALL(char *, realpath, (_:_:), const char *restrict, char *restrict);

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
TYPE(unsigned int, tcflag_t);
STRUCT(termios, {
    T(tcflag_t) c_iflag;
    T(tcflag_t) c_oflag;
    T(tcflag_t) c_cflag;
    T(tcflag_t) c_lflag;
    unsigned char c_line;
    unsigned char c_cc[32];
    unsigned int __c_ispeed;
    unsigned int __c_ospeed;
});
CONSTANT(int, ECHO, 010);
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
