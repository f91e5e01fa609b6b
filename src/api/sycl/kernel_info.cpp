// Kernel queries (SYCL 2020, section 4.11.13.2).
#include "api/sycl/kernel_bundle.h"
#include "api/sycl/queries.h"

#include <algorithm>

namespace lockstep::sycl_api {
namespace {

namespace of_kernel = sycl::info::kernel;
namespace on_device = sycl::info::kernel_device_specific;

struct KernelOnDevice {
  const KernelObject &object;
  runtime::Kernel &kernel;
  const Device &device;
  const compiler::KernelInfo &info() const { return kernel.info(); }
};

uint32_t num_args(const KernelObject &object) {
  if (const ImageKernel *kernel = object.in_image()) {
    if (kernel->parameters)
      return uint32_t(kernel->parameters->size());
    raise(sycl::errc::invalid,
          "num_args is asked of a kernel that is not a function of OpenCL C (SYCL "
          "2020 section 4.11.13.2)");
  }
  return uint32_t(object.any()->info().args.size());
}

std::string attributes(const KernelObject &object) {
  const compiler::KernelInfo &info = object.any()->info();
  if (object.is_of_source())
    return info.attributes;
  std::string text;
  auto add = [&](const std::string &one) { text += (text.empty() ? "" : " ") + one; };
  auto sizes = [](const std::array<uint32_t, 3> &size) {
    return std::to_string(size[2]) + "," + std::to_string(size[1]) + "," + std::to_string(size[0]);
  };
  if (info.reqd_work_group_size[0])
    add("reqd_work_group_size(" + sizes(info.reqd_work_group_size) + ")");
  if (info.work_group_size_hint[0])
    add("work_group_size_hint(" + sizes(info.work_group_size_hint) + ")");
  if (info.reqd_sub_group_size)
    add("reqd_sub_group_size(" + std::to_string(info.reqd_sub_group_size) + ")");
  return text;
}

std::string function_name(const KernelObject &object) {
  return object.is_of_source() ? object.any()->info().name : object.in_image()->name;
}

constexpr QueryRow<KernelObject> kernel_rows[] = {
    query_row<of_kernel::num_args, KernelObject, num_args>(),
    query_row<of_kernel::attributes, KernelObject, attributes>(),
    query_row<of_kernel::function_name, KernelObject, function_name>(),
};

sycl::range<3> global_work_size(const KernelOnDevice &) {
  raise(sycl::errc::invalid, "global_work_size is for devices of the type custom and built-in "
                             "kernels (SYCL 2020 section 4.11.13.2)");
}

std::size_t work_group_size(const KernelOnDevice &on) {
  const auto &required = on.info().reqd_work_group_size;
  return required[0] ? std::size_t(required[0]) * required[1] * required[2]
                     : on.kernel.largest_group(on.device.runtime());
}

sycl::range<3> compile_work_group_size(const KernelOnDevice &on) {
  const auto &required = on.info().reqd_work_group_size;
  return {required[2], required[1], required[0]};
}

uint32_t sub_group_size(const KernelOnDevice &on) {
  std::array<uint32_t, 3> local = on.info().reqd_work_group_size;
  if (!local[0])
    local = {uint32_t(work_group_size(on)), 1, 1};
  return value_or_raise(on.kernel.sub_group_size(local));
}

constexpr QueryRow<KernelOnDevice> device_rows[] = {
    query_row<on_device::global_work_size, KernelOnDevice, global_work_size>(),
    query_row<on_device::work_group_size, KernelOnDevice, work_group_size>(),
    query_row<on_device::compile_work_group_size, KernelOnDevice, compile_work_group_size>(),
    query_row<on_device::preferred_work_group_size_multiple, KernelOnDevice,
              [](const KernelOnDevice &on) {
                return std::min<std::size_t>(on.kernel.preferred_multiple(), work_group_size(on));
              }>(),
    query_row<on_device::private_mem_size, KernelOnDevice,
              [](const KernelOnDevice &on) { return on.info().private_memory_size; }>(),
    query_row<on_device::max_num_sub_groups, KernelOnDevice,
              [](const KernelOnDevice &on) {
                const uint32_t size = sub_group_size(on);
                return std::max<uint32_t>(1, uint32_t(work_group_size(on) + size - 1) / size);
              }>(),
    query_row<on_device::compile_num_sub_groups, KernelOnDevice,
              [](const KernelOnDevice &) { return 0; }>(), // C++ has no attribute for it
    query_row<on_device::max_sub_group_size, KernelOnDevice, sub_group_size>(),
    query_row<on_device::compile_sub_group_size, KernelOnDevice,
              [](const KernelOnDevice &on) { return on.info().reqd_sub_group_size; }>(),
};

} // namespace

void KernelObject::get_info(int number, void *to) const {
  answer_query<KernelObject>(kernel_rows, *this, number, to);
}

void KernelObject::get_info(int number, const sycl::detail::device_pointer &on_this,
                            void *to) const {
  const Device &device = device_behind(on_this);
  const std::shared_ptr<runtime::Kernel> kernel = on(device);
  answer_query<KernelOnDevice>(device_rows, {*this, *kernel, device}, number, to);
}

} // namespace lockstep::sycl_api
