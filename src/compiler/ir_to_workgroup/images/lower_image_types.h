// Makes images addresses and samplers numbers, and pipes and their reservations too.
//
// Input:  kernel IR with its device library, in which clang's types of images, samplers, pipes and reservations stand as
//         they are: target("spirv.Image", ...), target("spirv.Sampler"), target("spirv.Pipe", ...) and
//         target("spirv.ReserveId").
// Output: an image is the address of its descriptor (src/compiler/image_descriptor.h), `ptr addrspace(2)`; a sampler is an
//         i32; a pipe is the address of its ring (src/runtime/memory/pipe.h), `ptr addrspace(1)`, a reservation an i64,
//         as is an event of an async copy.
//         __translate_sampler_initializer, __lockstep_sampler, __lockstep_descriptor_..., __lockstep_pipe_...,
//         __lockstep_reservation and __lockstep_reservation_number, which turn the ones into the others, are gone. Calls of
//         __lockstep_image_... are left for specialise-images.
//         In kernels that are checked, an argument that was a pipe has the attribute "lockstep-pipe", and calls of
//         __lockstep_tell_packets are left for instrument-accesses; in others they are gone, too.
//
// Right after linking: builtins of the device library take images as kernels do, and no later pass should meet a type
// that it knows nothing of.
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
