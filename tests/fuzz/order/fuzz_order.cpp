// Random work-items that access memory, atomics, fences, barriers of all kinds, and async copies with and without their waits,
// told to the checker as machine code tells it, and to an oracle: both must call the same access the first race of a run.
//
//   fuzz_order [--lane-by-lane] [--seed N] [--count N | --seconds N] [--show]
//
// `--lane-by-lane`: as on CPUs without AVX-512.
// Most accesses are chosen so that they are ordered (the oracle is asked), so that runs get long; the others are what a
// mistake would do.
#include "oracle.h"
#include "runs.h"
#include "runtime/check/launch_check.h"
#include "runtime/check/quick_check.h"

#include "compiler/compile.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string_view>

namespace lockstep::fuzz {

namespace {

using compiler::AccessKind;
using compiler::CheckOrder;
using compiler::CheckScope;
using compiler::CheckSite;
using compiler::GroupInfo;
using compiler::Intervals;
using compiler::LaunchInfo;

constexpr unsigned words = 6;

struct alignas(4096) Memories {
  uint32_t global[words];
  alignas(128) uint32_t local[groups][32];
  alignas(4096) uint32_t rows[words]; // of global memory, where a page is to have nothing else
};
Memories memories;

class Run {
public:
  Run(uint64_t seed, bool shows) : random_(seed), shows_(shows), check_(kernel_, launch_) {
    std::memset(&memories, 0, sizeof memories);
    synchronises_ = pick(3) != 0;
    has_sub_group_barriers_ = pick(3) == 0;
    has_narrow_ = pick(2);
    has_narrower_ = has_narrow_ && pick(2);
    has_copies_ = pick(2);
    has_fences_ = synchronises_ && pick(3) != 0;
    has_weak_stores_ = pick(2);
    if (pick(4) == 0) {
      has_lock_ = synchronises_ = true;
      has_narrow_ = has_narrower_ = has_fences_ = false;
      words_ = words - 1;
      has_weak_stores_ = false;
      lock_order_ = pick(2)   ? CheckOrder::seq_cst
                    : pick(2) ? CheckOrder::acq_rel
                              : CheckOrder::acquire;
      only_takes_ = pick(2);
      has_local_memory_ = pick(2);
      has_copies_ &= has_local_memory_;
      check_.set_local_memory(has_local_memory_);
    }
    reads_one_word_ = pick(4) == 0;
    has_neighbours_ = pick(3) == 0;
    has_rows_ = synchronises_ && pick(3) == 0;
    if (has_rows_ && pick(8)) // these make words of them
      has_copies_ = has_sub_group_barriers_ = false;
    runtime::remember_rows_from(has_rows_ ? 1 : sub_group_size);
    carelessness_ = pick(4) ? 2 : 30;
    steps_ = pick(8) ? 150 : 900; // so many that a group gets stamps several times
    launch_.check = &check_;
    check_.set_sub_group_size(sub_group_size);
    check_.set_alone(seed & 1);
    for (unsigned group = 0; group != groups; ++group)
      infos_[group] = {{group, 0, 0}, {group_size, 1, 1}, memories.local[group]};
  }
  // False: they differ.
  bool go() {
    for (unsigned step = 0; step != steps_; ++step)
      if (auto agree = take_step())
        return *agree;
    return true;
  }
  bool has_race() const { return has_race_; }

private:
  struct Accesses { // of some lanes of one sub-group
    unsigned group = 0, first = 0;
    uint64_t lanes = 0;
    Memory memory = global_memory;
    bool is_uniform = false;
    unsigned word = 0, part = 0, size = 4; // of lane 0, if all have the same
    AccessKind kind = AccessKind::read;
    CheckScope scope = CheckScope::device;
    CheckOrder order = CheckOrder::relaxed;
  };

