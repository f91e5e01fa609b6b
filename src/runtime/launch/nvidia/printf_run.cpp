#include "runtime/launch/nvidia/printf_run.h"

#include "abi/nvidia_printf.h"
#include "back_ends/cpu/host_functions/device_printf.h"
#include "runtime/launch/nvidia/printf_records.h"

#include <algorithm>
#include <cstring>

namespace lockstep::runtime {

static constexpr std::size_t all_bytes = sizeof(lockstep_printf_buffer) + PrintfRun::record_bytes;

Result<std::unique_ptr<PrintfRun>> PrintfRun::make(std::shared_ptr<const LoadedKernel> code,
                                                   std::shared_ptr<MemorySpace> space) {
  std::unique_ptr<PrintfRun> made(new PrintfRun(std::move(code)));
  const CudaContext &context = *made->code_->context;
  auto block = DeviceBlock::make(std::move(space), all_bytes);
  LOCKSTEP_TRY(block);
  made->on_card_ = std::move(*block);
  void *pinned = nullptr;
  LOCKSTEP_TRY(context.checked(context.cuda().allocate_pinned(&pinned, all_bytes, 0),
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
  const lockstep_printf_buffer empty{.capacity = record_bytes, .used = 0};
  std::memcpy(pinned_, &empty, sizeof empty);
  const CudaContext &context = *code_->context;
  return context.checked(
      context.cuda().copy_to_device(on_card_->address(), pinned_, sizeof empty, stream),
      "cuMemcpyHtoD");
}

Result<void> PrintfRun::end(cuda::Stream *stream) {
  const CudaContext &context = *code_->context;
  return context.checked(
      context.cuda().copy_to_host(pinned_, on_card_->address(), all_bytes, stream), "cuMemcpyDtoH");
}

Result<void> PrintfRun::finish(Command &command) {
  lockstep_printf_buffer header;
  std::memcpy(&header, pinned_, sizeof header);
  print_records({pinned_ + sizeof header, std::min<std::size_t>(header.used, record_bytes)},
                code_->code.printf_formats);
  compiler::flush_device_printf();
  if (header.used > record_bytes)
    command.warn("the output of printf of this launch is cut: the buffer has " +
                 std::to_string(record_bytes) + " bytes");
  return {};
}

} // namespace lockstep::runtime
