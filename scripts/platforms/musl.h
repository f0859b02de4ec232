// What FormworkSystem uses of musl, for Swift; scripts/check-platforms compares every line with musl's real headers.
// Only what Swift sees: C files are compiled with those headers themselves. Written anew from musl 1.2.3 (64-bit).
// What Darwin declares alike is in posix.h.

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
CONSTANT(int, F_DUPFD_CLOEXEC, 1030);

// <unistd.h>
#include <sys/types.h>
CONSTANT(int, _SC_NPROCESSORS_ONLN, 84);
CALL(int, execv, (_:_:), const char *, char *const *);
CALL(_Noreturn void, _exit, (_:), int);
CALL(T(ssize_t), readlink, (_:_:_:), const char *restrict, char *restrict, size_t);

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

// <errno.h>
CONSTANT(int, EWOULDBLOCK, 11);

// <limits.h>
CONSTANT(int, PATH_MAX, 4096);

// <time.h>
#include <sys/types.h>
TYPE(int, clockid_t);
CONSTANT(int, CLOCK_REALTIME_COARSE, 5);

// <stdlib.h>
CALL(_Noreturn void, exit, (_:), int);
CALL(char *, realpath, (_:_:), const char *restrict, char *restrict);

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