  uint64_t pick(uint64_t count) { return random_() % count; }
  uint64_t lanes() { return pick(3) ? uint64_t(1) << pick(sub_group_size) : 1 + pick(15); }
  CheckOrder order() { return CheckOrder(pick(5)); }
  CheckScope scope() {
    if (!has_narrow_ || pick(3) != 0)
      return CheckScope::device;
    return !has_narrower_ || pick(2) ? CheckScope::work_group
           : pick(4)                 ? CheckScope::sub_group
                                     : CheckScope::work_item;
  }
  uintptr_t word(unsigned group, Memory memory, unsigned index) const {
    return reinterpret_cast<uintptr_t>(memory == local_memory ? &memories.local[group][index]
                                       : has_rows_            ? &memories.rows[index]
                                                              : &memories.global[index]);
  }
  unsigned how() const {
    return has_narrower_                  ? CheckSite::by_sub_group_atomics
           : synchronises_ && has_narrow_ ? CheckSite::by_narrow_atomics
           : synchronises_                ? CheckSite::by_atomics
           : has_sub_group_barriers_      ? CheckSite::by_sub_group_barriers
                                          : CheckSite::by_nothing_else;
  }
  CheckSite &site_of(const Accesses &accesses);
  CheckSite &new_site();
  std::optional<bool> take_step();
  std::optional<bool> go_on_with_neighbours();
  std::optional<bool> access();
  std::optional<bool> access_as(Accesses a, bool is_scattered);
  std::optional<bool> update();
  std::optional<bool> update(const Accesses &a);
  std::optional<bool> go_on_with_lock();
  std::optional<bool> copy();
  void meet();
  void tell_of_wait(unsigned group);
  void fence();
  void show(const Accesses &accesses, const char *what) const;
  std::optional<bool> compare(const Accesses &accesses, bool is_race, uint64_t told_before);

