#include "runtime/check/races/launch/launch_state.h"

#include "runtime/check/options/check_options.h"

#include <new>
#include <utility>

namespace lockstep::runtime {

namespace {

constinit std::atomic<uint64_t> all_launches = 0;
constexpr std::size_t reserve_bytes = 16384;

// Tests set no options.
bool has_no_options() {
  return !check_options().watches_groups() && !check_options().commands;
}

} // namespace

LaunchState::LaunchState(const compiler::KernelInfo &kernel, const compiler::LaunchInfo &launch,
                         std::span<const Access> accesses)
    : kernel(kernel), launch(launch), accesses(accesses), number(++all_launches),
      compares(check_options().races || has_no_options()),
      checks_convergence(check_options().barriers || has_no_options()),
      names_both(check_options().names_both) {}

LaunchState::~LaunchState() {
  if (!has_given_up())
    LaunchRecords::give_back(std::move(own_records_));
}

LaunchRecords &LaunchState::records() {
  if (LaunchRecords *known = records_.load(std::memory_order_acquire))
    return *known;
  std::lock_guard lock(records_lock_);
  if (has_given_up())
    throw std::bad_alloc();
  if (!own_records_) {
    for (auto &each : reserve_)
      each = std::make_unique<std::byte[]>(reserve_bytes);
    own_records_ = LaunchRecords::borrow();
    records_.store(own_records_.get(), std::memory_order_release);
  }
  return *own_records_;
}

bool LaunchState::is_without_epochs() const {
  const LaunchRecords *records = records_.load(std::memory_order_acquire);
  return records && records->owners.are_used_up();
}

void LaunchState::give_up() noexcept {
  std::lock_guard lock(records_lock_);
  has_given_up_ = true;
  fast_launch_ = no_fast_paths;
  for (auto &each : reserve_)
    each.reset();
}

} // namespace lockstep::runtime
