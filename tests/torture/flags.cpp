// Phases with flags and counters in global memory, and in memory that the host writes.
#include "generator.h"

#include <algorithm>

namespace torture {

using std::to_string;

void Generator::flag() {
  const uint32_t flag = counter(), value = datum(), setter = below(items());
  const Subset who = subset();
  line("if (i == %u) { d[%u] = %uu; STORE(&c[%u], 1u); }", setter, value, phase_ * 1000, flag);
  begin_if(who);
  wait_until_set(to_string(flag));
  line("sum += d[%u];", value);
  line("}");
  for (uint32_t i = 0; i < items(); ++i)
    if (contains(who, i))
      sums_[i] += phase_ * 1000;
}

// Waits the way OpenCL 1.x programs do: with an ordinary or volatile variable and fences.
void Generator::wait_for_plain_flag(uint32_t at) {
  switch (below(3)) {
  case 0:
    line("while (d[%u] == 0) FENCE;", at);
    break;
  case 1:
    line("for (;;) { FENCE; if (d[%u] != 0) break; }", at);
    break;
  default:
    line("while (((volatile global uint *)d)[%u] == 0) ;", at);
    break;
  }
}

void Generator::plain_flag() {
  const uint32_t flag = datum(), value = datum(), setter = below(items());
  const Subset who = subset();
  line("if (i == %u) { d[%u] = %uu; FENCE; d[%u] = 1; %s }", setter, value, phase_ * 1000, flag,
       below(2) == 0 ? "FENCE;" : "");
  begin_if(who);
  wait_for_plain_flag(flag);
  line("FENCE; sum += d[%u];", value);
  line("}");
  for (uint32_t i = 0; i < items(); ++i)
    if (contains(who, i))
      sums_[i] += phase_ * 1000;
}

// One work-item writes in each iteration of its wait, and each iteration leaves the same memory
// contents. The writes are vectors, structures, small or large ranges, overwritten values, function
// calls and atomics of any kind.
void Generator::write_while_waiting(const std::string &unset) {
  const uint32_t at = datum(80), writer = below(items());
  line("if (i == %u) {", writer);
  line("struct eight { uint of[8]; }; struct eight e;");
  line("for (uint k = 0; k < 8; ++k) e.of[k] = hash(i, k);");
  const char *write = nullptr;
  switch (below(15)) {
  case 0:
    write = "vstore4((uint4)(i, 2, 3, 4), 0, own);";
    break;
  case 1:
    write = "vstore16((uint16)(i), 0, own); vstore3((uint3)(i), 5, own);";
    break;
  case 2:
    write = "*(global struct eight *)own = e;";
    break;
  case 3:
    write = "for (uint k = 0; k < 80; ++k) own[k] = k ^ i;";
    break;
  case 4:
    write = "for (uint k = 0; k < 16; ++k) own[k] = 0;";
    break;
  case 5:
    write = "for (uint k = 0; k < 80; ++k) own[k] = 0;";
    break;
  case 6:
    line("struct eighty { uint of[80]; }; struct eighty many;");
    line("for (uint k = 0; k < 80; ++k) many.of[k] = k ^ i;");
    write = "many.of[i % 79] = own[78] & 1; *(global struct eighty *)own = many;";
    break;
  case 7:
    write = "for (uint k = 0; k < 40; ++k) own[k] = own[k + 40];";
    break;
  case 8:
    write = "W300";
    break;
  case 9:
    write = "for (uint k = 0; k < 79; ++k) own[k] = 0; for (uint k = 0; k < 158; ++k) own[k % 79] "
            "+= k;";
    break;
  case 10:
    line("uint scratch[8];");
    write = "sum_up(own, scratch, i);";
    break;
  case 11:
    line("global atomic_float *real = (global atomic_float *)(d + %u);", at);
    write = "atomic_fetch_add_explicit(real, 0.0f, RELAXED); "
            "atomic_fetch_max_explicit(real + 1 + hash(i, 1) % 9, 2.5f, RELAXED);";
    break;
  case 12:
    line("global atomic_float *real = (global atomic_float *)(d + %u);", at);
    write =
        "for (uint k = 0; k < 9; ++k) { atomic_fetch_add_explicit(real + k * k, 1.5f, RELAXED); "
        "atomic_fetch_sub_explicit(real + k * k, 1.5f, RELAXED); }";
    break;
  case 13: { // uncontended locks
    static std::string take_all;
    const uint32_t locks = counter(8);
    take_all = "for (uint k = 0; k < 5 + i % 4; ++k) if (SWAP(&c[" + to_string(locks) +
               " + k], 1u) == 0) STORE(&c[" + to_string(locks) + " + k], 0u);";
    write = take_all.c_str();
    break;
  }
  default:
    write =
        "for (uint k = 0; k < 40; ++k) vstore2((uint2)(k, i), k % 20, own); own[0] = own[2] = 7;";
    break;
  }
  line("global uint *own = d + %u;", at);
  line("while (%s) { %s }", unset.c_str(), write);
  trap_is_here();
  line("sum += own[79] != 0 && own[79] != (79 ^ i);");
  line("}");
}

void Generator::written_while_waiting() {
  const uint32_t flag = counter();
  line("if (i == %u) STORE(&c[%u], 1u);", below(items()), flag);
  write_while_waiting("LOAD(&c[" + to_string(flag) + "]) == 0");
}

// All work-items of a group copy data back and forth that one of them writes, until `condition`.
void Generator::copy_while_waiting(const std::string &condition) {
  static constexpr const char *ways[] = {
      "e = async_work_group_copy(own, b, 16, 0)",
      "e = async_work_group_strided_copy(own, b, 16, 2, 0)",
      "e = async_work_group_copy((global uint4 *)own, (local uint4 *)b, 4, 0)"};
  const uint32_t at = datum(32 * p_.groups + 8), number = ++told_;
  local_line("local int told%u; local uint __attribute__((aligned(16))) block%u[16], back%u[4];",
             number, number, number);
  line("if (get_local_id(0) == 0) { told%u = 0; for (uint k = 0; k < 16; ++k) block%u[k] = k; }",
       number, number);
  barrier_of_group();
  line("{ local uint *b = block%u; event_t e; global uint *own = (global uint *)((ulong)(d + %u + "
       "32 * "
       "get_group_id(0)) & ~15ul);",
       number, at + 4);
  line("for (bool again = true; again;) { if (get_local_id(0) == 0) { b[3] = 8; told%u = %s; } "
       "barrier(CLK_LOCAL_MEM_FENCE); again = !told%u; %s; wait_group_events(1, &e); if "
       "(get_local_id(0) == 0) "
       "b[3] = b[5] = 5; barrier(CLK_LOCAL_MEM_FENCE); e = async_work_group_copy(back%u, own, 4, "
       "0); "
       "wait_group_events(1, &e); }",
       number, condition.c_str(), number, ways[below(3)], number);
  trap_is_here();
  line("sum += b[5]; }");
}

void Generator::copied_while_waiting() {
  const uint32_t at = counter();
  line("ADD(&c[%u], 1u);", at);
  copy_while_waiting(all_arrived(at));
  for (uint32_t i = 0; i < items(); ++i)
    sums_[i] += 5;
}

void Generator::global_barrier() {
  const uint32_t at = counter();
  switch (below(3)) {
  case 0:
    barrier_of_group();
    line("if (get_local_id(0) == 0) {");
    line("ADD(&c[%u], 1u);", at);
    line("while (LOAD(&c[%u]) < get_num_groups(0)) ;", at);
    line("}");
    barrier_of_group();
    break;
  case 1: // several times, with one counter
    line("for (uint n = 0; n < %uu; ++n) {", 1 + below(5));
    barrier_of_group();
    line("if (get_local_id(0) == 0) { ADD(&c[%u], 1u);", at);
    line("while (LOAD(&c[%u]) < (n + 1) * get_num_groups(0)) ; }", at);
    barrier_of_group();
    line("}");
    break;
  default:
    line("ADD(&c[%u], 1u);", at);
    line("while (LOAD(&c[%u]) < get_global_size(0)) ;", at);
    break;
  }
}

void Generator::pairs() { // each work-item waits for another one
  const uint32_t flags = counter(items()), values = datum(items());
  const uint32_t factor = 1 + below(50), offset = below(1000);
  line("d[%u + i] = hash(i, %uu);", values, phase_);
  line("STORE(&c[%u + i], 1u);", flags);
  line("{ uint other = (i * %uu + %uu) %% (uint)get_global_size(0);", factor, offset);
  wait_until_set(to_string(flags) + " + other");
  line("sum += d[%u + other]; }", values);
  for (uint32_t i = 0; i < items(); ++i)
    sums_[i] += value_of((i * factor + offset) % items(), phase_);
}

void Generator::chain() { // each waits for its predecessor in some order
  const uint32_t flags = counter(items() + 2), length = datum();
  line("{ uint at = %s + 1;", place_text(order()).c_str());
  line("if (at > 1)");
  wait_until_set(to_string(flags) + " + at - 1");
  line("d[%u] += at;", length);
  line("STORE(&c[%u + at], 1u); }", flags);
  const uint32_t n = items();
  p_.expected_data.push_back({length, n * (n + 1) / 2});
}

void Generator::time_out() { // the wait has a limit
  const uint32_t never = counter();
  begin_if(subset());
  line("for (uint tries = 0; tries < %uu && LOAD(&c[%u]) == 0; ++tries) ;", 1 + below(3000), never);
  line("}");
}

// ---- several addresses in an iteration

// Waits for one or for all of `count` counters. The work-items `setters` set the first ones.
void Generator::wait_for_several(uint32_t first, uint32_t count) {
  const unsigned a = first, b = first + 1, z = first + count - 1;
  switch (below(4)) {
  case 0:
    line("while (LOAD(&c[%u]) == 0 || LOAD(&c[%u]) == 0 || LOAD(&c[%u]) == 0) ;", a, b, z);
    break;
  case 1:
    line("while ((LOAD(&c[%u]) & LOAD(&c[%u]) & LOAD(&c[%u])) == 0) ;", a, b, z);
    break;
  case 2:
    line("for (;;) { if (LOAD(&c[%u]) && LOAD(&c[%u])) if (LOAD(&c[%u])) break; }", z, b, a);
    break;
  default:
    line("while (LOAD(&c[%u]) + LOAD(&c[%u]) * 2 + LOAD(&c[%u]) * 4 != 7) ;", b, a, z);
    break;
  }
}

void Generator::several_flags() {
  const uint32_t first = counter(3), value = datum();
  line("if (i == %u) { d[%u] = %u; STORE(&c[%u], 1u); }", below(items()), value, phase_, first);
  for (uint32_t at : {1, 2})
    line("if (i == %u) STORE(&c[%u], 1u);", below(items()), first + at);
  const Subset who = subset();
  begin_if(who);
  wait_for_several(first, 3);
  line("sum += d[%u];", value);
  line("}");
  for (uint32_t i = 0; i < items(); ++i)
    if (contains(who, i))
      sums_[i] += phase_;
}

void Generator::scan_of_flags() { // all work-items, in a loop within the loop
  const uint32_t n = std::min(items(), 1 + below(40)), flags = counter(n);
  line("if (i < %u) STORE(&c[%u + i], 1u);", n, flags);
  const Subset who = subset();
  begin_if(who);
  line(
      "for (uint set = 0; set != %u;) { set = 0; for (uint n = 0; n < %u; ++n) set += LOAD(&c[%u + "
      "n]); }",
      n, n, flags);
  line("sum += %u;", n);
  line("}");
  for (uint32_t i = 0; i < items(); ++i)
    if (contains(who, i))
      sums_[i] += n;
}

// The host sets its words while the kernel runs. The runtime cannot know whether the host will
// still write a word that the kernel polls, so it never reports a deadlock there.
void Generator::flags_and_host_memory() {
  if (wants_trap_)
    return several_flags();
  const uint32_t flag = counter(), word = host_word(), setter = below(items());
  const Subset who = subset();
  line("if (i == %u) STORE(&c[%u], 1u);", setter, flag);
  begin_if(who);
  switch (below(3)) {
  case 0:
    line("while (LOAD(&h[%u]) == 0 || LOAD(&c[%u]) == 0) ;", word, flag);
    break;
  case 1:
    line("while ((LOAD(&h[%u]) & LOAD(&c[%u])) == 0) ;", word, flag);
    break;
  default:
    line("while (LOAD(&h[%u]) == 0) ;", word);
    break;
  }
  line("sum += %u;", phase_);
  line("}");
  for (uint32_t i = 0; i < items(); ++i)
    if (contains(who, i))
      sums_[i] += phase_;
}

} // namespace torture
