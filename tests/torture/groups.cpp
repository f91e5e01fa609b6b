// Phases that wait within a work-group: in turns, or by one work-item that polls. It reports to the
// others through local memory, a collective or a sub-group operation.
#include "generator.h"

#include <cstdio>

namespace torture {

using std::to_string;

void Generator::turns_in_group() {
  local_line("local atomic_uint turn%u; local uint last%u;", phase_, phase_);
  line("if (get_local_id(0) == 0) { atomic_init(&turn%u, 0u); last%u = %u; }", phase_, phase_,
       phase_);
  barrier_of_group();
  line("while (atomic_load_explicit(&turn%u, memory_order_acquire, memory_scope_work_group) != "
       "get_local_size(0) - 1 - get_local_id(0)) ;",
       phase_);
  line("last%u = last%u * 3 + 1; sum += last%u;", phase_, phase_, phase_);
  line("atomic_store_explicit(&turn%u, (uint)(get_local_size(0) - get_local_id(0)), "
       "memory_order_release, memory_scope_work_group);",
       phase_);
  barrier_of_group();
  for (uint32_t group = 0; group < p_.groups; ++group) {
    uint32_t last = phase_;
    for (uint32_t me = p_.local; me-- > 0;)
      sums_[group * p_.local + me] += last = last * 3 + 1;
  }
}

// All wait until `condition` holds; one work-item of the group polls it.
void Generator::tell_by_local_memory(const std::string &condition) {
  static constexpr const char *ways[] = {"told%u = %s",
                                         "atomic_xchg(&told%u, %s)",
                                         "atomic_or(&told%u, %s)",
                                         "atomic_max(&told%u, %s)",
                                         "if (%2$s) told%1$u = 1",
                                         "if (%2$s) atomic_inc(&told%1$u)"};
  char tell[512];
  const uint32_t number = ++told_;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  std::snprintf(tell, sizeof tell, ways[below(6)], number, condition.c_str());
#pragma GCC diagnostic pop
  local_line("local int told%u;", number);
  line("if (get_local_id(0) == 0) told%u = 0;", number);
  barrier_of_group();
  line("for (bool again = true; again;) { if (get_local_id(0) == %u) { %s; } "
       "barrier(CLK_LOCAL_MEM_FENCE); again = !told%u; barrier(CLK_LOCAL_MEM_FENCE); }",
       below(p_.local), tell, number);
}

void Generator::tell_by_collective(const std::string &condition) {
  const char *text = condition.c_str();
  const uint32_t who = below(p_.local);
  switch (below(4)) {
  case 0:
    line("while (!work_group_any(get_local_id(0) == %u && (%s))) ;", who, text);
    break;
  case 1:
    line("while (!work_group_all(get_local_id(0) != %u || (%s))) ;", who, text);
    break;
  case 2:
    line("for (int f = 0; !f;) { f = 0; if (get_local_id(0) == %u) f = (%s); "
         "f = work_group_broadcast(f, %u); }",
         who, text, who);
    break;
  default:
    line("while (work_group_reduce_max((int)(get_local_id(0) == %u && (%s))) == 0) ;", who, text);
    break;
  }
}

void Generator::tell_by_sub_group(const std::string &condition) {
  const char *text = condition.c_str();
  switch (below(4)) {
  case 0:
    line("while (!sub_group_any(get_sub_group_local_id() == 0 && (%s))) ;", text);
    break;
  case 1:
    line("while (!sub_group_all(%s)) ;", text);
    break;
  case 2:
    line("for (int f = 0; !f;) { f = 0; if (get_sub_group_local_id() == 0) f = (%s); "
         "f = sub_group_broadcast(f, 0); }",
         text);
    break;
  default:
    line("while (sub_group_reduce_add((int)(%s)) == 0) ;", text);
    break;
  }
}

std::string Generator::all_arrived(uint32_t at) const {
  return "LOAD(&c[" + to_string(at) + "]) >= " + to_string(items()) + "u";
}

void Generator::told_by_local_memory() {
  const uint32_t at = counter();
  line("ADD(&c[%u], 1u);", at);
  tell_by_local_memory(all_arrived(at));
}

void Generator::told_by_collective() {
  const uint32_t at = counter();
  line("ADD(&c[%u], 1u);", at);
  tell_by_collective(all_arrived(at));
}

void Generator::told_by_sub_group() {
  const uint32_t at = counter();
  line("ADD(&c[%u], 1u);", at);
  tell_by_sub_group(all_arrived(at));
}

} // namespace torture
