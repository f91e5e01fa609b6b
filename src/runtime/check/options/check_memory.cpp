#include "runtime/check/options/check_memory.h"

#include "platform/linux/leaked.h"
#include "runtime/check/options/check_options.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace lockstep::runtime {

namespace {

struct State {
  MemoryAccount own{check_options().most_memory};
  std::shared_ptr<MemoryAccount> device;
};

State &state() {
  return leaked<AfterFork::make_again>([] { return new State; });
}

bool reserve_from(State &state, uint64_t bytes) {
  if (!state.own.reserve(bytes))
    return false;
  if (!state.device || state.device->reserve(bytes))
    return true;
  state.own.release(bytes);
  return false;
}

void release_to(State &state, uint64_t bytes) {
  state.own.release(bytes);
  if (state.device)
    state.device->release(bytes);
}

// Reserved memory that a thread has not used yet. The accounts are shared by all threads, and the
// shadow of a work-group's local memory is made and released with the group.
class Credit {
public:
  ~Credit() { give_back(0); }

  bool take(State &state, uint64_t bytes) {
    begin(state);
    if (bytes > bytes_) {
      if (const uint64_t more = bytes + portion() - bytes_; reserve_from(state, more))
        bytes_ += more;
      else if (give_back(0); reserve_from(state, bytes)) // near the limit
        bytes_ = bytes;
      else
        return false;
    }
    bytes_ -= bytes;
    return true;
  }
  void put(State &state, uint64_t bytes) {
    begin(state);
    bytes_ += bytes;
    if (bytes_ > 2 * portion())
      give_back(portion());
  }

  uint64_t bytes(State &state) {
    begin(state);
    return bytes_;
  }

private:
  void begin(State &state) {
    if (state_ != &state) { // the first use, or the process was forked
      state_ = &state;
      bytes_ = 0;
    }
  }
  uint64_t portion() const { return std::min(uint64_t{256} << 10, state_->own.limit() / 4096); }
  void give_back(uint64_t keep) {
    if (state_ && bytes_ > keep)
      release_to(*state_, std::exchange(bytes_, keep) - keep);
  }

  State *state_ = nullptr;
  uint64_t bytes_ = 0;
};

Credit &credit() {
  thread_local Credit credit;
  return credit;
}

double mebibytes(uint64_t bytes) {
  return double(bytes) / (1 << 20);
}

} // namespace

void CheckMemory::share(std::shared_ptr<MemoryAccount> device) {
  state().device = std::move(device);
}

bool CheckMemory::reserve(uint64_t bytes) {
  return credit().take(state(), bytes);
}

void CheckMemory::release(uint64_t bytes) {
  credit().put(state(), bytes);
}

uint64_t CheckMemory::used() {
  return state().own.used() - credit().bytes(state());
}

std::string CheckMemory::text() {
  const auto &[own, device] = state();
  std::string text = fmt::format("it has {:.1f} MiB for those of all launches", mebibytes(used()));
  if (own.limit() != CheckOptions::any_memory)
    text += fmt::format(" and may have {:.1f} MiB", mebibytes(own.limit()));
  if (device)
    text += fmt::format("; buffers and the check have {:.1f} of {:.1f} MiB of the device",
                        mebibytes(device->used()), mebibytes(device->limit()));
  return text;
}

} // namespace lockstep::runtime
