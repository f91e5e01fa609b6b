// Passing data by a lock, a flag and an event, each with exactly the synchronization that it needs.
//
// What it teaches: ordering needs two sides. The writer releases and the reader acquires, both with
// a scope that includes the other. A command that reads the results of another has that command's
// event in its wait list.
//
// hand_over_wrong.cpp omits one part of each. On most devices the result is still right, by luck,
// and the mistake stays hidden until the program runs elsewhere. `lockstep check --only
// races,commands` finds it.
//
// Checked against: results computed on the host.
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
