// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Device selectors (SYCL 2020, section 4.6.1.1): functions that return a score for a device. The
// selector classes of SYCL 1.2.1 are callable too.
#pragma once

#include "sycl/device.hpp"

#include <algorithm>

namespace sycl {

namespace detail {

inline int score_by_type(const device &one, aspect type) {
  return one.has(type) ? 100 : -1;
}

// The only type of device that a selector may accept. Devices of other types are not listed for it,
// so their drivers are not loaded.
template <class Selector> inline constexpr info::device_type only_type_for = info::device_type::all;

using selector_function = int(const device &);
template <class Selector> bool is_function(const Selector &given, selector_function *function) {
  if constexpr (std::is_convertible_v<const Selector &, selector_function *>)
    return static_cast<selector_function *>(given) == function;
  else
    return false;
}

} // namespace detail

// Prefers GPUs to the CPU: docs/decisions/0025-cards-are-listed.md.
inline int default_selector_v(const device &one);
inline int cpu_selector_v(const device &one);
inline int accelerator_selector_v(const device &one);

namespace detail {

// The result of aspect_selector(): prefers the default device among those that have the aspects.
struct selector_by_aspects {
  std::vector<aspect> required, refused;

  int operator()(const device &one) const {
    const auto has = [&](aspect what) { return one.has(what); };
    return std::all_of(required.begin(), required.end(), has) &&
                   std::none_of(refused.begin(), refused.end(), has)
               ? default_selector_v(one)
               : -1;
  }
  info::device_type only_type() const {
    const auto requires_ = [&](aspect what) {
      return std::find(required.begin(), required.end(), what) != required.end();
    };
    return requires_(aspect::cpu)           ? info::device_type::cpu
           : requires_(aspect::accelerator) ? info::device_type::accelerator
                                            : info::device_type::all;
  }
};

template <class Selector> info::device_type type_for(const Selector &given) {
  if constexpr (std::is_same_v<Selector, selector_by_aspects>)
    return given.only_type();
  else
    return is_function(given, cpu_selector_v)           ? info::device_type::cpu
           : is_function(given, accelerator_selector_v) ? info::device_type::accelerator
                                                        : only_type_for<Selector>;
}

// Returns the device with the highest score that is not negative.
template <class Selector> device select(const Selector &given) {
  using called =
      std::conditional_t<std::is_base_of_v<device_selector, Selector>, device_selector, Selector>;
  const called &selector = given;
  const device *best = nullptr;
  int best_score = -1;
  if (is_function(given, default_selector_v))
    return device();
  const std::vector<device> all = device::get_devices(type_for(given));
  for (const device &one : all)
    if (const int score = selector(one); score > best_score)
      best = &one, best_score = score;
  if (!best)
    detail::raise(errc::runtime, "no device is accepted by the selector (SYCL 2020 section 4.6.1)");
  return *best;
}

} // namespace detail

class device_selector { // SYCL 1.2.1
public:
  virtual ~device_selector() = default;
  virtual int operator()(const device &one) const = 0;
  device select_device() const { return detail::select(*this); }
};

class [[deprecated("use default_selector_v")]] default_selector : public device_selector {
public:
  int operator()(const device &one) const override { return default_selector_v(one); }
};
class [[deprecated("use cpu_selector_v")]] cpu_selector : public device_selector {
public:
  int operator()(const device &one) const override {
    return detail::score_by_type(one, aspect::cpu);
  }
};
class [[deprecated("use gpu_selector_v")]] gpu_selector : public device_selector {
public:
  int operator()(const device &one) const override {
    return detail::score_by_type(one, aspect::gpu);
  }
};
class [[deprecated("use accelerator_selector_v")]] accelerator_selector : public device_selector {
public:
  int operator()(const device &one) const override {
    return detail::score_by_type(one, aspect::accelerator);
  }
};
class [[deprecated("use cpu_selector_v")]] host_selector
    : public device_selector { // SYCL 1.2.1: the host device was a CPU
public:
  int operator()(const device &one) const override {
    return detail::score_by_type(one, aspect::cpu);
  }
};

namespace detail {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
template <> inline constexpr auto only_type_for<cpu_selector> = info::device_type::cpu;
template <> inline constexpr auto only_type_for<host_selector> = info::device_type::cpu;
template <>
inline constexpr auto only_type_for<accelerator_selector> = info::device_type::accelerator;
#pragma clang diagnostic pop
} // namespace detail

inline int default_selector_v(const device &one) {
  return detail::pointer_access::of(one)->score_as_default();
}
inline int cpu_selector_v(const device &one) {
  return detail::score_by_type(one, aspect::cpu);
}
inline int gpu_selector_v(const device &one) {
  return detail::score_by_type(one, aspect::gpu);
}
inline int accelerator_selector_v(const device &one) {
  return detail::score_by_type(one, aspect::accelerator);
}

inline auto aspect_selector(const std::vector<aspect> &required,
                            const std::vector<aspect> &refused = {}) {
  return detail::selector_by_aspects{required, refused};
}
template <class... Aspects> auto aspect_selector(aspect first, Aspects... more) {
  return aspect_selector(std::vector<aspect>{first, more...});
}
template <aspect... Required> auto aspect_selector() {
  return aspect_selector(std::vector<aspect>{Required...});
}

template <class Selector, std::enable_if_t<detail::is_device_selector<Selector>, int>>
device::device(const Selector &selector) : device(detail::select(selector)) {}

template <class Selector, std::enable_if_t<detail::is_device_selector<Selector>, int>>
platform::platform(const Selector &selector) : platform(detail::select(selector).get_platform()) {}

} // namespace sycl
