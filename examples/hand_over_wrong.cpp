// hand_over.cpp with a mistake in each of the three methods. All three are right by luck on many
// devices.
//
// The lock is taken by a relaxed atomic, so the new holder need not see what the last one wrote.
// The flag has work-group scope, so it orders nothing for other groups. The event is not in the
// wait list, so the second kernel may run before the first one or at the same time.
//
// `lockstep check --only races,commands` reports the source lines, even if the result was right.
#include "hand_over.h"

int main(int argc, char **argv) {
  return example::run(argc, argv, [](example::Example &e) {
    if (!hand_over::may_run(e))
      return;
    auto tell = [&e](const char *what, const hand_over::Outcome &outcome) {
      e.skip(what, outcome.is_right ? "right here, by luck" : "wrong here, as it should be");
    };
    tell("hand over by a lock, taken relaxed (wrong on purpose)",
         hand_over::by_lock(e, "-DTAKE=memory_order_relaxed"));
    tell("hand over by a flag, scope of a group (wrong on purpose)",
         hand_over::by_flag(e, "-DSCOPE=memory_scope_work_group"));
    tell("hand over by an event, not waited for (wrong on purpose)", hand_over::by_event(e, false));
  });
}
