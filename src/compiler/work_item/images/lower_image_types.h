// Lowers types of images, samplers, pipes and reservations to addresses and integers.
//
// Requires: kernel IR with its device library, with clang's types target("spirv.Image", ...),
// target("spirv.Sampler"), target("spirv.Pipe", ...) and target("spirv.ReserveId").
// Ensures:
// - An image is the address of its descriptor (src/abi/image_descriptor.h), `ptr addrspace(2)`. A
//   sampler is an i32. A pipe is the address of its ring (src/runtime/memory/pipe.h), `ptr
//   addrspace(1)`. A reservation is an i64, as is an event of an async copy.
// - The conversion functions are gone: __translate_sampler_initializer, __lockstep_sampler,
//   __lockstep_descriptor_..., __lockstep_pipe_..., __lockstep_reservation and
//   __lockstep_reservation_number.
// - Calls of __lockstep_image_... are left for specialize-images.
// - In checked kernels, an argument that was a pipe has the attribute "lockstep-pipe", and calls of
//   __lockstep_record_packets are left for instrument-accesses. In others they are gone, too.
//
// Position: right after linking. Builtins of the device library take images as kernels do, and
// later passes do not know these types.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerImageTypesPass : public llvm::PassInfoMixin<LowerImageTypesPass> {
public:
  explicit LowerImageTypesPass(bool is_checked = false) : is_checked_(is_checked) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  bool is_checked_;
};

} // namespace lockstep::compiler
