#include "CMagic.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// Defined where libmagic is linked, as in the static command; null elsewhere.
#if defined(__ELF__)
extern int magic_version(void) __attribute__((weak));
extern cmagic_t magic_open(int) __attribute__((weak));
extern void magic_close(cmagic_t) __attribute__((weak));
extern int magic_load(cmagic_t, const char *) __attribute__((weak));
extern int magic_setflags(cmagic_t, int) __attribute__((weak));
extern const char *magic_buffer(cmagic_t, const void *, size_t) __attribute__((weak));
extern const char *magic_error(cmagic_t) __attribute__((weak));
#define LINKED(name) name
#else
#define LINKED(name) NULL
#endif

static struct {
    int (*version)(void);
    cmagic_t (*open)(int);
    void (*close)(cmagic_t);
    int (*load)(cmagic_t, const char *);
    int (*setflags)(cmagic_t, int);
    const char *(*buffer)(cmagic_t, const void *, size_t);
    const char *(*error)(cmagic_t);
} magic;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_available;

static void *find(void *library, const char *name, void *linked) {
    return linked != NULL ? linked : library != NULL ? dlsym(library, name) : NULL;
}

static void load(void) {
    void *library = NULL;
    if ((void *)LINKED(magic_open) == NULL) {
        static const char *const names[] = {
#if defined(__APPLE__)
            "libmagic.dylib", "/opt/homebrew/lib/libmagic.dylib", "/usr/local/lib/libmagic.dylib",
            "/opt/local/lib/libmagic.dylib",
#else
            "libmagic.so.1", "libmagic.so",
#endif
        };
        for (size_t i = 0; i < sizeof names / sizeof *names && library == NULL; i++)
            library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
#define FIND(name) *(void **)&magic.name = find(library, "magic_" #name, (void *)LINKED(magic_##name))
    FIND(version);
    FIND(open);
    FIND(close);
    FIND(load);
    FIND(setflags);
    FIND(buffer);
    FIND(error);
    is_available = magic.version != NULL && magic.open != NULL && magic.close != NULL && magic.load != NULL
        && magic.setflags != NULL && magic.buffer != NULL && magic.error != NULL;
}

int cmagic_is_available(void) {
    pthread_once(&once, load);
    return is_available;
}

int cmagic_is_linked(void) { return (void *)LINKED(magic_open) != NULL; }

const char *cmagic_named_database(void) { return getenv("MAGIC"); }

int cmagic_version(void) { return magic.version(); }
cmagic_t cmagic_open(int flags) { return magic.open(flags); }
void cmagic_close(cmagic_t handle) { magic.close(handle); }
int cmagic_load(cmagic_t handle, const char *databases) { return magic.load(handle, databases); }
int cmagic_setflags(cmagic_t handle, int flags) { return magic.setflags(handle, flags); }
const char *cmagic_buffer(cmagic_t handle, const void *bytes, size_t count) {
    return magic.buffer(handle, bytes, count);
}
const char *cmagic_error(cmagic_t handle) { return magic.error(handle); }
