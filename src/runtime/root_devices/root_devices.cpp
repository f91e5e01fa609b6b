// Defines the list of root devices. Only this folder names the concrete devices.
#include "platform/linux/leaked.h"
#include "runtime/device/device.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/nvidia/cuda_driver.h"
#include "runtime/observers/observer.h"
#include "runtime/root_devices/card_listing.h"
#include "runtime/root_devices/nvidia_devices.h"
#include "runtime/trace/trace.h"

namespace lockstep::runtime {
namespace {

// A forked child keeps the devices of its parent, but starts its own trace and check.
void start_runtime() {
  leaked<AfterFork::make_again>([] {
    start_trace_if_wanted();
    start_checker(CpuDevice::root()->memory());
    return true;
  });
}

const Device::Devices &all_devices() {
  return leaked([] {
    Device::Devices cards;
    if (lists_cards(card_listing()))
      cards = nvidia_devices(CpuDevice::root());
    report_unchecked_cards(card_listing());
    const bool is_last = card_listing() == CardListing::first;
    cards.insert(is_last ? cards.end() : cards.begin(), CpuDevice::root());
    return cards;
  });
}

} // namespace

const std::shared_ptr<Device> &first_root_device() {
  start_runtime();
  return leaked([]() -> std::shared_ptr<Device> {
    return card_listing() == CardListing::first ? all_devices().front() : CpuDevice::root();
  });
}

const Device::Devices &root_devices() {
  start_runtime();
  return all_devices();
}

bool may_list_cards() {
  return lists_cards(card_listing());
}

bool has_driver_of_cards() {
  return may_list_cards() && CudaDriver::is_installed();
}

} // namespace lockstep::runtime
