// Phases with locks of all kinds: taken once, many times, nested, held while the owner waits;
// conditions that are read under a lock.
#include "generator.h"

namespace torture {

using std::to_string;

// ---- kinds of locks

namespace {
enum { by_exchange, by_swap, by_old_swap, after_a_look, by_ticket, by_undo, kinds_of_locks };
}

Generator::Lock Generator::make_lock() {
  const uint32_t kind = below(kinds_of_locks);
  return {kind, counter(2)};
}

// Returns a lock for loops that take it until a condition holds. In a trap it is not a ticket lock:
// tickets increase forever, so memory keeps changing and deadlock detection cannot decide.
Generator::Lock Generator::make_lock_to_look_under() {
  Lock lock = make_lock();
  if (wants_trap_ && lock.kind == by_ticket)
    lock.kind = after_a_look;
  return lock;
}

// Returns the statement that takes the lock; `t` is a variable of its own block.
std::string Generator::take(const Lock &lock) {
  const std::string at = "&c[" + to_string(lock.at) + "]",
                    next = "&c[" + to_string(lock.at + 1) + "]";
  switch (lock.kind) {
  case by_exchange:
    return "while (SWAP(" + at + ", 1u)) ;";
  case by_swap:
    return "while (!cas(" + at + ", 0u, 1u)) ;";
  case by_old_swap:
    return "while (atomic_cmpxchg(OLD(" + at + "), 0, 1)) ; FENCE;";
  case after_a_look:
    return "for (;;) { while (LOAD(" + at + ")) ; if (cas(" + at + ", 0u, 1u)) break; }";
  case by_ticket:
    return "{ uint t = ADD(" + at + ", 1u); while (LOAD(" + next + ") != t) ; }";
  default:
    return "while (atomic_inc(OLD(" + at + ")) != 0) atomic_dec(OLD(" + at + ")); FENCE;";
  }
}

std::string Generator::give(const Lock &lock) {
  const std::string at = "&c[" + to_string(lock.at) + "]",
                    next = "&c[" + to_string(lock.at + 1) + "]";
  switch (lock.kind) {
  case by_old_swap:
    return "FENCE; atomic_xchg(OLD(" + at + "), 0);";
  case by_ticket:
    return "STORE(" + next + ", LOAD(" + next + ") + 1u);";
  case by_undo:
    return "FENCE; atomic_dec(OLD(" + at + "));";
  default:
    return "STORE(" + at + ", 0u);";
  }
}

// ---- what the locks protect

void Generator::lock() {
  const Lock lock = make_lock();
  const uint32_t sum = datum(), add = 1 + below(9);
  const Subset who = subset();
  begin_if(who);
  line("%s", take(lock).c_str());
  line("d[%u] += %uu;", sum, add);
  line("%s", give(lock).c_str());
  line("}");
  p_.expected_data.push_back({sum, count(who) * add});
}

void Generator::lock_in_loop() { // the winner's work is inside the loop
  const uint32_t lock = counter(), sum = datum();
  const Subset who = subset();
  begin_if(who);
  line("for (bool done = false; !done;)");
  line("  if (SWAP(&c[%u], 1u) == 0) { d[%u] += 1; STORE(&c[%u], 0u); done = true; }", lock, sum,
       lock);
  line("}");
  p_.expected_data.push_back({sum, count(who)});
}

void Generator::lock_many_times() { // each work-item its own number of times
  const Lock lock = make_lock();
  const uint32_t sum = datum(), most = 1 + below(4), salt = below(1000);
  const bool is_uniform = below(2) == 0;
  if (is_uniform)
    line("for (uint n = 0; n < %uu; ++n) {", most);
  else
    line("for (uint n = 0; n < hash(i, %uu) %% %uu; ++n) {", salt, most);
  line("%s", take(lock).c_str());
  line("if (d[%u] %% 3 != 1) d[%u] += 5; else d[%u] += 5;", sum, sum, sum);
  line("%s", give(lock).c_str());
  line("sum += n;");
  line("}");
  uint32_t takes = 0;
  for (uint32_t i = 0; i < items(); ++i) {
    const uint32_t times = is_uniform ? most : value_of(i, salt) % most;
    takes += times;
    sums_[i] += times * (times - 1) / 2;
  }
  p_.expected_data.push_back({sum, takes * 5});
}

void Generator::lock_nested() { // always taken in the same order, released in any
  const Lock outer = make_lock(), inner = make_lock();
  const uint32_t sum = datum(2);
  const bool is_crossed = below(2) == 0;
  const Subset who = subset(), other = subset();
  begin_if(who);
  line("%s", take(outer).c_str());
  line("d[%u] += 1;", sum);
  begin_if(other);
  line("%s", take(inner).c_str());
  line("d[%u] += 1;", sum + 1);
  if (is_crossed) {
    line("}");
    line("%s", give(outer).c_str());
    begin_if(other);
    line("%s", give(inner).c_str());
    line("}");
  } else {
    line("%s", give(inner).c_str());
    line("}");
    line("%s", give(outer).c_str());
  }
  line("}");
  uint32_t both = 0;
  for (uint32_t i = 0; i < items(); ++i)
    both += contains(who, i) && contains(other, i);
  p_.expected_data.push_back({sum, count(who)});
  p_.expected_data.push_back({sum + 1, both});
}

void Generator::lock_held_across_wait() { // for a work-item that does not need the lock
  const Lock lock = make_lock();
  const uint32_t flag = counter(), sum = datum(), setter = below(items());
  const Subset who = subset();
  line("if (i == %u) STORE(&c[%u], 1u);", setter, flag);
  begin_if(who);
  line("%s", take(lock).c_str());
  wait_until_set(to_string(flag));
  line("d[%u] += 1;", sum);
  line("%s", give(lock).c_str());
  line("}");
  p_.expected_data.push_back({sum, count(who)});
}

void Generator::swap_until_it_succeeds() { // a loop that waits for no other work-item
  const uint32_t at = datum(), factor = 3 + 2 * below(50);
  const Subset who = subset();
  begin_if(who);
  if (below(2) == 0) {
    line("global atomic_uint *p = (global atomic_uint *)&d[%u]; uint old = LOAD(p);", at);
    line("while (!atomic_compare_exchange_%s_explicit(p, &old, old * %uu + 1u, "
         "memory_order_acq_rel, memory_order_relaxed, memory_scope_device)) ;",
         below(2) == 0 ? "weak" : "strong", factor);
  } else {
    line("for (volatile global uint *p = &d[%u];;) { uint old = *p;", at);
    line("if (atomic_cmpxchg(p, old, old * %uu + 1u) == old) break; }", factor);
  }
  line("}");
  uint32_t value = 0;
  for (uint32_t n = count(who); n != 0; --n)
    value = value * factor + 1;
  p_.expected_data.push_back({at, value});
}

// ---- conditions

// Each work-item of a subset counts under the lock and waits until all have counted.
void Generator::count_and_wait(bool is_monitor, uint32_t missing) {
  const Lock lock = make_lock_to_look_under();
  const uint32_t number = datum();
  const Subset who = subset();
  const std::string in = take(lock), out = give(lock);
  const uint32_t all = count(who) + missing;
  begin_if(who);
  line("%s", in.c_str());
  line("d[%u] += 1;", number);
  if (is_monitor) {
    line("while (d[%u] < %uu) { %s %s }", number, all, out.c_str(), in.c_str());
    trap_is_here();
    line("sum += d[%u];", number);
    line("%s", out.c_str());
  } else {
    line("%s", out.c_str());
    line("{ uint s; do { %s s = d[%u]; %s } while (s < %uu); sum += s; }", in.c_str(), number,
         out.c_str(), all);
    trap_is_here();
  }
  line("}");
  p_.expected_data.push_back({number, count(who)});
  for (uint32_t i = 0; i < items(); ++i)
    if (contains(who, i))
      sums_[i] += all;
}

// One work-item of each group counts and waits; the others wait at a barrier.
void Generator::leaders_count_and_wait(uint32_t missing) {
  const Lock lock = make_lock_to_look_under();
  const uint32_t number = datum(), all = p_.groups + missing;
  const std::string in = take(lock), out = give(lock);
  line("if (get_local_id(0) == %u) {", below(p_.local));
  line("%s d[%u] += 1;", in.c_str(), number);
  if (below(2) == 0)
    line("while (d[%u] < %uu) { %s %s } %s", number, all, out.c_str(), in.c_str(), out.c_str());
  else
    line("%s for (uint s = 0; s < %uu;) { %s s = d[%u]; %s }", out.c_str(), all, in.c_str(), number,
         out.c_str());
  trap_is_here();
  line("}");
  barrier_of_group();
  line("sum += d[%u];", number);
  p_.expected_data.push_back({number, p_.groups});
  for (uint32_t &sum : sums_)
    sum += p_.groups;
}

void Generator::leaders_look_under_lock() {
  leaders_count_and_wait(0);
}

void Generator::condition_under_lock() {
  count_and_wait(/*is_monitor=*/false, 0);
}

void Generator::monitor() {
  count_and_wait(/*is_monitor=*/true, 0);
}

// Each work-item enters when its turn comes, in some order.
void Generator::go_in_by_turns(uint32_t first) {
  const Lock lock = make_lock_to_look_under();
  const uint32_t turn = datum(), trace = datum();
  const std::string in = take(lock), out = give(lock), place = place_text(order());
  line("{ const uint turn = %s + %uu;", place.c_str(), first);
  switch (below(3)) {
  case 0:
    line("%s while (d[%u] != turn) { %s %s }", in.c_str(), turn, out.c_str(), in.c_str());
    break;
  case 1:
    line("for (;;) { %s if (d[%u] == turn) break; %s }", in.c_str(), turn, out.c_str());
    break;
  default:
    line("for (bool done = false;;) { %s done = d[%u] == turn; if (done) break; %s }", in.c_str(),
         turn, out.c_str());
    break;
  }
  trap_is_here();
  line("d[%u] = turn + 1; d[%u] = d[%u] * 3 + turn;", turn, trace, trace);
  line("%s }", out.c_str());
  uint32_t value = 0;
  for (uint32_t n = 0; n < items(); ++n)
    value = value * 3 + n;
  p_.expected_data.push_back({turn, items()});
  p_.expected_data.push_back({trace, value});
}

void Generator::monitor_in_order() {
  go_in_by_turns(0);
}

// ---- semaphores

std::string Generator::take_permit(uint32_t at) {
  const std::string c = "&c[" + to_string(at) + "]";
  switch (below(3)) {
  case 0:
    return "while (atomic_dec(OLD(" + c + ")) <= 0) atomic_inc(OLD(" + c + "));";
  case 1:
    return "for (;;) { uint free = LOAD(" + c + "); if (free != 0 && cas(" + c +
           ", free, free - 1)) break; }";
  default:
    return "for (bool done = false; !done;) { uint free = LOAD(" + c +
           "); if (free != 0) done = cas(" + c + ", free, free - 1); }";
  }
}

void Generator::semaphore() {
  const uint32_t free = counter(), sum = datum(), setter = below(items());
  const Subset who = subset();
  line("if (i == %u) ADD(&c[%u], %uu);", setter, free, 1 + below(3));
  begin_if(who);
  line("%s", take_permit(free).c_str());
  line("atomic_inc(&d[%u]);", sum);
  line("ADD(&c[%u], 1u);", free);
  line("}");
  p_.expected_data.push_back({sum, count(who)});
}

} // namespace torture
