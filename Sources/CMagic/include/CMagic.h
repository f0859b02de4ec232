// libmagic's functions (man 3 libmagic), found when the program runs: nothing of it is needed to build.
#ifndef CMAGIC_H
#define CMAGIC_H

#include <stddef.h>

// A handle of libmagic's: `magic_t`.
typedef struct magic_set *cmagic_t;

enum {
    CMAGIC_MIME_TYPE = 0x10,
    CMAGIC_MIME_ENCODING = 0x400,
};

// Whether libmagic is there: linked into the program, or installed. All others may be called only then.
int cmagic_is_available(void);

// Whether it is linked into the program. Then the system may have a database of another version, which it can't read.
int cmagic_is_linked(void);

// The database that the environment names; null if it names none.
const char *cmagic_named_database(void);

int cmagic_version(void);
cmagic_t cmagic_open(int flags);
void cmagic_close(cmagic_t handle);
int cmagic_load(cmagic_t handle, const char *databases);
int cmagic_setflags(cmagic_t handle, int flags);
const char *cmagic_buffer(cmagic_t handle, const void *bytes, size_t count);
const char *cmagic_error(cmagic_t handle);

#endif
