#include "program.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <random>

namespace torture {
namespace {

constexpr const char *head = R"(
#define LOAD(p) atomic_load_explicit(p, memory_order_acquire, memory_scope_device)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_release, memory_scope_device)
#define ADD(p, v) atomic_fetch_add_explicit(p, v, memory_order_acq_rel, memory_scope_device)
#define SWAP(p, v) atomic_exchange_explicit(p, v, memory_order_acq_rel, memory_scope_device)

uint hash(uint x, uint y) {
  x = (x ^ y * 0x9e3779b9u) * 0x85ebca6bu;
  return (x ^ x >> 15) * 0xc2b2ae35u >> 7;
}
)";

uint32_t hash(uint32_t x, uint32_t y) { // the same as in the kernel
  x = (x ^ y * 0x9e3779b9u) * 0x85ebca6bu;
  return (x ^ x >> 15) * 0xc2b2ae35u >> 7;
}

class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed) { p_.seed = seed; }

  Program run() {
    p_.local = pick({1, 1, 2, 3, 8, 16, 17, 32, 64});
    p_.groups = 1 + below(std::max(1u, pick({4, 40, 400}) / (1 + p_.local / 16)));
    sums_.assign(items(), 0);
    const unsigned phases = below(3) == 0 ? 1 : 1 + below(6); // alone, some run in lanes
    const bool wants_trap = below(2) == 0;
    const unsigned trap_at = wants_trap ? below(phases) : phases;
    for (unsigned i = 0; i < phases; ++i) {
      ++phase_;
      if (i == trap_at)
        plant_trap();
      else
        add_phase();
    }
    finish();
    return std::move(p_);
  }

