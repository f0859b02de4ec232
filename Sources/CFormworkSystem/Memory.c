#include "CFormworkSystem.h"

#if defined(__APPLE__)
#include <malloc/malloc.h>

void fw_give_back_memory(void) { malloc_zone_pressure_relief(NULL, 0); }
#else
// Before the test: a C library's own header says which one it is.
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>

void fw_give_back_memory(void) { malloc_trim(0); }
#else
void fw_give_back_memory(void) {}
#endif
#endif

void fw_keep_blocks(int below, int most) {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, below);
  mallopt(M_TRIM_THRESHOLD, most);
#else
  (void)below;
  (void)most;
#endif
}
