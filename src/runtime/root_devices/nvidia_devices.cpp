#include "runtime/root_devices/nvidia_devices.h"

#include "driver/compile_ptx.h"
#include "runtime/launch/nvidia/nvidia_device.h"

#include <fmt/format.h>

namespace lockstep::runtime {
namespace {

PtxCompiler compiler_for(const compiler::CodeOptions &options) {
  return {.kernel =
              [options](const compiler::KernelModule &module, std::string_view kernel,
                        const compiler::Specialization &specialization,
                        compiler::PtxVariant variant) {
                return compiler::compile_to_ptx(module, kernel, specialization, options, variant);
              },
          .variables =
              [options](const compiler::KernelModule &module) {
                return compiler::ptx_variables(module, options);
              },
          .warp_shape =
              [options](const compiler::KernelModule &module, std::string_view kernel) {
                return compiler::ptx_warp_shape(module, kernel, options);
              }};
}

} // namespace

Device::Devices nvidia_devices(const std::shared_ptr<Device> &host) {
  Device::Devices devices;
  const auto &driver = CudaDriver::of_process();
  if (!driver)
    return devices; // `lockstep doctor` says why
  for (const CudaCard &card : (*driver)->cards()) {
    auto options = compiler::code_options_for_nvidia(fmt::format("sm_{}", card.capability));
    if (!options)
      continue;
    auto device = NvidiaDevice::make(*driver, card, host, *options, compiler_for(*options));
    if (device)
      devices.push_back(std::move(*device));
  }
  return devices;
}

} // namespace lockstep::runtime
