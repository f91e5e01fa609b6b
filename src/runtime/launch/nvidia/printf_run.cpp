#include "runtime/launch/nvidia/printf_run.h"

#include "abi/nvidia_printf.h"
#include "back_ends/cpu/host_functions/device_printf.h"
#include "runtime/launch/nvidia/printf_records.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace lockstep::runtime {

// The stream copies them to the host behind each launch.
static constexpr std::size_t copied_bytes = sizeof(lockstep_printf_buffer) + PrintfRun::least_bytes;

Result<std::unique_ptr<PrintfRun>> PrintfRun::make(std::shared_ptr<const LoadedKernel> code,
                                                   std::shared_ptr<MemorySpace> space,
                                                   uint64_t work_items) {
  const std::size_t capacity = std::clamp(
      std::min<uint64_t>(work_items, most_bytes) * bytes_for_work_item, least_bytes, most_bytes);
  std::unique_ptr<PrintfRun> made(new PrintfRun(std::move(code), std::move(space), capacity));
  const CudaContext &context = *made->code_->context;
  auto block = DeviceBlock::make(made->space_, sizeof(lockstep_printf_buffer) + capacity);
  LOCKSTEP_TRY(block);
  made->on_card_ = std::move(*block);
  void *pinned = nullptr;
  LOCKSTEP_TRY(context.checked(context.cuda().allocate_pinned(&pinned, copied_bytes, 0),
                               "cuMemHostAlloc for the output of printf"));
  made->pinned_ = static_cast<std::byte *>(pinned);
  return made;
}

PrintfRun::~PrintfRun() {
  if (!pinned_)
    return;
  const CudaContext::Use use(*code_->context);
  code_->context->cuda().free_pinned(pinned_);
}

Result<void> PrintfRun::begin(cuda::Stream *stream) {
  const lockstep_printf_buffer empty{.capacity = capacity_, .used = 0};
  std::memcpy(pinned_, &empty, sizeof empty);
  const CudaContext &context = *code_->context;
  return context.checked(
      context.cuda().copy_to_device(on_card_->address(), pinned_, sizeof empty, stream),
      "cuMemcpyHtoD");
}

Result<void> PrintfRun::end(cuda::Stream *stream) {
  const CudaContext &context = *code_->context;
  return context.checked(
      context.cuda().copy_to_host(pinned_, on_card_->address(), copied_bytes, stream),
      "cuMemcpyDtoH");
}

Result<void> PrintfRun::finish(Command &command) {
  lockstep_printf_buffer header;
  std::memcpy(&header, pinned_, sizeof header);
  const std::size_t used = std::min<std::size_t>(header.used, capacity_);
  if (used <= least_bytes) {
    print_records({pinned_ + sizeof header, used}, code_->code.printf_formats);
  } else {
    std::vector<std::byte> records(used);
    LOCKSTEP_TRY(space_->read(records.data(), on_card_->data() + sizeof header, used));
    print_records(records, code_->code.printf_formats);
  }
  compiler::flush_device_printf();
  if (header.used > capacity_)
    command.warn("the output of printf of this launch is cut: the buffer has " +
                 std::to_string(capacity_) + " bytes");
  return {};
}

} // namespace lockstep::runtime
