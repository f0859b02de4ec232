#include "CFormworkSystem.h"

#include <pthread.h>
#include <stddef.h>

int fw_ignore_signal(int number) { return signal(number, SIG_IGN) == SIG_IGN; }

static const int guarded[] = {SIGPIPE, SIGXFSZ};

static _Thread_local fw_signal_guard *current;

int fw_signal_guard_lower(fw_signal_guard *guard) {
  current = guard;
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++) sigaddset(&set, guarded[i]);
  sigpending(&guard->pending);
  return -pthread_sigmask(SIG_BLOCK, &set, &guard->blocked);
}

int fw_signal_guard_lift(const fw_signal_guard *guard) {
  current = NULL;
  for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++) {
    sigset_t pending, one;
    if (sigismember(&guard->pending, guarded[i])) continue;
    sigpending(&pending);
    if (!sigismember(&pending, guarded[i])) continue;
    sigemptyset(&one);
    sigaddset(&one, guarded[i]);
    int signal;
    sigwait(&one, &signal);
  }
  return -pthread_sigmask(SIG_SETMASK, &guard->blocked, NULL);
}

int fw_signal_guard_begin(fw_signal_guard *guard) {
  guard->around = current;
  return fw_signal_guard_lower(guard);
}

int fw_signal_guard_end(const fw_signal_guard *guard) {
  int result = fw_signal_guard_lift(guard);
  current = guard->around;
  return result;
}

fw_signal_guard *fw_signal_guard_current(void) { return current; }