private:
  using Phase = void (Generator::*)();

  uint32_t items() const { return p_.items(); }
  uint32_t below(uint32_t limit) { return uint32_t(random_() % limit); }
  uint32_t pick(std::vector<uint32_t> of) { return of[below(uint32_t(of.size()))]; }
  uint32_t counter(uint32_t count = 1) {
    p_.counters += count;
    return p_.counters - count;
  }
  uint32_t datum(uint32_t count = 1) {
    p_.data += count;
    return p_.data - count;
  }

  __attribute__((format(printf, 2, 3))) void line(const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    body_ += std::string("  ") + text + "\n";
    ++lines_;
  }
  void trap_is_here() { trap_body_line_ = lines_; } // the line that was added last

  // Some of the work-items; at least one.
  struct Subset {
    uint32_t salt, modulus;
  };
  bool contains(Subset s, uint32_t item) const { return hash(item, s.salt) % s.modulus == 0; }
  Subset subset() {
    Subset s{};
    do
      s = {below(1u << 20), pick({1, 1, 2, 3, 7, 30})};
    while (count(s) == 0);
    return s;
  }
  uint32_t count(Subset s) const {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < items(); ++i)
      sum += contains(s, i);
    return sum;
  }
  void begin_if(Subset s) { line("if (hash(i, %uu) %% %uu == 0) {", s.salt, s.modulus); }

  // Ways to say "wait until counter `at` is not 0"
  void wait_until_set(const std::string &at) {
    const char *c = at.c_str();
    switch (below(5)) {
    case 0:
      line("while (LOAD(&c[%s]) == 0) ;", c);
      break;
    case 1:
      line("while (atomic_fetch_add_explicit(&c[%s], 0u, memory_order_acquire, "
           "memory_scope_device) == 0) ;",
           c);
      break;
    case 2:
      line("for (uint spins = 1; LOAD(&c[%s]) == 0; spins = min(spins * 2, 64u)) "
           "for (uint s = 0; s < spins; ++s) mem_fence(CLK_GLOBAL_MEM_FENCE);",
           c);
      break;
    case 3:
      line("while (*(volatile global uint *)&c[%s] == 0) ;", c);
      body_.pop_back();
      body_ += " atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, "
               "memory_scope_device);\n";
      break;
    default:
      line("do ; while (!LOAD(&c[%s]));", c);
      break;
    }
  }

  // ---- phases

  void barrier_of_group() { line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"); }

  void take(uint32_t lock) {
    switch (below(3)) {
    case 0:
      line("while (SWAP(&c[%u], 1u)) ;", lock);
      break;
    case 1:
      line("for (uint zero = 0; !atomic_compare_exchange_strong_explicit(&c[%u], &zero, 1u, "
           "memory_order_acquire, memory_order_relaxed, memory_scope_device); zero = 0) ;",
           lock);
      break;
    default:
      line("while (atomic_cmpxchg((volatile global uint *)&c[%u], 0u, 1u)) ;", lock);
      break;
    }
  }

  void lock() {
    const uint32_t lock = counter(), sum = datum(), add = 1 + below(9);
    const Subset who = subset();
    begin_if(who);
    take(lock);
    line("d[%u] += %uu;", sum, add);
    line("STORE(&c[%u], 0u);", lock);
    line("}");
    p_.expected_data.push_back({sum, count(who) * add});
  }

  void lock_in_loop() { // the winner's work stands inside the loop
    const uint32_t lock = counter(), sum = datum();
    const Subset who = subset();
    begin_if(who);
    line("for (bool done = false; !done;)");
    line("  if (SWAP(&c[%u], 1u) == 0) { d[%u] += 1; STORE(&c[%u], 0u); done = true; }", lock, sum,
         lock);
    line("}");
    p_.expected_data.push_back({sum, count(who)});
  }

  void lock_many_times() { // each its own number of times
    const uint32_t lock = counter(), sum = datum(), most = 1 + below(4);
    const uint32_t salt = below(1000);
    const bool is_uniform = below(2) == 0;
    if (is_uniform)
      line("for (uint n = 0; n < %uu; ++n) {", most);
    else
      line("for (uint n = 0; n < hash(i, %uu) %% %uu; ++n) {", salt, most);
    take(lock);
    line("if (d[%u] %% 3 != 1) d[%u] += 5; else d[%u] += 5;", sum, sum, sum);
    line("STORE(&c[%u], 0u);", lock);
    line("sum += n;");
    line("}");
    uint32_t takes = 0;
    for (uint32_t i = 0; i < items(); ++i) {
      const uint32_t times = is_uniform ? most : hash(i, salt) % most;
      takes += times;
      sums_[i] += times * (times - 1) / 2;
    }
    p_.expected_data.push_back({sum, takes * 5});
  }

  void swap_until_it_succeeds() { // a loop that waits for nobody
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

  void ticket_lock() {
    const uint32_t lock = counter(2), sum = datum();
    const Subset who = subset();
    begin_if(who);
    line("uint mine = ADD(&c[%u], 1u);", lock);
    line("while (LOAD(&c[%u]) != mine) ;", lock + 1);
    line("d[%u] += mine;", sum);
    line("STORE(&c[%u], mine + 1);", lock + 1);
    line("}");
    const uint32_t n = count(who);
    p_.expected_data.push_back({sum, n * (n - 1) / 2});
  }

  void flag() {
    const uint32_t flag = counter(), value = datum(), setter = below(items());
    const Subset who = subset();
    line("if (i == %u) { d[%u] = %uu; STORE(&c[%u], 1u); }", setter, value, phase_ * 1000, flag);
    begin_if(who);
    wait_until_set(std::to_string(flag));
    line("sum += d[%u];", value);
    line("}");
    for (uint32_t i = 0; i < items(); ++i)
      if (contains(who, i))
        sums_[i] += phase_ * 1000;
  }

  void global_barrier() {
    const uint32_t at = counter();
    const bool by_leaders = below(2) == 0;
    if (by_leaders) {
      barrier_of_group();
      line("if (get_local_id(0) == 0) {");
      line("ADD(&c[%u], 1u);", at);
      line("while (LOAD(&c[%u]) < get_num_groups(0)) ;", at);
      line("}");
      barrier_of_group();
    } else {
      line("ADD(&c[%u], 1u);", at);
      line("while (LOAD(&c[%u]) < get_global_size(0)) ;", at);
    }
  }

  void pairs() { // each waits for some other one
    const uint32_t flags = counter(items()), values = datum(items());
    const uint32_t factor = 1 + below(50), offset = below(1000);
    line("d[%u + i] = hash(i, %uu);", values, phase_);
    line("STORE(&c[%u + i], 1u);", flags);
    line("{ uint other = (i * %uu + %uu) %% (uint)get_global_size(0);", factor, offset);
    wait_until_set(std::to_string(flags) + " + other");
    line("sum += d[%u + other]; }", values);
    for (uint32_t i = 0; i < items(); ++i)
      sums_[i] += hash((i * factor + offset) % items(), phase_);
  }

  void chain() {
    const uint32_t flags = counter(items() + 2), length = datum();
    const bool is_backward = below(2) == 0;
    line("{ uint at = %s;", is_backward ? "(uint)get_global_size(0) - i" : "i + 1");
    line("if (at > 1)");
    wait_until_set(std::to_string(flags) + " + at - 1");
    line("d[%u] += at;", length);
    line("STORE(&c[%u + at], 1u); }", flags);
    const uint32_t n = items();
    p_.expected_data.push_back({length, n * (n + 1) / 2});
  }

  void turns_in_group() {
    locals_ += "  local atomic_uint turn" + std::to_string(phase_) + "; local uint last" +
               std::to_string(phase_) + ";\n";
    ++local_lines_;
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

  void time_out() { // gives up by itself
    const uint32_t never = counter();
    begin_if(subset());
    line("for (uint tries = 0; tries < %uu && LOAD(&c[%u]) == 0; ++tries) ;", 1 + below(3000),
         never);
    line("}");
  }

  void hand_shake() { // with the helper kernel, which is another launch
    const uint32_t asks = counter(), answers = counter(), value = datum(), who = below(items());
    line("if (i == %u) {", who);
    line("d[%u] = %uu;", value, phase_);
    line("STORE(&c[%u], 1u);", asks);
    wait_until_set(std::to_string(answers));
    line("sum += d[%u];", value);
    line("}");
    helper_ += "  while (LOAD(&c[" + std::to_string(asks) + "]) == 0) ;\n  d[" +
               std::to_string(value) + "] *= 2;\n  STORE(&c[" + std::to_string(answers) +
               "], 1u);\n";
    p_.has_helper = true;
    sums_[who] += 2 * phase_;
  }

  void add_phase() {
    static constexpr Phase phases[] = {&Generator::barrier_of_group,
                                       &Generator::lock,
                                       &Generator::lock_in_loop,
                                       &Generator::lock_many_times,
                                       &Generator::swap_until_it_succeeds,
                                       &Generator::ticket_lock,
                                       &Generator::flag,
                                       &Generator::global_barrier,
                                       &Generator::pairs,
                                       &Generator::chain,
                                       &Generator::turns_in_group,
                                       &Generator::time_out,
                                       &Generator::hand_shake};
    (this->*phases[below(std::size(phases))])();
  }

  // ---- traps

  void flag_that_nobody_sets() {
    const uint32_t flag = counter();
    begin_if(subset());
    wait_until_set(std::to_string(flag));
    trap_is_here();
    line("}");
  }

  void lock_that_nobody_returns() {
    const uint32_t lock = counter();
    line("if (i == %u) {", below(items()));
    take(lock);
    line("}");
    // Then everybody wants it, also the one that has it.
    take(lock);
    trap_is_here();
    line("STORE(&c[%u], 0u);", lock);
  }

  void ring_of_flags() {
    const uint32_t flags = counter(items());
    wait_until_set(std::to_string(flags) + " + (i + 1) % (uint)get_global_size(0)");
    trap_is_here();
    line("STORE(&c[%u + i], 1u);", flags);
  }

  void two_locks_in_opposite_order() {
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

  void wait_beside_a_barrier() { // for what is done behind it
    const uint32_t flag = counter(), who = below(items());
    line("if (i == %u)", who);
    wait_until_set(std::to_string(flag));
    trap_is_here();
    barrier_of_group();
    line("if (i == %u) STORE(&c[%u], 1u);", who / p_.local * p_.local, flag);
  }

  void barrier_without_one_group() {
    const uint32_t at = counter();
    line("if (get_group_id(0) != %u) ADD(&c[%u], 1u);", below(p_.groups), at);
    line("while (LOAD(&c[%u]) < get_global_size(0)) ;", at);
    trap_is_here();
  }

  void plant_trap() {
    struct Trap {
      Phase make;
      const char *name;
    };
    static constexpr Trap traps[] = {
        {&Generator::flag_that_nobody_sets, "a flag that nobody sets"},
        {&Generator::lock_that_nobody_returns, "a lock that nobody returns"},
        {&Generator::ring_of_flags, "a ring of flags"},
        {&Generator::two_locks_in_opposite_order, "two locks in opposite order"},
        {&Generator::wait_beside_a_barrier, "a wait beside a barrier"},
        {&Generator::barrier_without_one_group, "a barrier without one group"}};
    const Trap &trap = traps[below(std::size(traps))];
    (this->*trap.make)();
    p_.is_dead = true;
    p_.trap = trap.name;
  }

  void finish() {
    std::string before = std::string(head) +
                         "kernel void torture(global atomic_uint *c, global uint *d, global uint "
                         "*sums) {\n  const uint i = get_global_id(0);\n  uint sum = 0;\n" +
                         locals_;
    const auto head_lines = unsigned(std::count(before.begin(), before.end(), '\n'));
    p_.trap_line = p_.is_dead ? head_lines + trap_body_line_ : 0;
    p_.source = before + body_ + "  sums[i] = sum;\n}\n" +
                "kernel void helper(global atomic_uint *c, global uint *d) {\n" + helper_ + "}\n";
    p_.counters = std::max(p_.counters, 1u);
    p_.data = std::max(p_.data, 1u);
    p_.expected_sums = std::move(sums_);
  }

  Program p_;
  std::mt19937_64 random_;
  std::vector<uint32_t> sums_;
  std::string body_, locals_, helper_;
  unsigned lines_ = 0, local_lines_ = 0, trap_body_line_ = 0;
  uint32_t phase_ = 0;
};

} // namespace

Program generate(uint64_t seed) {
  return Generator(seed).run();
}

} // namespace torture
