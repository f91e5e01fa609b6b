#include "api/sycl/platform.h"

#include "api/sycl/device.h"
#include "api/sycl/queries.h"
#include "driver/compile.h"
#include "platform/linux/leaked.h"

namespace lockstep::sycl_api {
namespace {

namespace info = sycl::info::platform;

class Platform final : public sycl::detail::platform_interface {
public:
  std::vector<sycl::detail::device_pointer> devices() const override {
    const auto &all = root_devices();
    return {all.begin(), all.end()};
  }
  void get_info(int number, void *to) const override;
};

constexpr QueryRow<Platform> rows[] = {
    query_row<info::version, Platform,
              [](auto &) { return "SYCL 2020 " + compiler::compiler_version(); }>(),
    query_row<info::name, Platform, [](auto &) { return "Lockstep"; }>(),
    query_row<info::vendor, Platform, [](auto &) { return "Lockstep"; }>(),
    query_row<info::extensions, Platform, [](auto &) { return extension_names(nullptr); }>(),
    query_row<info::profile, Platform, [](auto &) { return "FULL_PROFILE"; }>(),
};

void Platform::get_info(int number, void *to) const {
  answer_query<Platform>(rows, *this, number, to);
}

} // namespace

sycl::detail::platform_pointer the_platform() {
  return leaked([] { return std::make_shared<Platform>(); });
}

} // namespace lockstep::sycl_api
