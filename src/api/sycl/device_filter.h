// ONEAPI_DEVICE_SELECTOR: the variable by which users of DPC++ choose the devices that a SYCL program
// sees, such as `opencl:cpu`, `cuda:gpu;opencl:0` or `!cuda:*`. docs/environment.md has its rules.
#pragma once

#include "runtime/device/device.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::sycl_api {

class DeviceFilter {
public:
  // ErrorKind::invalid_argument: the text breaks a rule, which the message names.
  static Result<DeviceFilter> parse(std::string_view text);
  // That of this process, which accepts all devices without the variable. Throws errc::invalid if
  // the variable breaks a rule.
  static const DeviceFilter &of_process();

  struct Listed {
    runtime::DeviceType type;
    bool is_nvidia = false;
    std::size_t number = 0;           // among all root devices
    std::size_t number_of_nvidia = 0; // among NVIDIA's cards
  };
  bool accepts(const Listed &device) const;
  // Whether it may accept an NVIDIA card if `before` other devices are listed before the cards.
  bool accepts_some_card(std::size_t before) const;
  const std::string &text() const { return text_; }

private:
  enum class Backend : uint8_t { any, opencl, cuda, native_cpu, absent };
  enum class Devices : uint8_t { all, cpu, gpu, accelerator, number };
  struct Name {
    Devices devices;
    std::size_t number = 0;
  };
  struct Term {
    Backend backend = Backend::any;
    std::vector<Name> names{};
    bool discards = false;
  };
  static Result<Term> parse_term(std::string_view text);
  static Result<Name> parse_name(std::string_view text);
  static bool selects(const Term &term, const Listed &device);

  std::string text_;
  std::vector<Term> terms_; // empty: all devices
};

} // namespace lockstep::sycl_api
