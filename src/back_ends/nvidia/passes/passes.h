// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "back_ends/nvidia/ptx_code.h"
#include "kernel_ir/kernel_info.h"
#include "kernel_ir/pass_base.h"

#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

// Turns kernel IR for spir64 into IR for nvptx64.
class RetargetPass : public RequiredPass<RetargetPass> {
public:
  RetargetPass(const llvm::TargetMachine &target, KernelInfo kernel)
      : target_(target), kernel_(std::move(kernel)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
  KernelInfo kernel_;
};

inline constexpr char warp_shape_attribute[] = "lockstep-warp-shape"; // X,Y; absent: 32,1

// Chooses the arrangement of a warp where the program gives no local size.
class ChooseWarpShapePass : public RequiredPass<ChooseWarpShapePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Lets lanes that take different paths of a loop meet at its barriers and sub-group operations.
class MeetInLoopsPass : public RequiredPass<MeetInLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Computes which lanes come to a place in the code together, for SYCL's tangle_group.
class NameTangledLanesPass : public RequiredPass<NameTangledLanesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

inline constexpr char groups_wait_attribute[] = "lockstep-groups-wait";
inline constexpr char wait_metadata[] = "lockstep.wait"; // of back edges

// Calls that note-group-waits and meet-behind-waits generate for make-persistent.
inline constexpr char wait_function[] = "lockstep_nvidia_wait";
inline constexpr uint32_t always_changes = ~0u; // its `bytes`
inline constexpr char wait_begins_function[] = "lockstep_nvidia_wait_begins";
inline constexpr char wait_ends_function[] = "lockstep_nvidia_wait_ends";
inline constexpr char waits_write_local_metadata[] = "lockstep.waits_write_local";
inline constexpr char sub_group_rendezvous_function[] = "lockstep_nvidia_sub_group_rendezvous";
// Operations of parts of sub-groups wait for the lanes of a mask (nvidia/parts_of_sub_groups.cl).
inline constexpr const char *part_functions[] = {"lockstep_nvidia_ballot_of_part",
                                                 "lockstep_nvidia_shuffle_in_part",
                                                 "lockstep_nvidia_barrier_of_part"};
inline constexpr char group_size_function[] = "lockstep_nvidia_group_size"; // of bind-launch
inline constexpr char pool_attribute[] = "lockstep-pool";                   // of the parameter

// Marks functions that may wait for other work-groups, and loops that wait for other work-items.
class NoteGroupWaitsPass : public RequiredPass<NoteGroupWaitsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Does the same, and adds calls that tell what the loops wait for.
class NoteWaitSitesPass : public RequiredPass<NoteWaitSitesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Lets blocks of one size run groups of different sizes.
class FitGroupsPass : public RequiredPass<FitGroupsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

// Lets the work-items of a group meet between a wait and an operation of their sub-group.
class MeetBehindWaitsPass : public RequiredPass<MeetBehindWaitsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

// Makes a block run one group after the other, and suspend groups that wait.
class MakePersistentPass : public RequiredPass<MakePersistentPass> {
public:
  explicit MakePersistentPass(GroupFrames &frames) : frames_(frames) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

private:
  GroupFrames &frames_;
};

// Lets lanes leave a loop that waits one by one.
class DivergeAtWaitsPass : public RequiredPass<DivergeAtWaitsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

// Makes atomic stores to local memory exchanges.
class ExchangeLocalStoresPass : public RequiredPass<ExchangeLocalStoresPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Makes atomic sums of 16 bits in local memory loops of compare-and-swap.
class SumLocalHalvesBySwapsPass : public RequiredPass<SumLocalHalvesBySwapsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Adds small numbers of float by compare-and-swap where the hardware flushes subnormal sums.
class KeepSubnormalSumsPass : public RequiredPass<KeepSubnormalSumsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// What bind-launch reads and records.
struct LaunchBinding {
  std::vector<uint64_t> variable_offsets; // of all program-scope variables, in their block
  std::vector<PtxParameter> parameters;
  std::vector<std::string> printf_formats;
  GroupFrames frames; // of make-persistent
};

// Gives the kernel the parameters that CUDA launches it with.
class BindLaunchPass : public RequiredPass<BindLaunchPass> {
public:
  BindLaunchPass(KernelInfo kernel, PtxVariant variant, LaunchBinding &binding)
      : kernel_(std::move(kernel)), variant_(variant), binding_(binding) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);

private:
  KernelInfo kernel_;
  PtxVariant variant_;
  LaunchBinding &binding_;
};

// Links the functions of primitives.
class LowerGpuPrimitivesPass : public RequiredPass<LowerGpuPrimitivesPass> {
public:
  // `flushes`: subnormal numbers may count as zero.
  LowerGpuPrimitivesPass(const llvm::TargetMachine &target, bool flushes)
      : target_(target), flushes_(flushes) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);

private:
  const llvm::TargetMachine &target_;
  bool flushes_;
};

// Links functions that replace those of libclc and of the device library on GPUs.
class LinkGpuFunctionsPass : public RequiredPass<LinkGpuFunctionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

// Uses the GPU's approximate division and square root where OpenCL allows them.
class LowerFpmathPass : public RequiredPass<LowerFpmathPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Keeps loops with barriers as they are, in which few work-items change much local memory.
class KeepGuardedLoopsPass : public RequiredPass<KeepGuardedLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Lets a product and its negation share one multiplication.
class ShareProductsPass : public RequiredPass<ShareProductsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Requests how often the optimization unrolls loops.
class ChooseUnrollCountPass : public llvm::PassInfoMixin<ChooseUnrollCountPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Gives every symbol a name that PTX accepts.
class LegalNamesPass : public RequiredPass<LegalNamesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

} // namespace lockstep::compiler
