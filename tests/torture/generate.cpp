#include "generator.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <numeric>

namespace torture {
namespace {

constexpr const char *head = R"(
#define LOAD(p) atomic_load_explicit(p, memory_order_acquire, memory_scope_device)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_release, memory_scope_device)
#define ADD(p, v) atomic_fetch_add_explicit(p, v, memory_order_acq_rel, memory_scope_device)
#define SWAP(p, v) atomic_exchange_explicit(p, v, memory_order_acq_rel, memory_scope_device)
#define OLD(p) ((volatile global int *)(p))
#define FENCE mem_fence(CLK_GLOBAL_MEM_FENCE)

#define cas(p, from, to) \
  ({ uint old = from; \
     atomic_compare_exchange_strong_explicit(p, &old, to, memory_order_acq_rel, \
                                             memory_order_relaxed, memory_scope_device); })
uint hash(uint x, uint y) {
  x = (x ^ y * 0x9e3779b9u) * 0x85ebca6bu;
  return (x ^ x >> 15) * 0xc2b2ae35u >> 7;
}

// What a round of a loop that waits leaves as it was, in the end: many stores, and a function's.
#define W1(k) ((volatile global uint *)own)[(k) % 40] = (k) ^ i;
#define W5(k) W1(k) W1(k + 1) W1(k + 2) W1(k + 3) W1(k + 4)
#define W25(k) W5(k) W5(k + 5) W5(k + 10) W5(k + 15) W5(k + 20)
#define W300 W25(0) W25(25) W25(50) W25(75) W25(100) W25(125) W25(150) W25(175) W25(200) W25(225) \
             W25(250) W25(275)
#define RELAXED memory_order_relaxed, memory_scope_device

void sum_up(global uint *own, uint *scratch, uint i) {
  for (uint k = 0; k < 8; ++k)
    scratch[k] = i;
  for (uint k = 0; k < 40; ++k)
    own[k] = 0;
  for (uint k = 0; k < 79; ++k) {
    scratch[k * 5 % 8] += k;
    own[k % 40] += scratch[k % 8];
  }
}
)";

uint32_t hash(uint32_t x, uint32_t y) { // same as in the kernel
  x = (x ^ y * 0x9e3779b9u) * 0x85ebca6bu;
  return (x ^ x >> 15) * 0xc2b2ae35u >> 7;
}

std::string text_of(const char *format, va_list arguments) {
  char text[1024];
  std::vsnprintf(text, sizeof text, format, arguments);
  return std::string("  ") + text + "\n";
}

} // namespace

Program Generator::run() {
  p_.local = pick({1, 1, 2, 3, 8, 16, 17, 32, 64});
  p_.groups = 1 + below(std::max(1U, pick({4, 40, 400}) / (1 + p_.local / 16)));
  p_.main_is_last = below(2) == 0;
  sums_.assign(items(), 0);
  const unsigned phases = below(3) == 0 ? 1 : 1 + below(6); // a lone phase may run in lanes
  wants_trap_ = below(2) == 0;
  const unsigned trap_at = wants_trap_ ? below(phases) : phases;
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

uint32_t Generator::counter(uint32_t count) {
  p_.counters += count;
  return p_.counters - count;
}

uint32_t Generator::datum(uint32_t count) {
  p_.data += count;
  return p_.data - count;
}

uint32_t Generator::host_word() {
  return p_.host_words++;
}

void Generator::line(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  body_ += text_of(format, arguments);
  va_end(arguments);
  ++lines_;
}

void Generator::local_line(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  locals_ += text_of(format, arguments);
  va_end(arguments);
}

// ---- work-items

uint32_t Generator::value_of(uint32_t item, uint32_t salt) {
  return hash(item, salt);
}

bool Generator::contains(Subset s, uint32_t item) const {
  return hash(item, s.salt) % s.modulus == 0;
}

Generator::Subset Generator::subset() {
  Subset s{};
  do
    s = {below(1U << 20), pick({1, 1, 2, 3, 7, 30})};
  while (count(s) == 0);
  return s;
}

uint32_t Generator::count(Subset s) const {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < items(); ++i)
    sum += contains(s, i);
  return sum;
}

void Generator::begin_if(Subset s) {
  line("if (hash(i, %uu) %% %uu == 0) {", s.salt, s.modulus);
}

Generator::Order Generator::order() {
  const uint32_t n = items();
  switch (below(3)) {
  case 0:
    return {1, 0};
  case 1:
    return {n - 1, n - 1}; // from the last to the first
  default:
    for (;;)
      if (const uint32_t factor = 1 + below(n); std::gcd(factor, n) == 1)
        return {factor, below(n)};
  }
}

