// What this package uses of Darwin's C library, for scripts/check-platforms: a header of Darwin for each "// <…>" line.
//
// What musl declares alike is in posix.h. Facts from Apple's open headers: xnu e3723e1f (macOS 15.4: bsd/sys,
// libsyscall/wrappers) and Libc (include, gen), and the manual pages. Written anew: only names, types and numbers.
// Values are those of 64-bit systems.

// <TargetConditionals.h>
// Clang itself defines TARGET_OS_TV and the others for these targets.

// <sys/types.h>
#include <stddef.h>
#include <stdint.h>
TYPE(uint16_t, mode_t);
TYPE(uint16_t, nlink_t);
TYPE(int32_t, dev_t);
TYPE(uint64_t, ino_t);
TYPE(uint32_t, uid_t);
TYPE(uint32_t, gid_t);
TYPE(int64_t, off_t);
TYPE(long, ssize_t);
TYPE(int32_t, pid_t);
TYPE(long, time_t);

// <sys/stat.h>
#include <sys/types.h>
#include <time.h>
STRUCT(stat, {
    T(dev_t) st_dev;
    T(mode_t) st_mode;
    T(nlink_t) st_nlink;
    T(ino_t) st_ino;
    T(uid_t) st_uid;
    T(gid_t) st_gid;
    T(dev_t) st_rdev;
    struct T(timespec) st_atimespec;
    struct T(timespec) st_mtimespec;
    struct T(timespec) st_ctimespec;
    struct T(timespec) st_birthtimespec;
    T(off_t) st_size;
    int64_t st_blocks;
    int32_t st_blksize;
    uint32_t st_flags;
    uint32_t st_gen;
    int32_t st_lspare;
    int64_t st_qspare[2];
});

// <sys/mount.h>
#include <sys/types.h>
STRUCT(statfs, {
    uint32_t f_bsize;
    int32_t f_iosize;
    uint64_t f_blocks;
    uint64_t f_bfree;
    uint64_t f_bavail;
    uint64_t f_files;
    uint64_t f_ffree;
});
CALL(int, statfs, (_:_:), const char *, struct T(statfs) *);

// <fcntl.h>
#include <sys/types.h>
CONSTANT(int, O_RDONLY, 0x0000);
CONSTANT(int, O_WRONLY, 0x0001);
CONSTANT(int, O_RDWR, 0x0002);
CONSTANT(int, O_NONBLOCK, 0x0004);
CONSTANT(int, O_NOFOLLOW, 0x0100);
CONSTANT(int, O_CREAT, 0x0200);
CONSTANT(int, O_EXCL, 0x0800);
CONSTANT(int, O_NOCTTY, 0x20000);
CONSTANT(int, O_DIRECTORY, 0x100000);
CONSTANT(int, O_CLOEXEC, 0x1000000);
CONSTANT(int, AT_FDCWD, -2);
CONSTANT(int, AT_SYMLINK_NOFOLLOW, 0x20);
CONSTANT(int, AT_SYMLINK_FOLLOW, 0x40);
CONSTANT(int, AT_REMOVEDIR, 0x80);
CONSTANT(int, F_DUPFD_CLOEXEC, 67);
CONSTANT(int, F_GETFL, 3);
CONSTANT(int, F_SETFL, 4);
CONSTANT(int, F_FULLFSYNC, 51);
CONSTANT(int, F_SETNOSIGPIPE, 73);
CONSTANT(int, F_GETNOSIGPIPE, 74);
#if defined(FORMWORK_CLANG)
int open(const char *, int, ...);
int openat(int, const char *, int, ...);
int fcntl(int, int, ...);
#endif

// <unistd.h>
#include <sys/types.h>
CONSTANT(int, _SC_NPROCESSORS_ONLN, 58);
CALL(int, dup2, (_:_:), int, int);
CALL(int, execv, (_:_:), const char *, char *const *) NOT_ON_TV;
CALL(int, execvp, (_:_:), const char *, char *const *) NOT_ON_TV;
CALL(void, _exit, (_:), int) __attribute__((noreturn));
CALL(T(pid_t), getppid, (), void);
CALL(int, pipe, (_:), int[2]);
CALL(T(ssize_t), readlink, (_:_:_:), const char *, char *, size_t);

// <stdio.h>
#include <stddef.h>
// sys/stdio.h
CONSTANT(unsigned int, RENAME_SWAP, 2);
CONSTANT(unsigned int, RENAME_EXCL, 4);
CALL(int, renameatx_np, (_:_:_:_:_:), int, const char *, int, const char *, unsigned int);
#if defined(FORMWORK_CLANG)
int snprintf(char *, size_t, const char *, ...);
#endif

// <sys/clonefile.h>
#include <sys/types.h>
CONSTANT(int, CLONE_NOOWNERCOPY, 2);
CALL(int, fclonefileat, (_:_:_:_:), int, int, const char *, uint32_t);

