// Devices: wraps runtime devices and answers the queries of SYCL.
#pragma once

#include "api/sycl/native_object.h"
#include "api/sycl/of_process.h"
#include "runtime/device/device.h"

#include "sycl/info.hpp"

#include "sycl/detail/library.hpp"

#include <memory>
#include <vector>

namespace lockstep::sycl_api {

// How a sub-device was made; empty for a root device.
struct Partition {
  sycl::info::partition_property by{};
  sycl::info::partition_affinity_domain domain{};
};

class Device final : public sycl::detail::device_interface,
                     public std::enable_shared_from_this<Device> {
public:
  using Pointers = std::vector<sycl::detail::device_pointer>;

  Device(std::shared_ptr<runtime::Device> device, std::shared_ptr<const Device> parent = nullptr,
         Partition partition = {})
      : device_(std::move(device)), parent_(std::move(parent)), partition_(partition) {}

  // Throws if this is a sub-device that was made before fork().
  void check_process() const {
    if (parent_)
      of_process_.check_process("this sub-device");
  }
  runtime::Device &runtime() const { return *device_; }
  const std::shared_ptr<runtime::Device> &shared_runtime() const { return device_; }
  const std::shared_ptr<const Device> &made_from() const { return parent_; }
  // The device that programs are compiled for.
  const std::shared_ptr<runtime::Device> &root() const;
  const Partition &partition() const { return partition_; }
  NativeObject &native() const { return native_; }

  sycl::detail::platform_pointer platform() const override;
  sycl::detail::device_pointer parent() const override {
    return std::const_pointer_cast<Device>(parent_);
  }
  bool has(sycl::aspect what) const override;
  int score_as_default() const override;
  Pointers partition(const std::vector<std::size_t> &counts) const override;
  Pointers partition_equally(std::size_t units) const override;
  Pointers partition(sycl::info::partition_affinity_domain by) const override;
  void get_info(int number, void *to) const override; // defined in device_info.cpp

private:
  Pointers made(Result<runtime::Device::Devices> devices, const Partition &partition) const;

  const OfProcess of_process_;
  const std::shared_ptr<runtime::Device> device_;
  const std::shared_ptr<const Device> parent_;
  const Partition partition_;
  mutable NativeObject native_;
};

// runtime::first_root_device(), which a program may not see. Loads no driver.
const std::shared_ptr<Device> &first_device();
// Those of runtime::root_devices() that DeviceFilter::of_process() accepts. Loads the drivers of
// cards, unless it accepts none.
const std::vector<std::shared_ptr<Device>> &root_devices();
// The device that sycl::default_selector_v prefers. Throws errc::runtime if there is none.
const std::shared_ptr<Device> &default_device();
sycl::info::device_type type_of(const Device &device);
const Device &device_behind(const sycl::detail::device_pointer &pointer);
std::vector<sycl::aspect> aspects_of(const Device &device);
// The extensions of OpenCL that the device has; null: those of the platform.
std::vector<std::string> extension_names(const runtime::Device *device);

} // namespace lockstep::sycl_api
