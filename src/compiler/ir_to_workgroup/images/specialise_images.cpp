#include "compiler/ir_to_workgroup/images/specialise_images.h"

#include "compiler/image_descriptor.h"
#include "compiler/ir_to_workgroup/kernel_function.h"
#include "compiler/ir_to_workgroup/link/link_device_library.h"
#include "compiler/ir_to_workgroup/specialisation_attributes.h"
#include "compiler/kernel_ir/primitives.h"
#include "device_lib/device_library.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace lockstep::compiler {

namespace {

constexpr llvm::StringLiteral format_query = "__lockstep_image_format";
constexpr llvm::StringLiteral access_prefix = "__lockstep_image_";

bool is_access(const llvm::Function &function) {
  return function.getName().starts_with(access_prefix) && function.getName() != format_query;
}

void mark_invariant(llvm::LoadInst &load) {
  load.setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(load.getContext(), {}));
}

// An image or sampler reaches its use as the kernel's argument: nothing else can hold one.
void use_known_samplers(llvm::Function &kernel, llvm::ArrayRef<uint32_t> known) {
  for (llvm::Argument &argument : kernel.args())
    if (argument.getArgNo() < known.size() && known[argument.getArgNo()] != 0 &&
        argument.getType()->isIntegerTy(32))
      argument.replaceAllUsesWith(
          llvm::ConstantInt::get(argument.getType(), known[argument.getArgNo()]));
}

void answer_format_queries(llvm::Function &query, const llvm::Function &kernel,
                           llvm::ArrayRef<uint32_t> known) {
  for (llvm::User *user : llvm::make_early_inc_range(query.users())) {
    auto *call = llvm::cast<llvm::CallInst>(user);
    llvm::Value *image = call->getArgOperand(0);
    auto *argument = llvm::dyn_cast<llvm::Argument>(image);
    llvm::Value *format = nullptr;
    if (argument && argument->getParent() == &kernel && argument->getArgNo() < known.size() &&
        known[argument->getArgNo()] != 0) {
      format = llvm::ConstantInt::get(call->getType(), known[argument->getArgNo()]);
    } else {
      llvm::IRBuilder<> builder(call);
      llvm::LoadInst *load = builder.CreateAlignedLoad(
          call->getType(),
          builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), image,
                                             offsetof(ImageDescriptor, format)),
          llvm::Align(4), "format");
      mark_invariant(*load);
      format = load;
    }
    call->replaceAllUsesWith(format);
    call->eraseFromParent();
  }
  query.eraseFromParent();
}

// A question about all lanes is answered by lanes that are not active as well, whose coordinates may be anything. An index
// is frozen before it is compared, so that the lanes stage still sees the comparison.
void freeze_question(llvm::CallInst &call) {
  llvm::IRBuilder<> builder(&call);
  llvm::Value *condition = call.getArgOperand(0);
  auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
  call.setArgOperand(0, comparison
                            ? builder.CreateICmp(comparison->getPredicate(),
                                                 builder.CreateFreeze(comparison->getOperand(0)),
                                                 builder.CreateFreeze(comparison->getOperand(1)))
                            : builder.CreateFreeze(condition));
  llvm::AttributeList attributes;
  call.setAttributes(attributes.addFnAttributes(
      call.getContext(), llvm::AttrBuilder(call.getContext(), call.getAttributes().getFnAttrs())));
}

// What the library reads from constant memory is descriptors and tables.
void prepare(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        load && load->getPointerAddressSpace() == 2)
      mark_invariant(*load);
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call)
      continue;
    call->setCallingConv(llvm::CallingConv::C);
    if (called_primitive(*call) == Primitive::all_lanes)
      freeze_question(*call);
  }
}

} // namespace

llvm::PreservedAnalyses SpecialiseImagesPass::run(llvm::Module &module,
                                                  llvm::ModuleAnalysisManager &) {
  llvm::Function &kernel = *kernel_function(module);
  const llvm::SmallVector<uint32_t> known = image_arguments(kernel);
  use_known_samplers(kernel, known);
  if (llvm::Function *query = module.getFunction(format_query))
    answer_format_queries(*query, kernel, known);
  llvm::SmallVector<llvm::CallBase *> calls;
  for (llvm::Function &function : module)
    if (is_access(function))
      for (llvm::User *user : function.users()) {
        calls.push_back(llvm::cast<llvm::CallBase>(user));
        calls.back()->setCallingConv(
            llvm::CallingConv::C); // SYCL's kernels call as the front end does
      }
  if (calls.empty())
    return known.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();

  llvm::SmallPtrSet<llvm::Function *, 16> own;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      own.insert(&function);
  link_functions(module, image_access_bitcode(), "image_access");
  llvm::SmallVector<llvm::Function *> library;
  for (llvm::Function &function : module) {
    function.setCallingConv(llvm::CallingConv::C);
    if (function.isDeclaration() || own.contains(&function))
      continue;
    prepare(function);
    library.push_back(&function);
  }
  // A callee's calls follow with the constants that its caller gave.
  while (!calls.empty()) {
    llvm::CallBase *call = calls.pop_back_val();
    llvm::InlineFunctionInfo info;
    if (!llvm::InlineFunction(*call, info).isSuccess())
      continue;
    calls.append(info.InlinedCallSites.begin(), info.InlinedCallSites.end());
    llvm::erase_if(calls, [](const llvm::CallBase *inlined) {
      const llvm::Function *callee = inlined->getCalledFunction();
      return !callee || callee->isDeclaration();
    });
  }
  for (llvm::Function *function : library)
    function->dropAllReferences();
  for (llvm::Function *function : library)
    function->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
