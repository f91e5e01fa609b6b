#include "api/sycl/context.h"

#include "api/sycl/device.h"
#include "api/sycl/of_process.h"
#include "api/sycl/platform.h"
#include "api/sycl/queries.h"
#include "platform/linux/leaked.h"

#include <algorithm>

namespace lockstep::sycl_api {
namespace {

namespace info = sycl::info::context;

// Capabilities of a context are those of its first device.
template <class Query, class OfDevice> constexpr QueryRow<Context> as_device() {
  return query_row<Query, Context, [](const Context &context) {
    typename Query::return_type answer{};
    context.first()->get_info(OfDevice::number, &answer);
    return answer;
  }>();
}

namespace device = sycl::info::device;
constexpr QueryRow<Context> rows[] = {
    as_device<info::atomic_memory_order_capabilities, device::atomic_memory_order_capabilities>(),
    as_device<info::atomic_fence_order_capabilities, device::atomic_fence_order_capabilities>(),
    as_device<info::atomic_memory_scope_capabilities, device::atomic_memory_scope_capabilities>(),
    as_device<info::atomic_fence_scope_capabilities, device::atomic_fence_scope_capabilities>(),
};

} // namespace

void Context::get_info(int number, void *to) const {
  answer_query<Context>(rows, *this, number, to);
}

std::vector<sycl::detail::device_pointer> Context::devices() const {
  return devices_.empty() ? the_platform()->devices(sycl::info::device_type::all) : devices_;
}

sycl::detail::device_pointer Context::first() const {
  return devices_.empty() ? first_device() : devices_.front();
}

bool Context::may_have_cards() const {
  if (devices_.empty())
    return runtime::may_list_cards();
  return std::ranges::any_of(devices_, [](const auto &device) {
    return device_behind(device).runtime().memory_space() != nullptr;
  });
}

bool Context::has(const sycl::detail::device_pointer &device) const {
  if (devices_.empty())
    return true;
  for (const Device *one = &device_behind(device); one; one = one->made_from().get())
    if (std::any_of(devices_.begin(), devices_.end(),
                    [&](const auto &own) { return own.get() == one; }))
      return true;
  return false;
}

sycl::detail::context_pointer default_context() {
  return leaked([] { return make_of_process<Context>(); });
}

} // namespace lockstep::sycl_api
