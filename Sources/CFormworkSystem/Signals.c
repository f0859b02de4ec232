#include "CFormworkSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

void fw_ignore_signal(int number) { signal(number, SIG_IGN); }

static volatile sig_atomic_t notes = -1;

static void note(int number) {
  int before = errno;
  unsigned char byte = (unsigned char)number;
  // A full pipe has enough of them.
  if (write(notes, &byte, 1) < 0) errno = before;
}

// Parents that start programs from a thread of Dispatch pass on that it blocks signals.
static void unblock(int number) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
}

void fw_note_signal(int number, int descriptor) {
  struct sigaction action;
  if (sigaction(number, NULL, &action) < 0 || action.sa_handler == SIG_IGN) return;
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  notes = descriptor;
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
  unblock(number);
}

void fw_restore_signal(int number) {
  struct sigaction action;
  if (sigaction(number, NULL, &action) < 0 || action.sa_handler == SIG_IGN) return;
  signal(number, SIG_DFL);
  unblock(number);
}

_Static_assert(sizeof(sigset_t) <= sizeof((fw_signal_guard *)NULL)->blocked, "a guard has too little room");

static sigset_t *blocked(fw_signal_guard *guard) { return (sigset_t *)guard->blocked; }
static sigset_t *pending(fw_signal_guard *guard) { return (sigset_t *)guard->pending; }

static const int guarded[] = {SIGPIPE, SIGXFSZ};

int fw_signal_guard_begin(fw_signal_guard *guard) {
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

int fw_signal_guard_end(fw_signal_guard *guard) {
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
