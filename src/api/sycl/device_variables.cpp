#include "api/sycl/device_variables.h"

#include "api/sycl/device.h"
#include "api/sycl/error.h"
#include "platform/linux/leaked.h"
#include "runtime/memory/allocations.h"
#include "runtime/memory/memory_space.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

namespace lockstep::sycl_api {
namespace {

struct Contents {
  std::vector<std::byte> initial;
  std::map<const runtime::MemorySpace *, std::shared_ptr<runtime::Buffer>> instances;
};

struct All {
  std::mutex mutex;
  std::map<const std::byte *, Contents> by_host; // the first byte of the host object
};

All &all() {
  return leaked<AfterFork::make_again>([] { return new All; });
}

// Requires the lock.
const std::shared_ptr<runtime::Buffer> &instance(const runtime::Device &device, Contents &of) {
  const auto &space = device.memory_space();
  std::shared_ptr<runtime::Buffer> &instance = of.instances[space.get()];
  if (!instance) {
    auto made =
        value_or_raise(runtime::Buffer::allocate_on(space, device.memory(), of.initial.size()));
    if (auto written = space->write(made->data(), of.initial.data(), of.initial.size()); !written)
      raise(written.error());
    instance = std::move(made);
  }
  return instance;
}

} // namespace

void keep_initial_contents(const DeviceVariable &variable) {
  if (!runtime::has_driver_of_cards())
    return;
  std::lock_guard lock(all().mutex);
  all().by_host.try_emplace(variable.host,
                            Contents{{variable.host, variable.host + variable.bytes}, {}});
}

const std::byte *address_on(const runtime::Device &device, const DeviceVariable &variable) {
  if (!device.memory_space())
    return variable.host;
  keep_initial_contents(variable);
  std::lock_guard lock(all().mutex);
  return instance(device, all().by_host.at(variable.host))->data();
}

runtime::MemoryView view_on(const runtime::Device &device, const void *address, std::size_t bytes) {
  if (device.memory_space()) {
    const auto *begin = static_cast<const std::byte *>(address);
    std::lock_guard lock(all().mutex);
    auto next = all().by_host.upper_bound(begin);
    if (next != all().by_host.begin()) {
      auto &[host, contents] = *std::prev(next);
      const auto offset = std::size_t(begin - host);
      if (offset < contents.initial.size() && bytes <= contents.initial.size() - offset)
        return {instance(device, contents), offset, bytes};
    }
  }
  return runtime::view_at(address, bytes);
}

void forget(const DeviceVariable &variable) {
  std::lock_guard lock(all().mutex);
  all().by_host.erase(variable.host);
}

} // namespace lockstep::sycl_api
