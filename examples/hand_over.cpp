// Handing over by a lock, by a flag and by an event, each with exactly the synchronization that it needs.
//
// What it teaches: an order needs two sides. Who gives, releases, and who takes, acquires, both with a scope that includes the
// other; a command that reads what another has written has that one's event in its wait list. hand_over_wrong.cpp leaves out
// one thing of each, and most devices do not mind: then the result is right by luck, and nobody sees it until the program runs
// elsewhere. `lockstep check --only races,commands` does.
//
// Checked against: what is computed without a device.
#include "hand_over.h"

int main(int argc, char **argv) {
  return example::run(argc, argv, [](example::Example &e) {
    if (!hand_over::may_run(e))
      return;
    const auto lock = hand_over::by_lock(e, ""), flag = hand_over::by_flag(e, ""),
               event = hand_over::by_event(e, true);
    e.row("hand over by a lock", lock.is_right, lock.seconds, 1, "launches/s");
    e.row("hand over by a flag", flag.is_right, flag.seconds, 1, "launches/s");
    e.row("hand over by an event", event.is_right, event.seconds, 1, "launches/s");
  });
}
