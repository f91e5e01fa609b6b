// Phases with waits that resemble something else: a counted loop, a copy, the bookkeeping of a
// queue lock, a loop around a collective.
#include "generator.h"

#include <cstdio>
#include <iterator>

namespace torture {

using std::to_string;

// Copies a structure and tests the copy.
void Generator::poll_structure(uint32_t at, uint32_t words) {
  line("struct record { uint of[%u], flag; }; struct record t;", words);
  line("do { t = *(volatile global struct record *)(d + %u); } while (t.flag == 0);", at);
  trap_is_here();
}

void Generator::volatile_structure() {
  const uint32_t words = pick({1, 3, 20}), at = datum(words + 1), value = datum();
  const Subset who = subset();
  line("if (i == %u) { d[%u] = %uu; FENCE; d[%u] = 1; FENCE; }", below(items()), value, phase_,
       at + words);
  begin_if(who);
  poll_structure(at, words);
  line("FENCE; sum += d[%u]; }", value);
  for (uint32_t i = 0; i < items(); ++i)
    if (contains(who, i))
      sums_[i] += phase_;
}

void Generator::structure_that_nobody_sets() {
  const uint32_t words = pick({1, 3, 20}), at = datum(words + 1);
  begin_if(subset());
  poll_structure(at, words);
  line("}");
}

// Each work-item counts, but its loop cannot end before another one has left. It reads under a lock
// and then moves its bound, or the counter wraps first. A counting work-item makes progress, so
// there is no deadlock report while one counts.
void Generator::watchdog() {
  if (wants_trap_)
    return volatile_structure();
  static constexpr const char *ways[] = {
      "uint end = 10; for (uint n = 0; n < end; ++n) { %s end = %s ? 0 : n + 10; %s }",
      "uint end = 2; for (uint n = 0; n < end; ++n) { %s if (!%s) end += 1; %s }",
      "uint end = ~0u; for (uint n = 0; n <= end; n += 2) { %s end = %s ? 0 : ~0u; %s }",
      "uint end = 70000; for (ushort n = 0; n < end; ++n) { %s end = %s ? 0 : 70000; %s }",
      "for (uchar n = 0; n < 1000u + i / 2; ++n) { uint s; %s s = %s; %s if (s) break; }",
      "for (ulong n = 0; n < ~0ul - i; ++n) { uint s; %s s = %s; %s if (s) break; }"};
  const Lock lock = make_lock_to_look_under();
  const uint32_t gone = datum();
  const std::string in = take(lock), out = give(lock), is_gone = "d[" + to_string(gone) + "]";
  line("if (i == %u) { %s d[%u] = 1; %s }", below(items()), in.c_str(), gone, out.c_str());
  begin_if(subset());
  char loop[1024];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  std::snprintf(loop, sizeof loop, ways[below(std::size(ways))], in.c_str(), is_gone.c_str(),
                out.c_str());
#pragma GCC diagnostic pop
  line("{ %s }", loop);
  line("}");
  p_.expected_data.push_back({gone, 1});
}

// A queue lock (Craig, Landin, Hagersten): each waits for its predecessor's node, twice.
void Generator::queue_up(const Subset &who, uint32_t keeps) {
  const uint32_t tail = counter(), nodes = counter(2 * items()), sum = datum();
  begin_if(who);
  line("for (uint n = 0; n < 2; ++n) { uint me = i * 2 + n, before; STORE(&c[%u + me], 1u); before "
       "= SWAP(&c[%u], me + 1); while (before && LOAD(&c[%u + before - 1])) ; d[%u] += 1; if (i != "
       "%uu) STORE(&c[%u + me], 0u); }",
       nodes, tail, nodes, sum, keeps, nodes);
  trap_is_here();
  line("}");
  p_.expected_data.push_back({sum, 2 * count(who)});
}

void Generator::queue_lock() {
  queue_up(subset(), items());
}

void Generator::queue_that_is_held_up() {
  queue_up({0, 1}, below(items()));
}

// One work-item of each group takes two locks, in an order that depends on the group. If the second
// one is taken, it releases the first one.
void Generator::take_both_or_none(uint32_t locks) {
  const uint32_t sum = datum(), who = below(p_.local), number = ++told_;
  line("bool got%u = false; const uint first%u = get_group_id(0) & 1;", number, number);
  line(
      "while (!work_group_any(got%u)) { if (get_local_id(0) == %u && SWAP(&c[%u + first%u], 1u) == "
      "0) { if (SWAP(&c[%u + 1 - first%u], 1u) == 0) got%u = true; else STORE(&c[%u + first%u], "
      "0u); } }",
      number, who, locks, number, locks, number, number, locks, number);
  trap_is_here();
  line("if (get_local_id(0) == %u) { d[%u] += 1; STORE(&c[%u], 0u); STORE(&c[%u], 0u); }", who, sum,
       locks, locks + 1);
  p_.expected_data.push_back({sum, p_.groups});
}

void Generator::try_and_undo() {
  take_both_or_none(counter(2));
}

void Generator::undone_in_vain() {
  const uint32_t locks = counter(2);
  line("if (i == %u) STORE(&c[%u], 1u);", below(items()), locks + below(2));
  barrier_of_group();
  // That work-item's group may run first or last: every group waits until one lock is taken.
  line("if (get_local_id(0) == 0) while (LOAD(&c[%u]) == 0 && LOAD(&c[%u]) == 0) ;", locks,
       locks + 1);
  barrier_of_group();
  take_both_or_none(locks);
}

} // namespace torture
