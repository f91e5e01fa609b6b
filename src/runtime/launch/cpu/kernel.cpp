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

namespace {

bool serves(const CpuKernel::Variant &variant, const compiler::Specialisation &wanted) {
  if (variant.specialisation == wanted)
    return true;
  if (variant.specialisation.local_size != wanted.local_size ||
      variant.code->groups_at_once != compiler::single_group)
    return false;
  for (int d = 0; d < 3; ++d)
    if (wanted.neighbours[d] > 1 && variant.specialisation.neighbours[d] == 1)
      return false;
  return true;
}

} // namespace

CpuKernel::Variant *CpuKernel::find(const compiler::Specialisation &wanted) const {
  for (Variant *v = variants_.load(std::memory_order_acquire); v; v = v->next)
    if (serves(*v, wanted))
      return v;
  return nullptr;
}

Result<CpuKernel::Variant *> CpuKernel::variant(const compiler::Specialisation &wanted) {
  if (Variant *known = find(wanted))
    return known;
  std::lock_guard lock(mutex_);
  if (Variant *known = find(wanted))
    return known;
  auto code = program_->kernel(info_->name, wanted);
  if (!code)
    return code.take_error();
  auto *added = new Variant;
  added->specialisation = wanted;
  added->code = std::move(*code);
  added->next = variants_.load(std::memory_order_relaxed);
  variants_.store(added, std::memory_order_release);
  return added;
}

} // namespace lockstep::runtime
