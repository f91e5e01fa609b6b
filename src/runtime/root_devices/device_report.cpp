#include "runtime/root_devices/device_report.h"

#include "runtime/launch/nvidia/cuda_driver.h"
#include "runtime/root_devices/card_listing.h"

#include <fmt/format.h>

namespace lockstep::runtime {
namespace {

const char *not_listed(CardListing listing) {
  return listing == CardListing::none ? "; LOCKSTEP_NVIDIA=0 hides it"
                                      : "; hidden, as LOCKSTEP_CHECK or LOCKSTEP_DEBUGGER is set";
}

} // namespace

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
                         name + (lists_cards(card_listing()) ? "" : not_listed(card_listing()))});
    else
      reports.push_back({DeviceReport::State::obstructed, "NVIDIA",
                         fmt::format("{} is not used: {}", name, card.obstacle)});
  }
  return reports;
}

} // namespace lockstep::runtime
