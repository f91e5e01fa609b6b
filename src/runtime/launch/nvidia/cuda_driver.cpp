#include "runtime/launch/nvidia/cuda_driver.h"

#include "platform/linux/leaked.h"
#include "support/environment.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <fmt/format.h>

namespace lockstep::runtime {
namespace {

constexpr int oldest_version = 11000; // its PTX is version 7.0
constexpr int oldest_capability = 70; // older cards have no acquire and release

// The least version of CUDA that accepts PTX for a card (PTX ISA, "Release Notes").
struct CapabilityRow {
  int capability, version;
};
constexpr CapabilityRow versions_of_capabilities[] = {
    {120, 12080}, {103, 12090}, {100, 12080}, {90, 11080}, {89, 11080}, {87, 11040}, {86, 11010},
};

int version_for(int capability) {
  for (const CapabilityRow &row : versions_of_capabilities)
    if (capability >= row.capability)
      return row.version;
  return oldest_version;
}

struct ErrorRow {
  cuda::Status status;
  ErrorKind kind;
  bool loses_context;
};
constexpr ErrorRow errors[] = {
    {cuda::out_of_memory, ErrorKind::out_of_resources, false},
    {cuda::launch_out_of_resources, ErrorKind::out_of_resources, false},
    {cuda::no_device, ErrorKind::unsupported, false},
    {cuda::unsupported_ptx_version, ErrorKind::unsupported, false},
    {cuda::uncorrectable_memory_error, ErrorKind::out_of_resources, true},
    {cuda::illegal_address, ErrorKind::kernel_fault, true},
    {cuda::launch_timeout, ErrorKind::kernel_fault, true},
    {cuda::assertion, ErrorKind::kernel_fault, true},
    {cuda::hardware_stack_error, ErrorKind::kernel_fault, true},
    {cuda::illegal_instruction, ErrorKind::kernel_fault, true},
    {cuda::misaligned_address, ErrorKind::kernel_fault, true},
    {cuda::invalid_address_space, ErrorKind::kernel_fault, true},
    {cuda::invalid_pc, ErrorKind::kernel_fault, true},
    {cuda::launch_failed, ErrorKind::kernel_fault, true},
};

const ErrorRow *row_of(cuda::Status status) {
  const auto row = std::ranges::find(errors, status, &ErrorRow::status);
  return row == std::end(errors) ? nullptr : row;
}

// Never closed: libcuda has threads that run until the process ends.
void *open(const std::string &library) {
  return dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
}

Error cannot_use(std::string sentence) {
  return {ErrorKind::unsupported, std::move(sentence)};
}

} // namespace

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

bool CudaDriver::loses_context(cuda::Status status) {
  const ErrorRow *row = row_of(status);
  return row && row->loses_context;
}

Result<void> CudaDriver::checked(cuda::Status status, std::string_view call) const {
  if (status == cuda::success)
    return {};
  const char *name = nullptr, *text = nullptr;
  error_name(status, &name);
  error_text(status, &text);
  const ErrorRow *row = row_of(status);
  return Error{row ? row->kind : ErrorKind::internal,
               fmt::format("{} failed: {} ({})", call,
                           name ? name : fmt::format("CUDA error {}", status),
                           text ? text : "the driver has no text for this error")};
}

Result<void> CudaDriver::check_process() const {
  if (generation_ == fork_generation())
    return {};
  return Error{ErrorKind::out_of_resources,
               "CUDA does not work in a process that was forked after its parent had queried the "
               "devices; query them in the child only"};
}

Result<void> CudaDriver::find_functions(void *library, const std::string &name) {
#define CUDA_FUNCTION(function, symbol, ...)                                                       \
  function = reinterpret_cast<decltype(function)>(dlsym(library, #symbol));                        \
  if (!function)                                                                                   \
    return cannot_use(name + " has no function " #symbol                                           \
                             "; install an NVIDIA driver with CUDA 11.0 or later");
#include "runtime/launch/nvidia/cuda_functions.def"
#undef CUDA_FUNCTION
  return {};
}

Result<CudaCard> CudaDriver::describe(int index) const {
  CudaCard card;
  card.index = index;
  LOCKSTEP_TRY(checked(device_get(&card.device, index), "cuDeviceGet"));
  std::array<char, 256> name{};
  LOCKSTEP_TRY(
      checked(device_name(name.data(), int(name.size()) - 1, card.device), "cuDeviceGetName"));
  card.name = name.data();
  std::size_t bytes = 0;
  LOCKSTEP_TRY(checked(device_memory(&bytes, card.device), "cuDeviceTotalMem"));
  card.memory_bytes = bytes;
  int major = 0, minor = 0;
  LOCKSTEP_TRY(checked(device_attribute(&major, cuda::compute_capability_major, card.device),
                       "cuDeviceGetAttribute"));
  LOCKSTEP_TRY(checked(device_attribute(&minor, cuda::compute_capability_minor, card.device),
                       "cuDeviceGetAttribute"));
  card.capability = major * 10 + minor;
  if (card.capability < oldest_capability)
    card.obstacle = fmt::format("its compute capability is {}.{}, but Lockstep needs 7.0 or later",
                                major, minor);
  else if (version_ < version_for(card.capability))
    card.obstacle =
        fmt::format("it needs a driver with CUDA {} or later, but this one has {}",
                    cuda_version_text(version_for(card.capability)), cuda_version_text(version_));
  return card;
}

Result<void> CudaDriver::find_cards() {
  int count = 0;
  LOCKSTEP_TRY(checked(device_count(&count), "cuDeviceGetCount"));
  for (int index = 0; index < count; ++index) {
    auto card = describe(index);
    if (!card) // one card is broken; others may work
      card = CudaCard{index, 0, "a card", 0, 0, card.error().message};
    cards_.push_back(std::move(*card));
  }
  if (cards_.empty())
    return cannot_use("the NVIDIA driver is installed, but it lists no card");
  return {};
}

Result<std::shared_ptr<const CudaDriver>> CudaDriver::load(const std::string &name) {
  void *library = open(name);
  if (!library) {
    const char *reason = dlerror();
    return cannot_use("no NVIDIA driver: " + std::string(reason ? reason : name.c_str()));
  }
  std::shared_ptr<CudaDriver> made(new CudaDriver);
  LOCKSTEP_TRY(made->find_functions(library, name));
  // cuDriverGetVersion works without cuInit, so a driver that is too old is not started.
  LOCKSTEP_TRY(made->checked(made->driver_version(&made->version_), "cuDriverGetVersion"));
  if (made->version_ < oldest_version)
    return cannot_use(fmt::format("the NVIDIA driver has CUDA {}, but Lockstep needs {} or later; "
                                  "install a newer driver",
                                  cuda_version_text(made->version_),
                                  cuda_version_text(oldest_version)));
  LOCKSTEP_TRY(made->checked(made->init(0), "cuInit"));
  made->generation_ = fork_generation();
  LOCKSTEP_TRY(made->find_cards());
  return std::shared_ptr<const CudaDriver>(std::move(made));
}

namespace {

std::string library_of_process() {
  return environment("CUDA_LIBRARY").value_or("libcuda.so.1");
}

} // namespace

const Result<std::shared_ptr<const CudaDriver>> &CudaDriver::of_process() {
  return leaked([] { return load(library_of_process()); });
}

bool CudaDriver::is_installed() {
  return leaked([] { return open(library_of_process()) != nullptr; });
}

} // namespace lockstep::runtime