// <sys/acl.h>
#if defined(FORMWORK_CLANG)
typedef struct _acl *acl_t;
typedef enum { ACL_TYPE_EXTENDED = 0x100 } acl_type_t;
acl_t acl_get_fd_np(int, acl_type_t);
int acl_free(void *);
#endif

// <dirent.h>
#include <sys/types.h>
// Complete on Darwin, so Swift has a typed pointer to it.
#if defined(FORMWORK_CLANG)
typedef struct { int __dd_fd; } DIR;
#else
typedef struct { int __dd_fd; } formwork_DIR __attribute__((swift_name("DIR")));
#endif
STRUCT(dirent, {
    uint64_t d_ino;
    uint64_t d_seekoff;
    uint16_t d_reclen;
    uint16_t d_namlen;
    uint8_t d_type;
    char d_name[1024];
});
CALL(T(DIR) *, fdopendir, (_:), int);
CALL(struct T(dirent) *, readdir, (_:), T(DIR) *);
CALL(int, closedir, (_:), T(DIR) *);

// <errno.h>
CONSTANT(int, EPERM, 1);
CONSTANT(int, EWOULDBLOCK, 35);
CONSTANT(int, ENOTSUP, 45);
CONSTANT(int, ENAMETOOLONG, 63);
CONSTANT(int, ENOSYS, 78);
#if defined(FORMWORK_CLANG)
extern int *__error(void);
#define errno (*__error())
#endif

// <time.h>
#if defined(FORMWORK_CLANG)
typedef enum { CLOCK_REALTIME = 0, CLOCK_MONOTONIC = 6 } clockid_t;
#else
typedef enum __attribute__((swift_name("clockid_t"))) formwork_clockid : unsigned int { formwork_realtime } formwork_clockid_t;
static const formwork_clockid_t formwork_CLOCK_REALTIME __attribute__((swift_name("CLOCK_REALTIME"))) = formwork_realtime;
#endif

// <stdlib.h>
#include <stddef.h>
CALL(void, exit, (_:), int) __attribute__((noreturn));
CALL(char *, realpath, (_:_:), const char *, char *);

// <string.h>
#include <stddef.h>
CALL(void *, memcpy, (_:_:_:), void *, const void *, size_t);
CALL(void *, memset, (_:_:_:), void *, int, size_t);

// <signal.h>
#include <sys/types.h>
CONSTANT(int, SIGPIPE, 13);
CONSTANT(int, SIGXFSZ, 25);
#if defined(FORMWORK_CLANG)
typedef uint32_t sigset_t;
#define SIG_DFL (void (*)(int))0
#define SIG_IGN (void (*)(int))1
enum { SIG_BLOCK = 1, SIG_UNBLOCK = 2, SIG_SETMASK = 3, SA_RESTART = 2 };
typedef int sig_atomic_t;
union __sigaction_u {
    void (*__sa_handler)(int);
    void (*__sa_sigaction)(int, struct __siginfo *, void *);
};
struct sigaction {
    union __sigaction_u __sigaction_u;
    sigset_t sa_mask;
    int sa_flags;
};
#define sa_handler __sigaction_u.__sa_handler
int sigaction(int, const struct sigaction *, struct sigaction *);
void (*signal(int, void (*)(int)))(int);
int sigemptyset(sigset_t *);
int sigaddset(sigset_t *, int);
int sigismember(const sigset_t *, int);
int sigpending(sigset_t *);
int sigwait(const sigset_t *, int *);
int pthread_sigmask(int, const sigset_t *, sigset_t *);
#endif

// <pthread.h>
#include <signal.h>
#if defined(FORMWORK_CLANG)
typedef struct { long __sig; char __opaque[8]; } pthread_once_t;
#define PTHREAD_ONCE_INIT {0x30B1BCBA, {0}}
int pthread_once(pthread_once_t *, void (*)(void));
#endif

// <termios.h>
TYPE(unsigned long, tcflag_t);
STRUCT(termios, {
    T(tcflag_t) c_iflag;
    T(tcflag_t) c_oflag;
    T(tcflag_t) c_cflag;
    T(tcflag_t) c_lflag;
    unsigned char c_cc[20];
    unsigned long c_ispeed;
    unsigned long c_ospeed;
});
CONSTANT(int, ECHO, 0x8);

// <sys/ioctl.h>
#if defined(FORMWORK_CLANG)
struct winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };
#define TIOCGWINSZ 0x40087468
#define FIONREAD 0x4004667F
int ioctl(int, unsigned long, ...);
#endif

// <poll.h>
CONSTANT(int, POLLHUP, 0x0010);
#if defined(FORMWORK_CLANG)
struct pollfd { int fd; short events; short revents; };
int poll(struct pollfd *, unsigned int, int);
#endif

