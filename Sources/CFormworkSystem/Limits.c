#include "CFormworkSystem.h"

#include <sys/resource.h>

#if defined(__APPLE__)
#include <sys/syslimits.h>
#endif

unsigned long long fw_file_limit(unsigned long long wanted) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return ~0ull;
  rlim_t before = limit.rlim_cur;
  if (before >= wanted) return before;
  limit.rlim_cur = limit.rlim_max;
#if defined(__APPLE__)
  // It reports no limit, and refuses more than this one.
  if (limit.rlim_cur > OPEN_MAX) limit.rlim_cur = OPEN_MAX;
#endif
  if (limit.rlim_cur > before && setrlimit(RLIMIT_NOFILE, &limit) == 0) return limit.rlim_cur;
  return before;
}

#ifdef __linux__
#include <pthread.h>

unsigned long long fw_address_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) < 0 ? ~0ull : limit.rlim_cur;
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_at_gate(void *argument) {
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  return argument;
}

int fw_try_threads(int count) {
  enum { MOST = 64 };
  pthread_t threads[MOST];
  int made = 0, reason = 0;
  pthread_mutex_lock(&gate);
  while (made < count && made < MOST && reason == 0) {
    reason = pthread_create(&threads[made], NULL, wait_at_gate, NULL);
    if (reason == 0) made++;
  }
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < made; i++) pthread_join(threads[i], NULL);
  return -reason;
}
#else
// Not looked at on other systems.
unsigned long long fw_address_limit(void) { return ~0ull; }
int fw_try_threads(int count) { return 0; }
#endif
