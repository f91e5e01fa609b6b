// Tests the checker's ordering of work-items with random accesses, atomics, fences, barriers of all
// kinds, and async copies with and without their waits. They are reported to the checker as
// compiled kernels report them, and to an oracle. Both must report the same access as the first
// race of a run.
//
//   fuzz_order [--lane-by-lane] [--seed N] [--count N | --seconds N] [--show]
//
// `--lane-by-lane`: as on CPUs without AVX-512. Most accesses are chosen to be ordered according to
// the oracle, so that runs get long; the others are such as mistakes cause. Some runs use few words
// and work-items. Some have locks that pass from group to group. Some have groups of up to 100
// work-items that access rows of words. Groups end, and others begin in their slots.
#include "run.h"
#include "runs.h"
#include "runtime/check/races/shadow/quick_check.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace lockstep::fuzz {

namespace {

constexpr unsigned most_places = 6, most_row_words = 2048;

struct alignas(4096) Memories {
  uint32_t global[2 * few_words];
  alignas(128) uint32_t local[most_places][local_words];
  alignas(
      4096) uint32_t rows[most_row_words]; // of global memory, where a page is to have nothing else
};
Memories memories;

Much much_of(uint64_t number) {
  return number < 8 ? Much::of_all : number < 13 ? Much::of_locks : Much::of_rows;
}

} // namespace

Run::Run(uint64_t seed, bool shows) : random_(seed), shows_(shows), much_(much_of(pick(16))) {
  std::memset(&memories, 0, sizeof memories);
  synchronizes_ = pick(3) != 0;
  has_sub_group_barriers_ = pick(3) == 0;
  has_narrow_ = pick(2);
  has_narrower_ = has_narrow_ && pick(2);
  has_copies_ = pick(2);
  has_fences_ = synchronizes_ && pick(3) != 0;
  has_weak_stores_ = pick(2);
  reads_one_word_ = pick(4) == 0;
  has_neighbors_ = pick(3) == 0;
  has_rows_ = synchronizes_ && pick(3) == 0;
  carelessness_ = pick(4) ? 2 : 30;
  steps_ = pick(8) ? 150 : 900; // enough for a group to get several epochs
  ends_ = unsigned(pick(2) * pick(40));
  unsigned places = 3, more_groups = ends_ ? unsigned(1 + pick(9)) : 0, rows_from = 0;
  if (much_ == Much::of_locks) {
    places = 1 + unsigned(pick(4));
    more_groups *= 4;
    set_up_locks();
  } else if (much_ == Much::of_rows) {
    places = 1 + unsigned(pick(4));
    set_up_rows(places);
    rows_from = 1u << 2 * pick(3);
  }
  if (has_rows_ && pick(8)) // these make words of them
    has_copies_ = has_sub_group_barriers_ = false;
  runtime::remember_rows_from(rows_from ? rows_from : has_rows_ ? 1 : shape_.sub_group_size);
  shape_.groups = places + more_groups;
  launch_ = {.args = nullptr,
             .global_offset = {},
             .global_size = {shape_.items(), 1, 1},
             .local_size = {shape_.group_size, 1, 1},
             .num_groups = {shape_.groups, 1, 1},
             .work_dim = 1,
             .local_argument_bytes = 0,
             .check = nullptr,
             .memory_check = nullptr,
             .enqueues = nullptr};
  oracle_.emplace(shape_);
  check_.emplace(kernel_, launch_);
  launch_.check = &*check_;
  check_->set_sub_group_size(shape_.sub_group_size);
  check_->set_local_memory(has_local_memory_);
  check_->set_alone(pick(2));
  for (; next_group_ != places; ++next_group_) {
    Place &place = places_.emplace_back();
    place.group = next_group_;
    place.info = {{next_group_, 0, 0}, {shape_.group_size, 1, 1}, memories.local[next_group_]};
  }
}

void Run::set_up_locks() {
  constexpr unsigned sizes[] = {1, 2, 4, 8, 100};
  shape_.group_size = sizes[pick(5)];
  synchronizes_ = true;
  has_narrow_ = has_narrower_ = has_fences_ = false;
  has_weak_stores_ = pick(8) == 0;
  has_weak_locks_ = pick(2);
  locks_ = 1 + unsigned(pick(4) == 0);
  lock_order_ = pick(2) ? CheckOrder::seq_cst : pick(2) ? CheckOrder::acq_rel : CheckOrder::acquire;
  constexpr unsigned shares[] = {50, 90, 97, 100};
  lock_share_ = shares[pick(4)];
  has_local_memory_ = pick(2);
  has_copies_ &= has_local_memory_;
  has_rows_ = pick(4) == 0;
  ends_ *= 2;
  carelessness_ = pick(2) ? 2 : pick(2) ? 10 : 30;
}