// <sys/event.h>
#include <sys/types.h>
#include <time.h>
#if defined(FORMWORK_CLANG)
struct kevent { uintptr_t ident; int16_t filter; uint16_t flags; uint32_t fflags; intptr_t data; void *udata; };
enum { EVFILT_READ = -1, EV_ADD = 0x0001, EV_CLEAR = 0x0020, EV_EOF = 0x8000 };
#define EV_SET(kevp, a, b, c, d, e, f)                                                                                 \
    (*(kevp) = (struct kevent){.ident = (uintptr_t)(a), .filter = (b), .flags = (c), .fflags = (d), .data = (e), .udata = (f)})
int kqueue(void);
int kevent(int, const struct kevent *, int, struct kevent *, int, const struct timespec *);
#endif

// <sys/socket.h>
#include <sys/types.h>
CONSTANT(int, AF_INET, 2);
CONSTANT(int, AF_INET6, 30);
#if defined(FORMWORK_CLANG)
enum { SOCK_STREAM = 1, AF_UNIX = 1, SOL_SOCKET = 0xFFFF, SO_LINGER = 0x80 };
#define SO_NOSIGPIPE 0x1022
#define MSG_NOSIGNAL 0x80000
#define MSG_DONTWAIT 0x80
typedef uint32_t socklen_t;
struct sockaddr { uint8_t sa_len; uint8_t sa_family; char sa_data[14]; };
struct linger { int l_onoff; int l_linger; };
struct sf_hdtr;
int sendfile(int, int, off_t, off_t *, struct sf_hdtr *, int);
int socketpair(int, int, int, int *);
int socket(int, int, int);
int bind(int, const struct sockaddr *, socklen_t);
int listen(int, int);
int accept(int, struct sockaddr *restrict, socklen_t *restrict);
int getsockname(int, struct sockaddr *restrict, socklen_t *restrict);
int setsockopt(int, int, int, const void *, socklen_t);
ssize_t recv(int, void *, size_t, int);
ssize_t send(int, const void *, size_t, int);
#endif

// <sys/uio.h>
#include <sys/types.h>

// <netinet/in.h>
#include <sys/socket.h>
#if defined(FORMWORK_CLANG)
#define INADDR_LOOPBACK (uint32_t)0x7F000001
struct in_addr { uint32_t s_addr; };
struct sockaddr_in {
    uint8_t sin_len;
    uint8_t sin_family;
    uint16_t sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};
#endif

// <arpa/inet.h>
#include <sys/types.h>
CALL(int, inet_pton, (_:_:_:), int, const char *, void *);
#if defined(FORMWORK_CLANG)
uint32_t htonl(uint32_t);
uint16_t ntohs(uint16_t);
#endif

// <sys/resource.h>
#include <sys/types.h>
#if defined(FORMWORK_CLANG)
typedef uint64_t rlim_t;
struct rlimit { rlim_t rlim_cur; rlim_t rlim_max; };
enum { RLIMIT_NOFILE = 8 };
int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);
#endif

// <sys/syslimits.h>
CONSTANT(int, PATH_MAX, 1024);
CONSTANT(int, OPEN_MAX, 10240);

// <spawn.h>
#include <signal.h>
#include <sys/types.h>
#if defined(FORMWORK_CLANG)
enum { POSIX_SPAWN_SETSIGDEF = 0x4, POSIX_SPAWN_CLOEXEC_DEFAULT = 0x4000 };
typedef void *posix_spawnattr_t;
typedef void *posix_spawn_file_actions_t;
int posix_spawnp(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *,
                 char *const *) NOT_ON_TV;
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *) NOT_ON_TV;
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *) NOT_ON_TV;
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *, int, int) NOT_ON_TV;
int posix_spawn_file_actions_addinherit_np(posix_spawn_file_actions_t *, int) NOT_ON_TV;
int posix_spawnattr_init(posix_spawnattr_t *) NOT_ON_TV;
int posix_spawnattr_destroy(posix_spawnattr_t *) NOT_ON_TV;
int posix_spawnattr_setflags(posix_spawnattr_t *, short) NOT_ON_TV;
int posix_spawnattr_setsigdefault(posix_spawnattr_t *restrict, const sigset_t *restrict) NOT_ON_TV;
#endif

// <crt_externs.h>
#if defined(FORMWORK_CLANG)
extern char ***_NSGetEnviron(void);
#endif

// <mach-o/dyld.h>
#include <stdint.h>
#if defined(FORMWORK_CLANG)
extern int _NSGetExecutablePath(char *, uint32_t *);
#endif

// <malloc/malloc.h>
#include <stddef.h>
#if defined(FORMWORK_CLANG)
size_t malloc_zone_pressure_relief(struct _malloc_zone_t *, size_t);
#endif

// <dlfcn.h>
#if defined(FORMWORK_CLANG)
enum { RTLD_NOW = 2, RTLD_LOCAL = 4 };
void *dlopen(const char *, int);
void *dlsym(void *, const char *);
#endif
