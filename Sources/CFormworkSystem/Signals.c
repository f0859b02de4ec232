#include "CFormworkSystem.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

int fw_ignore_signal(int number) { return signal(number, SIG_IGN) == SIG_IGN; }

void fw_restore_signal(int number) { signal(number, SIG_DFL); }

_Static_assert(sizeof(sigset_t) <= sizeof((fw_signal_guard *)NULL)->blocked, "a guard has too little room");

static sigset_t *blocked(fw_signal_guard *guard) { return (sigset_t *)guard->blocked; }
static sigset_t *pending(fw_signal_guard *guard) { return (sigset_t *)guard->pending; }

static const int guarded[] = {SIGPIPE, SIGXFSZ};

static _Thread_local fw_signal_guard *current;

int fw_signal_guard_lower(fw_signal_guard *guard) {
  current = guard;
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++) sigaddset(&set, guarded[i]);
  int result = -pthread_sigmask(SIG_BLOCK, &set, blocked(guard));
  // Only a signal that the caller blocks can be pending before the first write.
  sigemptyset(pending(guard));
  for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++) {
    if (!sigismember(blocked(guard), guarded[i])) continue;
    sigpending(pending(guard));
    break;
  }
  return result;
}

int fw_signal_guard_lift(fw_signal_guard *guard) {
  current = NULL;
  sigset_t now;
  sigpending(&now);
  for (size_t i = 0; i < sizeof guarded / sizeof *guarded; i++) {
    sigset_t one;
    if (sigismember(pending(guard), guarded[i]) || !sigismember(&now, guarded[i])) continue;
    sigemptyset(&one);
    sigaddset(&one, guarded[i]);
    int signal;
    sigwait(&one, &signal);
  }
  return -pthread_sigmask(SIG_SETMASK, blocked(guard), NULL);
}

int fw_signal_guard_begin(fw_signal_guard *guard) {
  guard->around = current;
  return fw_signal_guard_lower(guard);
}

int fw_signal_guard_end(fw_signal_guard *guard) {
  int result = fw_signal_guard_lift(guard);
  current = guard->around;
  return result;
}

fw_signal_guard *fw_signal_guard_current(void) { return current; }
