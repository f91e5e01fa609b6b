#include "runtime/launch/cpu/kernel.h"

namespace lockstep::runtime {

CpuKernel::CpuKernel(std::shared_ptr<compiler::ProgramCode> program,
                     std::shared_ptr<const compiler::KernelInfo> info, uint32_t preferred_multiple)
    : program_(std::move(program)), info_(std::move(info)),
      preferred_multiple_(preferred_multiple) {}

CpuKernel::~CpuKernel() {
  for (Variant *variant = variants_.load(std::memory_order_acquire); variant;)
    delete std::exchange(variant, variant->next);
}

CpuKernel::Variant *CpuKernel::find(const std::array<uint32_t, 3> &local_size) const {
  for (Variant *v = variants_.load(std::memory_order_acquire); v; v = v->next)
    if (v->local_size == local_size)
      return v;
  return nullptr;
}

Result<CpuKernel::Variant *> CpuKernel::variant(const std::array<uint32_t, 3> &local_size) {
  if (Variant *known = find(local_size))
    return known;
  std::lock_guard lock(mutex_);
  if (Variant *known = find(local_size))
    return known;
  auto code = program_->kernel(info_->name, {local_size});
  if (!code)
    return code.take_error();
  auto *added = new Variant;
  added->local_size = local_size;
  added->code = std::move(*code);
  added->next = variants_.load(std::memory_order_relaxed);
  variants_.store(added, std::memory_order_release);
  return added;
}

} // namespace lockstep::runtime
