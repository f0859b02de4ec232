#include "CFormworkSystem.h"

#include <sys/resource.h>

unsigned long long fw_file_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) < 0 ? ~0ull : limit.rlim_cur;
}

#ifdef __linux__
#include <pthread.h>
#include <unistd.h>

unsigned long long fw_address_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) < 0 ? ~0ull : limit.rlim_cur;
}

long fw_processors(void) { return sysconf(_SC_NPROCESSORS_ONLN); }

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

long fw_processors(void) { return 1; }

int fw_try_threads(int count) {
  (void)count;
  return 0;
}
#endif