  std::mt19937_64 random_;
  bool shows_, synchronises_ = false, has_sub_group_barriers_ = false, has_narrow_ = false,
               has_weak_stores_ = false, has_narrower_ = false, has_copies_ = false,
               has_fences_ = false;
  bool has_race_ = false;
  bool reads_one_word_ = false; // mostly, so that there is much to remember of it
  // Now and then a group writes a row, and after a barrier its work-items read what others of it have written.
  bool has_neighbours_ = false;
  // The last word of global memory is one: now and then a work-item takes it, changes another word, and gives it back.
  bool has_lock_ = false, only_takes_ = false, has_local_memory_ = true;
  CheckOrder lock_order_ = CheckOrder::acquire;
  unsigned lock_stage_ = 0; // 0: nobody has it
  Accesses taker_;
  unsigned words_ = words; // without it
  bool has_rows_ = false;  // mostly, of global memory, which has no atomics then
  unsigned stage_ = 0;     // 0: not now
  Accesses row_;
  uint64_t carelessness_ = 0; // percent
  unsigned steps_ = 0;
  compiler::KernelInfo kernel_;
  LaunchInfo launch_{.args = nullptr,
                     .global_offset = {},
                     .global_size = {units, 1, 1},
                     .local_size = {group_size, 1, 1},
                     .num_groups = {groups, 1, 1},
                     .work_dim = 1,
                     .reserved = 0,
                     .check = nullptr,
                     .memory_check = nullptr,
                     .enqueues = nullptr};
  runtime::LaunchCheck check_;
  GroupInfo infos_[groups]{};
  uint64_t intervals_[groups]{};
  void pass(unsigned group, uint64_t step) {
    intervals_[group] = Intervals::after(intervals_[group], step);
  }
  OrderOracle oracle_;
};

// A few for all runs, as the checker keeps their numbers.
CheckSite &Run::new_site() {
  static std::map<uint64_t, std::unique_ptr<CheckSite>> all;
  auto &made = all[all.size()];
  made = std::make_unique<CheckSite>();
  *made = {};
  made->line = unsigned(all.size());
  made->argument = CheckSite::no_argument;
  made->file = made->text = made->object = "";
  return *made;
}

CheckSite &Run::site_of(const Accesses &a) {
  static std::map<std::array<unsigned, 9>, CheckSite *> known;
  const bool is_of_lock = has_lock_ && a.word == words_ && a.memory == global_memory;
  CheckSite *&site =
      known[{unsigned(a.kind), unsigned(a.scope), unsigned(a.order), a.size, how(),
             unsigned(a.memory), unsigned(has_fences_) + 2 * unsigned(has_weak_stores_),
             unsigned(is_of_lock), unsigned(pick(2))}];
  if (site)
    return *site;
  site = &new_site();
  site->size = a.size;
  site->kind = a.kind;
  site->order = site->failure = a.order;
  site->scope = a.scope;
  site->address_space = a.memory == global_memory ? 1 : 3;
  site->operation =
      is_of_lock ? compiler::AtomicOperation::exchange : compiler::AtomicOperation::add;
  if (is_of_lock)
    site->same_value = compiler::SameValue::met_by_atomics;
  site->synchronises = how();
  site->fences = (has_fences_ ? 3 : 0) | (has_weak_stores_ ? CheckSite::weak_stores : 0);
  return *site;
}

void Run::show(const Accesses &a, const char *what) const {
  if (shows_)
    std::printf("group %u items %u+%llx: %s kind %u %s word %u.%u size %u%s order %u scope %u\n",
                a.group, a.first, static_cast<unsigned long long>(a.lanes), what, unsigned(a.kind),
                a.memory == global_memory ? "global" : "local", a.word, a.part, a.size,
                a.is_uniform ? " uniform" : "", unsigned(a.order), unsigned(a.scope));
}

std::optional<bool> Run::compare(const Accesses &a, bool is_race, uint64_t told_before) {
  const bool is_told = told() != told_before;
  if (is_told != is_race) {
    show(a, is_told ? "told, but is no race" : "race, but not told");
    return false;
  }
  has_race_ |= is_race;
  return is_race ? std::optional(true) : std::nullopt;
}

std::optional<bool> Run::access() {
  Accesses a;
  a.group = unsigned(pick(groups));
  a.first = sub_group_size * unsigned(pick(group_size / sub_group_size));
  a.lanes = lanes();
  a.memory = !has_local_memory_ || pick(2) ? global_memory : local_memory;
  a.kind = pick(2) ? AccessKind::read : AccessKind::write;
  a.is_uniform = pick(2);
  a.word = unsigned(pick(words_ - (a.is_uniform ? 0 : sub_group_size - 1)));
  if (reads_one_word_ && pick(12)) {
    a.memory = !has_local_memory_ || pick(8) ? global_memory : local_memory;
    a.kind = AccessKind::read;
    a.is_uniform = true;
    a.word = 0;
  }
  if (pick(12) == 0) {
    a.size = 1u << pick(2);
    a.part = a.size * unsigned(pick(4 / a.size));
  }
  if (!synchronises_ && pick(6) == 0) {
    a.kind = pick(2) ? AccessKind::atomic_read : AccessKind::atomic_update;
    a.scope = scope();
    a.size = 4;
    a.part = 0;
  }
  if (has_rows_ && pick(64)) {
    a.memory = pick(8) || !has_local_memory_ ? global_memory : local_memory;
    a.lanes = (uint64_t(2) << pick(sub_group_size)) - 1;
    a.lanes &= ~uint64_t(0) << pick(unsigned(std::popcount(a.lanes)));
    a.is_uniform = false;
    a.word = unsigned(pick(words - sub_group_size + 1));
    a.size = 4;
    a.part = 0;
    return access_as(a, false);
  }
  return access_as(a, pick(3) == 0);
}

// False: they differ. True: it was a race, and both have said so.
std::optional<bool> Run::access_as(Accesses a, bool is_scattered) {
  const uintptr_t first = word(a.group, a.memory, a.word) + a.part;
  const int64_t stride = a.is_uniform ? 0 : 4;
  uintptr_t addresses[sub_group_size];
  for (unsigned lane = 0; lane != sub_group_size; ++lane)
    addresses[lane] = is_scattered ? word(a.group, a.memory, unsigned(pick(words_))) + a.part
                                   : first + uintptr_t(stride) * lane;
  auto of_lane = [&](unsigned lane) {
    return OrderOracle::Access{
        a.group * group_size + a.first + lane, a.memory, addresses[lane], a.size, a.kind, a.scope};
  };
  OrderOracle after = oracle_;
  bool is_race = false;
  for (unsigned lane = 0; lane != sub_group_size; ++lane)
    if (a.lanes >> lane & 1) {
      is_race |= after.is_race(of_lane(lane));
      after.remember(of_lane(lane));
    }
  if (is_race && pick(100) >= carelessness_)
    return std::nullopt;
  oracle_ = after;
  show(a, is_scattered ? "access, but scattered," : "access");
  const uint64_t before = told();
  const bool by_list = is_scattered || (!has_rows_ && pick(2));
  compiler::check_hooks.access(
      &launch_, &infos_[a.group], &site_of(a),
      by_list ? static_cast<const void *>(addresses) : reinterpret_cast<const void *>(first),
      by_list ? compiler::any_addresses : stride, a.lanes, a.first, intervals_[a.group]);
  return compare(a, is_race, before);
}

std::optional<bool> Run::update() {
  Accesses a;
  a.group = unsigned(pick(groups));
  a.first = unsigned(pick(group_size));
  a.lanes = 1;
  a.memory = !has_local_memory_ || pick(4) ? global_memory : local_memory;
  a.word = unsigned(pick(words_));
  a.kind = AccessKind(unsigned(AccessKind::atomic_read) + pick(3));
  a.order = order();
  a.scope = scope();
  if (a.kind == AccessKind::atomic_write && !has_weak_stores_) {
    a.order = CheckOrder::seq_cst;
    a.scope = CheckScope::device;
  }
  return update(a);
}

std::optional<bool> Run::update(const Accesses &a) {
  const OrderOracle::Access one{a.group * group_size + a.first,
                                a.memory,
                                has_rows_ && a.memory == global_memory
                                    ? reinterpret_cast<uintptr_t>(&memories.global[a.word])
                                    : word(a.group, a.memory, a.word),
                                4,
                                a.kind,
                                a.scope};
  // What a read-modify-write acquires counts for its own access, too: it has read that.
  OrderOracle after = oracle_;
  if (a.kind != AccessKind::atomic_write)
    after.acquire(one, a.order);
  const bool is_race = after.is_race(one);
  if (is_race && pick(100) >= carelessness_)
    return std::nullopt;
  after.remember(one);
  if (a.kind != AccessKind::atomic_read)
    after.release(one, a.order, a.kind == AccessKind::atomic_write);
  oracle_ = after;
  show(a, "atomic");
  const uint64_t before = told();
  compiler::check_hooks.atomic(&launch_, &infos_[a.group], &site_of(a),
                               reinterpret_cast<void *>(one.address), 1, a.first,
                               intervals_[a.group], 1, 0);
  return compare(a, is_race, before);
}

void Run::fence() {
  const auto group = unsigned(pick(groups)), first = unsigned(pick(group_size));
  static std::map<std::array<unsigned, 4>, CheckSite *> known;
  const CheckOrder wanted = order();
  const CheckScope reach = scope();
  const auto flags = unsigned(1 + pick(3));
  CheckSite *&site = known[{unsigned(wanted), unsigned(reach), flags, how()}];
  if (!site) {
    site = &new_site();
    site->kind = AccessKind::fence;
    site->order = wanted;
    site->scope = reach;
    site->fences = flags;
    site->synchronises = how();
  }
  oracle_.fence(group * group_size + first, wanted, reach, flags);
  if (shows_)
    std::printf("group %u item %u: fence order %u scope %u flags %u\n", group, first,
                unsigned(wanted), unsigned(reach), flags);
  compiler::check_hooks.fence(&launch_, &infos_[group], site, 1, first, intervals_[group]);
}

// Between the memories, plain or strided on one side. Each sub-group tells of it.
std::optional<bool> Run::copy() {
  const auto group = unsigned(pick(groups));
  if (!oracle_.may_begin_copy(group))
    return std::nullopt;
  struct Side {
    Memory memory;
    unsigned word;
    compiler::CopyShape shape;
    AccessKind kind;
  };
  const auto to = pick(2) ? global_memory : local_memory, from = Memory(1 - to);
  const unsigned count = 1 + unsigned(pick(3)), strided = unsigned(pick(3));
  auto side = [&](unsigned number, Memory memory, AccessKind kind) {
    const bool has_gaps = strided == number;
    const unsigned length = has_gaps ? 2 * count - 1 : count;
    return Side{memory, unsigned(pick(words_ - length + 1)),
                strided == 2 ? compiler::CopyShape{4 * count, 1, 0, 1, 0}
                             : compiler::CopyShape{4, count, has_gaps ? 8u : 4u, 1, 0},
                kind};
  };
  const Side sides[] = {side(0, to, AccessKind::copy_write), side(1, from, AccessKind::copy_read)};
  OrderOracle after = oracle_;
  const unsigned item = after.begin_copy(group);
  bool is_race = false;
  for (const Side &one : sides)
    for (unsigned row = 0; row != one.shape.rows; ++row) {
      const OrderOracle::Access accessed{
          item, one.memory, word(group, one.memory, one.word) + row * one.shape.row_pitch,
          unsigned(one.shape.row), one.kind};
      is_race |= after.is_race(accessed);
      after.remember(accessed);
    }
  if (is_race && pick(100) >= carelessness_)
    return std::nullopt;
  oracle_ = after;
  const uint64_t before = told();
  Accesses shown;
  for (unsigned first = 0; first != group_size; first += sub_group_size)
    for (const Side &one : sides) {
      Accesses a;
      a.group = group;
      a.memory = one.memory;
      a.word = one.word;
      a.kind = one.kind;
      if (first == 0) {
        show(a, strided == 2               ? "copy"
                : one.shape.row_pitch == 8 ? "copy with gaps"
                                           : "copy of rows");
        shown = a;
      }
      compiler::check_hooks.copy(&launch_, &infos_[group], &site_of(a),
                                 reinterpret_cast<const void *>(word(group, one.memory, one.word)),
                                 one.shape, 1, first, intervals_[group]);
    }
  pass(group, Intervals::copy_step);
  return compare(shown, is_race, before);
}

void Run::tell_of_wait(unsigned group) {
  static CheckSite *site = nullptr;
  if (!site) {
    site = &new_site();
    site->kind = AccessKind::wait_for_copies;
  }
  compiler::check_hooks.fence(&launch_, &infos_[group], site, 1, 0, intervals_[group]);
}

void Run::meet() {
  const auto group = stage_ ? row_.group : unsigned(pick(groups));
  if (has_sub_group_barriers_ && pick(2)) {
    const auto first = sub_group_size * unsigned(pick(group_size / sub_group_size));
    static CheckSite *site = nullptr;
    if (!site) {
      site = &new_site();
      site->kind = AccessKind::sub_group_barrier;
    }
    site->synchronises = how();
    oracle_.sub_group_barrier(group, first, 15);
    if (shows_)
      std::printf("group %u items %u+f: sub-group's barrier\n", group, first);
    return compiler::check_hooks.fence(&launch_, &infos_[group], site, 15, first,
                                       intervals_[group]);
  }
  if (has_copies_ && pick(2)) {
    const bool is_wait = pick(3);
    if (shows_)
      std::printf("group %u: %s\n", group, is_wait ? "waits for copies" : "parts copies");
    if (is_wait)
      oracle_.wait_for_copies(group);
    else
      oracle_.part_copies(group);
    pass(group, is_wait ? Intervals::wait_step : Intervals::copy_fence_step);
    if (is_wait)
      tell_of_wait(group);
    return;
  }
  const auto flags = unsigned(pick(4));
  const bool is_for_device = flags & 2 && has_fences_ && pick(4) == 0;
  if (shows_)
    std::printf("group %u: barrier %u%s\n", group, flags, is_for_device ? " for the device" : "");
  oracle_.barrier(group, flags, is_for_device);
  pass(group, (flags & 2 ? Intervals::global_step : 0) + (flags & 1 ? Intervals::local_step : 0) +
                  (is_for_device ? Intervals::device_step : 0));
}

// A write, a barrier, some reads, and a write by those of the first one; other things may come between.
std::optional<bool> Run::go_on_with_neighbours() {
  constexpr unsigned writes = 1, meets = 2, first_reads = 3, last = 6;
  const unsigned stage = stage_++;
  if (stage_ > last)
    stage_ = 0;
  if (stage == meets) {
    meet();
    return std::nullopt;
  }
  Accesses now = row_;
  now.kind = stage == writes || stage == last ? AccessKind::write : AccessKind::read;
  now.lanes = pick(2) ? 15 : lanes();
  if (stage != last)
    now.word = unsigned(pick(words_ - sub_group_size + 1));
  if (stage == first_reads)
    row_.word = now.word;
  else if (stage != writes && stage != last && pick(2))
    now.first = sub_group_size * unsigned(pick(group_size / sub_group_size));
  return access_as(now, false);
}

// What others do may come between, so that a lock may be given back by who has not taken it last.
std::optional<bool> Run::go_on_with_lock() {
  constexpr unsigned takes = 1, changes = 2, gives = 3;
  if (lock_stage_ == 0) {
    taker_ = {};
    taker_.lanes = 1;
    taker_.group = unsigned(pick(groups));
    taker_.first = unsigned(pick(group_size));
    lock_stage_ = takes;
  }
  Accesses now = taker_;
  const unsigned stage = lock_stage_++;
  if (stage == changes) {
    now.word = unsigned(pick(2)) * unsigned(pick(words_));
    now.kind = pick(4) ? AccessKind::write : AccessKind::read;
    return access_as(now, false);
  }
  now.word = words_;
  now.kind = stage == takes ? AccessKind::atomic_update : AccessKind::atomic_write;
  now.order =
      lock_order_ == CheckOrder::seq_cst || stage == takes ? lock_order_ : CheckOrder::release;
  if (stage == gives)
    lock_stage_ = 0;
  return update(now);
}

std::optional<bool> Run::take_step() {
  if (has_lock_ && pick(only_takes_ ? 30 : 2))
    return go_on_with_lock();
  if (stage_ && pick(5))
    return go_on_with_neighbours();
  if (has_neighbours_ && !stage_ && pick(4) == 0) {
    stage_ = 1;
    row_ = {};
    row_.group = unsigned(pick(groups));
    row_.first = sub_group_size * unsigned(pick(group_size / sub_group_size));
    row_.memory = !has_local_memory_ || pick(4) ? global_memory : local_memory;
  }
  const uint64_t what = pick(100);
  if (what < 20)
    meet();
  else if (has_copies_ && what < 30)
    return copy();
  else if (has_fences_ && what < 35)
    fence();
  else if (synchronises_ && what < 65)
    return update();
  else
    return access();
  return std::nullopt;
}

} // namespace

} // namespace lockstep::fuzz

int main(int argc, char **argv) {
  using namespace lockstep;
  runtime::LaunchCheck::set_hooks();
  if (argc > 1 && std::string_view(argv[1]) == "--lane-by-lane") {
    runtime::check_lane_by_lane();
    argv[1] = argv[0];
    ++argv;
    --argc;
  }
  return fuzz::run_seeds(argc, argv, 2000, [](uint64_t seed, bool shows) {
    fuzz::Run run(seed, shows);
    const bool agrees = run.go();
    return fuzz::Ended{agrees, run.has_race()};
  });
}
