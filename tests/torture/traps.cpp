// Planted deadlocks. The report must name the line that trap_is_here() marks.
#include "generator.h"

namespace torture {

using std::to_string;

void Generator::flag_that_nobody_sets() {
  const uint32_t flag = counter();
  begin_if(subset());
  wait_until_set(to_string(flag));
  trap_is_here();
  line("}");
}

void Generator::plain_flag_that_nobody_sets() {
  const uint32_t flag = datum();
  begin_if(subset());
  wait_for_plain_flag(flag);
  trap_is_here();
  line("}");
}

void Generator::lock_that_nobody_returns() {
  const Lock lock = make_lock();
  line("if (i == %u) {", below(items()));
  line("%s", take(lock).c_str());
  line("}");
  // All work-items take it, including the owner.
  line("%s", take(lock).c_str());
  trap_is_here();
  line("%s", give(lock).c_str());
}

void Generator::ring_of_flags() {
  const uint32_t flags = counter(items());
  wait_until_set(to_string(flags) + " + (i + 1) % (uint)get_global_size(0)");
  trap_is_here();
  line("STORE(&c[%u + i], 1u);", flags);
}

void Generator::two_locks_in_opposite_order() {
  if (items() < 2)
    return flag_that_nobody_sets();
  const uint32_t locks = counter(2), got = counter();
  const uint32_t a = below(items()), b = (a + 1 + below(items() - 1)) % items();
  line("if (i == %u || i == %u) {", a, b);
  line("uint first = i == %u;", a);
  line("while (SWAP(&c[%u + first], 1u)) ;", locks);
  line("ADD(&c[%u], 1u);", got);
  line("while (LOAD(&c[%u]) < 2) ;", got);
  line("while (SWAP(&c[%u + 1 - first], 1u)) ;", locks);
  trap_is_here();
  line("STORE(&c[%u], 0u); STORE(&c[%u], 0u);", locks, locks + 1);
  line("}");
}

void Generator::wait_beside_a_barrier() { // waits for an action after the barrier
  const uint32_t flag = counter(), who = below(items());
  line("if (i == %u)", who);
  wait_until_set(to_string(flag));
  trap_is_here();
  barrier_of_group();
  line("if (i == %u) STORE(&c[%u], 1u);", who / p_.local * p_.local, flag);
}

void Generator::barrier_without_one_group() {
  const uint32_t at = counter();
  line("if (get_group_id(0) != %u) ADD(&c[%u], 1u);", below(p_.groups), at);
  line("while (LOAD(&c[%u]) < get_global_size(0)) ;", at);
  trap_is_here();
}

void Generator::condition_that_never_comes() {
  count_and_wait(/*is_monitor=*/false, 1);
}

void Generator::monitor_that_nobody_wakes() {
  count_and_wait(/*is_monitor=*/true, 1);
}

void Generator::leaders_look_in_vain() {
  leaders_count_and_wait(1);
}

void Generator::monitor_out_of_order() { // no work-item has the first turn
  go_in_by_turns(1);
}

void Generator::permit_that_is_lost() { // one permit, and one work-item never returns it
  const uint32_t free = counter(), who = below(items());
  line("if (i == %u) { ADD(&c[%u], 1u); %s }", who, free, take_permit(free).c_str());
  line("%s", take_permit(free).c_str());
  trap_is_here();
  line("ADD(&c[%u], 1u);", free);
}

void Generator::held_lock_is_needed() { // the work-item that the owner waits for needs the lock
  if (items() < 2)
    return flag_that_nobody_sets();
  const Lock lock = make_lock();
  const uint32_t held = counter(), flag = counter(), a = below(items()),
                 b = (a + 1 + below(items() - 1)) % items();
  line("if (i == %u) {", a);
  line("%s", take(lock).c_str());
  line("STORE(&c[%u], 1u);", held);
  wait_until_set(to_string(flag));
  line("%s", give(lock).c_str());
  line("}");
  line("if (i == %u) {", b);
  wait_until_set(to_string(held));
  line("%s", take(lock).c_str());
  trap_is_here();
  line("STORE(&c[%u], 1u);", flag);
  line("%s", give(lock).c_str());
  line("}");
}

void Generator::told_nothing_by_local_memory() {
  tell_by_local_memory("LOAD(&c[" + to_string(counter()) + "]) != 0");
  trap_is_here();
}

void Generator::told_nothing_by_collective() {
  tell_by_collective("LOAD(&c[" + to_string(counter()) + "]) != 0");
  trap_is_here();
}

void Generator::told_nothing_by_sub_group() {
  tell_by_sub_group("LOAD(&c[" + to_string(counter()) + "]) != 0");
  trap_is_here();
}

void Generator::one_of_several_flags() { // one of the flags is never set
  const uint32_t first = counter(3), unset = below(3);
  for (uint32_t at = 0; at < 3; ++at)
    if (at != unset)
      line("if (i == %u) STORE(&c[%u], 1u);", below(items()), first + at);
  begin_if(subset());
  wait_for_several(first, 3);
  trap_is_here();
  line("}");
}

void Generator::relay_that_is_broken() { // one launch fewer than flags
  if (p_.relays != 0)
    return flag_that_nobody_sets();
  p_.relays = 1 + below(3);
  p_.relay_flags = counter(p_.relays + 2);
  line("if (i == %u) STORE(&c[%u], 1u);", below(items()), p_.relay_flags);
  begin_if(subset());
  wait_until_set(to_string(p_.relay_flags + p_.relays + 1));
  trap_is_here();
  line("}");
}

void Generator::written_in_vain() {
  write_while_waiting("LOAD(&c[" + to_string(counter()) + "]) == 0");
}

void Generator::copied_in_vain() {
  copy_while_waiting("LOAD(&c[" + to_string(counter()) + "]) != 0");
}

const std::vector<Generator::Named> &Generator::traps() {
  static const std::vector<Named> list = {
      {"a flag that nobody sets", &Generator::flag_that_nobody_sets},
      {"a plain flag that nobody sets", &Generator::plain_flag_that_nobody_sets},
      {"a lock that nobody returns", &Generator::lock_that_nobody_returns},
      {"a ring of flags", &Generator::ring_of_flags},
      {"two locks in opposite order", &Generator::two_locks_in_opposite_order},
      {"a wait beside a barrier", &Generator::wait_beside_a_barrier},
      {"a barrier without one group", &Generator::barrier_without_one_group},
      {"a condition that never comes", &Generator::condition_that_never_comes},
      {"a monitor that nobody wakes", &Generator::monitor_that_nobody_wakes},
      {"leaders look in vain", &Generator::leaders_look_in_vain},
      {"a monitor out of order", &Generator::monitor_out_of_order},
      {"a permit that is lost", &Generator::permit_that_is_lost},
      {"a held lock that is needed", &Generator::held_lock_is_needed},
      {"told nothing by local memory", &Generator::told_nothing_by_local_memory},
      {"told nothing by a collective", &Generator::told_nothing_by_collective},
      {"told nothing by a sub-group", &Generator::told_nothing_by_sub_group},
      {"one of several flags", &Generator::one_of_several_flags},
      {"a relay that is broken", &Generator::relay_that_is_broken},
      {"written in vain", &Generator::written_in_vain},
      {"copied in vain", &Generator::copied_in_vain},
      {"a structure that nobody sets", &Generator::structure_that_nobody_sets},
      {"a queue that is held up", &Generator::queue_that_is_held_up},
      {"undone in vain", &Generator::undone_in_vain}};
  return list;
}

} // namespace torture
