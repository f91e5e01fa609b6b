#include "runtime/root_devices/device_report.h"

#include "runtime/launch/nvidia/cuda_driver.h"

#include <fmt/format.h>

namespace lockstep::runtime {

std::vector<DeviceReport> report_other_devices() {
  const auto &driver = CudaDriver::of_process();
  if (!driver)
    return {{DeviceReport::State::absent, "NVIDIA", driver.error().message}};
  std::vector<DeviceReport> reports;
  for (const CudaCard &card : (*driver)->cards()) {
    const std::string name = fmt::format("{}, compute capability {}.{}, {:.1f} GiB, CUDA {}",
                                         card.name, card.capability / 10, card.capability % 10,
                                         double(card.memory_bytes) / (uint64_t{1} << 30),
                                         cuda_version_text((*driver)->version()));
    if (card.obstacle.empty())
      reports.push_back({DeviceReport::State::usable, "NVIDIA",
                         name + "; LOCKSTEP_NVIDIA=1 lists it, but its support is not complete"});
    else
      reports.push_back({DeviceReport::State::obstructed, "NVIDIA",
                         fmt::format("{} is not used: {}", name, card.obstacle)});
  }
  return reports;
}

} // namespace lockstep::runtime
