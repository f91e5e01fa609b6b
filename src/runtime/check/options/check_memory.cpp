#include "runtime/check/options/check_memory.h"

#include "platform/linux/leaked.h"
#include "runtime/check/options/check_options.h"

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

double mebibytes(uint64_t bytes) {
  return double(bytes) / (1 << 20);
}

} // namespace

void CheckMemory::share(std::shared_ptr<MemoryAccount> device) {
  state().device = std::move(device);
}

bool CheckMemory::reserve(uint64_t bytes) {
  auto &[own, device] = state();
  if (!own.reserve(bytes))
    return false;
  if (!device || device->reserve(bytes))
    return true;
  own.release(bytes);
  return false;
}

void CheckMemory::release(uint64_t bytes) {
  auto &[own, device] = state();
  own.release(bytes);
  if (device)
    device->release(bytes);
}

uint64_t CheckMemory::used() {
  return state().own.used();
}

std::string CheckMemory::text() {
  const auto &[own, device] = state();
  std::string text =
      fmt::format("it has {:.1f} MiB for those of all launches", mebibytes(own.used()));
  if (own.limit() != CheckOptions::any_memory)
    text += fmt::format(" and may have {:.1f} MiB", mebibytes(own.limit()));
  if (device)
    text += fmt::format("; buffers and the check have {:.1f} of {:.1f} MiB of the device",
                        mebibytes(device->used()), mebibytes(device->limit()));
  return text;
}

} // namespace lockstep::runtime
