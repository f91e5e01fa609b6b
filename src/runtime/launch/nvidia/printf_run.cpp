#include "runtime/launch/nvidia/printf_run.h"

#include "back_ends/cpu/host_functions/device_printf.h"

#include <algorithm>
#include <cstring>

namespace lockstep::runtime {

using compiler::PrintfBufferHeader;
using compiler::PrintfRecordHeader;

static constexpr std::size_t all_bytes = sizeof(PrintfBufferHeader) + PrintfRun::record_bytes;

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
  const PrintfBufferHeader empty{.capacity = uint32_t(record_bytes), .used = 0};
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
  PrintfBufferHeader header;
  std::memcpy(&header, pinned_, sizeof header);
  const std::byte *records = pinned_ + sizeof header;
  const std::size_t end = std::min<std::size_t>(header.used, record_bytes);
  std::size_t at = 0;
  while (at + sizeof(PrintfRecordHeader) <= end) {
    PrintfRecordHeader record;
    std::memcpy(&record, records + at, sizeof record);
    if (record.size < sizeof record || record.size > end - at ||
        record.format >= code_->code.printf_formats.size())
      break; // the first record that did not fit
    lockstep_device_printf(code_->code.printf_formats[record.format].c_str(),
                           records + at + sizeof record, record.size - sizeof record);
    at += record.size;
  }
  compiler::flush_device_printf();
  if (header.used > record_bytes)
    command.warn("the output of printf of this launch is cut: the buffer has " +
                 std::to_string(record_bytes) + " bytes");
  return {};
}

} // namespace lockstep::runtime