std::string Generator::place_text(Order order) const {
  return "(uint)(((ulong)i * " + std::to_string(order.factor) + "u + " +
         std::to_string(order.offset) + "u) % " + std::to_string(items()) + "u)";
}

void Generator::wait_until_set(const std::string &at) {
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
         "for (uint s = 0; s < spins; ++s) FENCE;",
         c);
    break;
  case 3:
    line("while (*(volatile global uint *)&c[%s] == 0) ; atomic_work_item_fence("
         "CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);",
         c);
    break;
  default:
    line("do ; while (!LOAD(&c[%s]));", c);
    break;
  }
}

void Generator::barrier_of_group() {
  line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
}

// ---- phases

const std::vector<Generator::Named> &Generator::phases() {
  static const std::vector<Named> list = {
      {"a barrier", &Generator::barrier_of_group},
      {"a lock", &Generator::lock},
      {"a lock in a loop", &Generator::lock_in_loop},
      {"a lock taken many times", &Generator::lock_many_times},
      {"nested locks", &Generator::lock_nested},
      {"a lock held across a wait", &Generator::lock_held_across_wait},
      {"compare and swap", &Generator::swap_until_it_succeeds},
      {"a condition under a lock", &Generator::condition_under_lock},
      {"a monitor", &Generator::monitor},
      {"a monitor in order", &Generator::monitor_in_order},
      {"leaders look under a lock", &Generator::leaders_look_under_lock},
      {"a semaphore", &Generator::semaphore},
      {"a flag", &Generator::flag},
      {"a plain flag", &Generator::plain_flag},
      {"written while waiting", &Generator::written_while_waiting},
      {"copied while waiting", &Generator::copied_while_waiting},
      {"a barrier of all", &Generator::global_barrier},
      {"pairs", &Generator::pairs},
      {"a chain", &Generator::chain},
      {"a time-out", &Generator::time_out},
      {"several flags", &Generator::several_flags},
      {"a scan of flags", &Generator::scan_of_flags},
      {"flags and host memory", &Generator::flags_and_host_memory},
      {"turns in a group", &Generator::turns_in_group},
      {"told by local memory", &Generator::told_by_local_memory},
      {"told by a collective", &Generator::told_by_collective},
      {"told by a sub-group", &Generator::told_by_sub_group},
      {"a hand shake", &Generator::hand_shake},
      {"a relay", &Generator::relay},
      {"a helper behind a lock", &Generator::helper_behind_lock},
      {"a volatile structure", &Generator::volatile_structure},
      {"a watchdog", &Generator::watchdog},
      {"a queue lock", &Generator::queue_lock},
      {"try and undo", &Generator::try_and_undo}};
  return list;
}

void Generator::add_phase() {
  for (const Named &phase : phases())
    if (phase.name == only_)
      return (this->*phase.make)();
  (this->*phases()[below(uint32_t(phases().size()))].make)();
}

void Generator::plant_trap() {
  const Named *chosen = &traps()[below(uint32_t(traps().size()))];
  for (const Named &trap : traps())
    if (trap.name == only_)
      chosen = &trap;
  (this->*chosen->make)();
  planted_line_ = trap_body_line_;
  p_.is_dead = true;
  p_.trap = chosen->name;
}

std::string Generator::kinds() {
  std::string text;
  for (const auto *list : {&phases(), &traps()})
    for (const Named &kind : *list)
      text += std::string(kind.name) + "\n";
  return text;
}

void Generator::finish() {
  const std::string before =
      std::string(head) +
      "kernel void torture(global atomic_uint *c, global uint *d, global uint *sums,\n"
      "                    global atomic_uint *h) {\n"
      "  const uint i = get_global_id(0);\n  uint sum = 0;\n" +
      locals_;
  const auto head_lines = unsigned(std::count(before.begin(), before.end(), '\n'));
  p_.trap_line = p_.is_dead ? head_lines + planted_line_ : 0;
  p_.source = before + body_ + "  sums[i] = sum;\n}\n" +
              "kernel void helper(global atomic_uint *c, global uint *d) {\n" + helper_ + "}\n" +
              "kernel void relay(global atomic_uint *c, uint at) {\n"
              "  while (LOAD(&c[at]) == 0) ;\n  STORE(&c[at + 1], 1u);\n}\n";
  p_.counters = std::max(p_.counters, 1U);
  p_.data = std::max(p_.data, 1U);
  p_.expected_sums = std::move(sums_);
}

Program generate(uint64_t seed, const std::string &only) {
  return Generator(seed, only).run();
}

std::string kinds() {
  return Generator::kinds();
}

} // namespace torture