void Run::set_up_rows(unsigned places) {
  constexpr unsigned sizes[] = {16, 64, 100};
  shape_.group_size = sizes[pick(3)];
  shape_.sub_group_size = 16u << pick(3);
  synchronizes_ = has_rows_ = true;
  has_narrow_ = has_narrower_ = false;
  breaks_rows_ = pick(4) == 0;
  has_local_memory_ = pick(4) == 0;
  has_copies_ &= has_local_memory_;
  words_ = places * shape_.group_size + 2 * margin;
  constexpr unsigned of_page = 1024;
  first_row_word_ = unsigned(pick(2)   ? pick(of_page - words_)
                             : pick(2) ? of_page - pick(words_) // beyond the end of the page
                                       : 0);
  carelessness_ = pick(2) ? 2 : 10;
  ends_ *= 4;
  steps_ = pick(8) ? 60 : 250;
}

Run::~Run() {
  for (const Place &place : places_)
    if (!place.has_ended)
      check_->leave_last(place.info);
}

unsigned Run::pick_place() {
  auto place = unsigned(pick(places_.size()));
  while (places_[place].has_ended) // at least one has not ended
    place = (place + 1) % unsigned(places_.size());
  return place;
}

unsigned Run::pick_word(Memory memory, unsigned many) {
  const unsigned all = memory == local_memory ? std::min(words_, local_words) : words_;
  return many >= all ? 0 : unsigned(pick(all - many + 1));
}

uint64_t Run::some_in_a_row(unsigned first) {
  const uint64_t lanes = all_lanes(1 + unsigned(pick(lanes_from(first))));
  return lanes & ~uint64_t(0) << pick(unsigned(std::popcount(lanes)));
}

CheckScope Run::scope() {
  if (!has_narrow_ || pick(3) != 0)
    return CheckScope::device;
  return !has_narrower_ || pick(2) ? CheckScope::work_group
         : pick(4)                 ? CheckScope::sub_group
                                   : CheckScope::work_item;
}

uintptr_t Run::word(unsigned place, Memory memory, unsigned index) const {
  return reinterpret_cast<uintptr_t>(memory == local_memory ? &memories.local[place][index]
                                     : has_rows_ ? &memories.rows[first_row_word_ + index]
                                                 : &memories.global[index]);
}

uintptr_t Run::beside_rows(unsigned index) {
  return reinterpret_cast<uintptr_t>(&memories.global[index]);
}

unsigned Run::how() const {
  return has_narrower_                  ? CheckSite::by_sub_group_atomics
         : synchronizes_ && has_narrow_ ? CheckSite::by_narrow_atomics
         : synchronizes_                ? CheckSite::by_atomics
         : has_sub_group_barriers_      ? CheckSite::by_sub_group_barriers
                                        : CheckSite::by_nothing_else;
}

std::optional<bool> Run::take_step() {
  if (ends_ && pick(1000) < ends_) {
    end_group();
    return std::nullopt;
  }
  if (pick(100) < lock_share_)
    return go_on_with_lock();
  if (much_ == Much::of_rows && pick(8))
    return pick(3) ? access_rows() : hand_on();
  if (stage_ && pick(5))
    return go_on_with_neighbors();
  if (has_neighbors_ && !stage_ && pick(4) == 0) {
    stage_ = 1;
    row_ = {};
    row_.place = pick_place();
    row_.first = pick_sub_group();
    row_.memory = !has_local_memory_ || pick(4) ? global_memory : local_memory;
  }
  const uint64_t what = pick(100);
  if (what < 20)
    meet(pick_place());
  else if (has_copies_ && what < 30)
    return copy();
  else if (has_fences_ && what < 35)
    fence();
  else if (synchronizes_ && what < 65)
    return update();
  else
    return access();
  return std::nullopt;
}

bool Run::go() {
  for (unsigned step = 0; step != steps_; ++step) {
    if (std::ranges::all_of(places_, &Place::has_ended))
      return true;
    if (auto agree = take_step())
      return *agree;
  }
  return true;
}

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
