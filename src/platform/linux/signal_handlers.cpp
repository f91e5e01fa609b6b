#include "platform/linux/signal_handlers.h"

namespace lockstep {

void hand_on_signal(const struct sigaction &previous, int signal, siginfo_t *info, void *context) {
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else if (info->si_code <= 0 && previous.sa_handler == SIG_IGN) {
    return; // sent by a program, and ignored
  } else {
    // The default action ends the process. A fault occurs again as soon as the handler returns; a
    // signal that was sent must be raised again.
    struct sigaction default_action{};
    default_action.sa_handler = SIG_DFL;
    sigaction(signal, &default_action, nullptr);
    if (info->si_code <= 0)
      raise(signal);
  }
}

} // namespace lockstep
