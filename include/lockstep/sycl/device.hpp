// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// device (SYCL 2020, section 4.6.4): a device and its info queries.
#pragma once

#include "sycl/ext/oneapi/experimental/device_architecture.hpp"
#include "sycl/platform.hpp"

namespace sycl {

namespace ext::oneapi {
enum class peer_access { access_supported, atomics_supported };
}

class device : public detail::object<device, detail::device_interface> {
public:
  device() : object(lockstep_sycl_library().default_device()) {}
  template <class Selector, std::enable_if_t<detail::is_device_selector<Selector>, int> = 0>
  explicit device(const Selector &selector); // defined in device_selector.hpp

  template <class Handle, detail::if_handle<Handle, _cl_device_id> = 0>
  [[deprecated("use make_device()")]] explicit device(Handle of)
      : object(detail::opencl_members<device, Handle>::made(of)) {}
  template <class Of = device> [[deprecated("use get_native()")]] _cl_device_id *get() const {
    return detail::opencl_members<Of, _cl_device_id *>::get(*this);
  }

  backend get_backend() const noexcept { return backend::opencl; }
  platform get_platform() const {
    return detail::pointer_access::make<platform>(shared_->platform());
  }
  template <class Query> auto get_info() const {
    if constexpr (std::is_same_v<Query, info::device::platform>)
      return get_platform();
    else if constexpr (std::is_same_v<Query, info::device::parent_device>)
      return parent();
    else if constexpr (std::is_same_v<Query, info::device::built_in_kernel_ids>)
      return typename Query::return_type(); // there are no such devices
    else if constexpr (detail::answers_itself<Query, const device &>)
      return Query::answer(*this);
    else {
      static_assert(
          detail::is_query_of<Query, device>,
          "get_info() of a device takes a type of info::device (SYCL 2020 section 4.6.4.2)");
      return detail::ask<Query>(*shared_);
    }
  }
  template <template <int> class Query>
  [[deprecated("say of how many dimensions")]] auto get_info() const {
    return get_info<Query<3>>();
  }
  // The backend defines no descriptors of its own (appendix C): the ones of get_info serve.
  template <class Query> auto get_backend_info() const { return get_info<Query>(); }
  bool has(aspect what) const { return shared_->has(what); }
  bool is_cpu() const { return has(aspect::cpu); }
  bool is_gpu() const { return has(aspect::gpu); }
  bool is_accelerator() const { return has(aspect::accelerator); }
  [[deprecated("there is no host device in SYCL 2020")]] bool is_host() const { return false; }
  [[deprecated("use has()")]] bool has_extension(const std::string &name) const {
    for (const std::string &extension : get_info<info::device::extensions>())
      if (extension == name)
        return true;
    return false;
  }

  // sycl_ext_oneapi_device_architecture
  bool ext_oneapi_architecture_is(ext::oneapi::experimental::architecture what) const {
    return get_info<ext::oneapi::experimental::info::device::architecture>() == what;
  }
  bool ext_oneapi_architecture_is(ext::oneapi::experimental::arch_category what) const {
    // device_architecture.def numbers each category from a multiple of 1000 on.
    return static_cast<int>(get_info<ext::oneapi::experimental::info::device::architecture>()) /
               1000 ==
           static_cast<int>(what);
  }

  // sycl_ext_oneapi_peer_access: devices that work on the host's memory can access each other's
  // allocations at any time. No other device can.
  bool ext_oneapi_can_access_peer(
      const device &peer,
      ext::oneapi::peer_access = ext::oneapi::peer_access::access_supported) const {
    return has(aspect::usm_system_allocations) && peer.has(aspect::usm_system_allocations);
  }
  // errc::feature_not_supported: this device cannot access the peer's memory.
  void ext_oneapi_enable_peer_access(const device &peer) const { require_access_to(peer); }
  void ext_oneapi_disable_peer_access(const device &peer) const { require_access_to(peer); }

  template <info::partition_property Property>
  std::vector<device> create_sub_devices(std::size_t units) const {
    static_assert(Property == info::partition_property::partition_equally);
    return detail::make_all<device>(shared_->partition_equally(units));
  }
  template <info::partition_property Property>
  std::vector<device> create_sub_devices(const std::vector<std::size_t> &counts) const {
    static_assert(Property == info::partition_property::partition_by_counts);
    return detail::make_all<device>(shared_->partition(counts));
  }
  template <info::partition_property Property>
  std::vector<device> create_sub_devices(info::partition_affinity_domain domain) const {
    static_assert(Property == info::partition_property::partition_by_affinity_domain);
    return detail::make_all<device>(shared_->partition(domain));
  }

  static std::vector<device> get_devices(info::device_type type = info::device_type::all) {
    std::vector<device> found;
    for (const platform &one : platform::get_platforms())
      for (const device &of_it : one.get_devices(type))
        found.push_back(of_it);
    return found;
  }

private:
  friend detail::pointer_access;
  explicit device(detail::device_pointer shared) : object(std::move(shared)) {}
  void require_access_to(const device &peer) const {
    if (!ext_oneapi_can_access_peer(peer))
      detail::raise(errc::feature_not_supported, "the device cannot access the memory of the peer "
                                                 "(sycl_ext_oneapi_peer_access)");
  }
  device parent() const {
    if (auto found = shared_->parent())
      return device(std::move(found));
    detail::raise(errc::invalid, "the device is a root device and has no parent");
  }
};

inline std::vector<device> platform::get_devices(info::device_type type) const {
  return detail::make_all<device>(shared_->devices(type));
}

inline bool platform::has(aspect what) const {
  for (const device &one : get_devices())
    if (!one.has(what))
      return false;
  return true;
}

} // namespace sycl

template <> struct std::hash<sycl::device> : sycl::detail::hash_of_object<sycl::device> {};
