#include "api/sycl/platform.h"

#include "api/sycl/device.h"
#include "api/sycl/device_filter.h"
#include "api/sycl/queries.h"
#include "driver/compile.h"
#include "platform/linux/leaked.h"

namespace lockstep::sycl_api {
namespace {

namespace info = sycl::info;

class Platform final : public sycl::detail::platform_interface {
public:
  std::vector<sycl::detail::device_pointer> devices(info::device_type type) const override;
  void get_info(int number, void *to) const override;
};

constexpr QueryRow<Platform> rows[] = {
    query_row<info::platform::version, Platform,
              [](auto &) { return "SYCL 2020 " + compiler::compiler_version(); }>(),
    query_row<info::platform::name, Platform, [](auto &) { return "Lockstep"; }>(),
    query_row<info::platform::vendor, Platform, [](auto &) { return "Lockstep"; }>(),
    query_row<info::platform::extensions, Platform,
              [](auto &) { return extension_names(nullptr); }>(),
    query_row<info::platform::profile, Platform, [](auto &) { return "FULL_PROFILE"; }>(),
};

// Devices behind the first one are GPUs, and listing them loads drivers.
std::vector<sycl::detail::device_pointer> Platform::devices(info::device_type type) const {
  const bool is_any = type == info::device_type::all || type == info::device_type::automatic;
  std::vector<sycl::detail::device_pointer> found;
  const auto add = [&](const std::shared_ptr<Device> &device) {
    if (is_any || type_of(*device) == type)
      found.push_back(device);
  };
  if (is_any || type == info::device_type::gpu || first_device()->runtime().memory_space())
    std::ranges::for_each(root_devices(), add);
  else if (DeviceFilter::of_process().accepts({first_device()->runtime().description().type}))
    add(first_device());
  return found;
}

void Platform::get_info(int number, void *to) const {
  answer_query<Platform>(rows, *this, number, to);
}

} // namespace

sycl::detail::platform_pointer the_platform() {
  return leaked([] { return std::make_shared<Platform>(); });
}

} // namespace lockstep::sycl_api
