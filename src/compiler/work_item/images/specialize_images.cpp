// Replaces calls that access images by code that is specialized for the known formats and samplers.
//
// Requires: the kernel after inlining and SROA, with calls of __lockstep_image_...
// (device_lib/images/images.h). Its attribute "lockstep-image-arguments" (specialization_attributes.h)
// describes the arguments of the launch.
// Ensures: no such call is left. Known samplers and formats of arguments are constants. Accesses to
// images of unknown format, and all accesses of a kernel with very many, call out-of-line functions
// (kernel_ir/out_of_line_function.h), whose signatures plain-signatures must still simplify. If the
// kernel is checked or may wait, they are inlined, too.
//
// Why not with the device library: its functions for any format are large, and a kernel may read an
// image at many places. Inlined from the outside with constant arguments, only the one case that
// applies is copied. Before SROA the pass could not see which argument an image is. Unknown
// properties are read from the descriptor; such branches are uniform. The code for any format is 40
// times as large as that for one, so it is compiled once for each kind of access. With 287 inlined
// reads, each with a path for inside and one for outside, a kernel takes 30 times as long to
// compile as out of line; its only gain is that rows are loaded at once.
#include "compiler/work_item/images/passes.h"

#include "abi/image_descriptor.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/waits/analysis/waits.h"
#include "compiler/work_item/link/link_device_library.h"
#include "kernel_ir/function_families.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "abi/address_spaces.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <map>
#include <vector>

namespace lockstep::compiler {

namespace {

// The most accesses of known formats to inline: a neighborhood of 9 x 9 texels, and a filter's
// other accesses.
constexpr uint64_t most_in_line = limits::small_code;
constexpr llvm::StringLiteral format_query = "__lockstep_image_format";

bool is_access(const llvm::Function &function) {
  return is_of(FunctionFamily::image, function) && function.getName() != format_query;
}

void mark_invariant(llvm::LoadInst &load) {
  load.setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(load.getContext(), {}));
}

// An image or sampler reaches its use as the kernel's argument; nothing else can hold one.
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

// Inactive lanes, whose coordinates may be undefined, also take part in a check of all lanes. The
// operands of a comparison are frozen, not its result, so that the lanes stage still sees the
// comparison.
void freeze_check(llvm::CallInst &call) {
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

// The library reads only descriptors and tables from constant memory.
void prepare(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        load && load->getPointerAddressSpace() == constant_space)
      mark_invariant(*load);
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call)
      continue;
    call->setCallingConv(llvm::CallingConv::C);
    if (called_primitive(*call) == Primitive::all_lanes)
      freeze_check(*call);
  }
}

// A loop may wait for ordinary memory, such as an image, if there are fences, or barriers and
// accesses that a loop can wait for (analysis/waits.h). That analysis does not see what a call
// reads.
bool may_wait_for_texels(const llvm::Function &kernel) {
  bool has_barrier = false, has_access = false;
  for (const llvm::Instruction &instruction : llvm::instructions(kernel)) {
    if (llvm::isa<llvm::FenceInst>(instruction) ||
        called_primitive(instruction) == Primitive::sub_group_barrier)
      return true;
    has_barrier |= is_group_operation(instruction);
    has_access |= may_be_changed_by_others(instruction);
  }
  return has_barrier && has_access;
}

// Whether it reads or writes texels; accesses to words are small.
bool is_of_texels(const llvm::CallBase &call) {
  const llvm::StringRef name = call.getCalledFunction()->getName();
  return (name.contains("_read_") || name.contains("_sample_") || name.contains("_write_")) &&
         !name.contains("_word_");
}

bool is_of_any_format(const llvm::CallBase &call) {
  constexpr unsigned format = 1;
  return !llvm::isa<llvm::ConstantInt>(call.getArgOperand(format));
}

// Counts the accesses as if loops of a few iterations were unrolled already.
uint64_t count_unrolled(llvm::ArrayRef<llvm::CallBase *> calls, const llvm::Function &kernel,
                        const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution) {
  uint64_t count = 0;
  for (const llvm::CallBase *call : calls) {
    if (!is_of_texels(*call) || call->getFunction() != &kernel)
      continue;
    uint64_t times = 1;
    for (const llvm::Loop *loop = loops.getLoopFor(call->getParent()); loop;
         loop = loop->getParentLoop())
      if (const unsigned iterations = evolution.getSmallConstantTripCount(loop);
          iterations > 1 && iterations <= limits::lanes_in_line)
        times *= iterations;
    count += times;
  }
  return count;
}

// Out-of-line functions, one for all calls of an access with the same constants.
class FunctionsOutOfLine {
public:
  // Replaces `call` by a call of such a function. If the function is new, returns the inner call of
  // the access.
  llvm::CallBase *move(llvm::CallBase &call) {
    std::vector<const llvm::Value *> key = {call.getCalledFunction()};
    llvm::SmallVector<llvm::Value *> arguments;
    for (llvm::Value *argument : call.args()) {
      auto *constant = llvm::dyn_cast<llvm::ConstantInt>(argument);
      key.push_back(constant);
      if (!constant)
        arguments.push_back(argument);
    }
    llvm::Function *&function = functions_[key];
    llvm::CallBase *inner = nullptr;
    if (!function)
      function = make(call, arguments, inner);
    auto *moved = llvm::CallInst::Create(function, arguments, "", call.getIterator());
    moved->setDebugLoc(call.getDebugLoc());
    moved->takeName(&call);
    call.replaceAllUsesWith(moved);
    call.eraseFromParent();
    return inner;
  }

  // Coordinates differ between lanes there and are unknown, so the check fails, which is always
  // correct.
  void fail_checks() const {
    for (const auto &[key, function] : functions_)
      for (llvm::Instruction &instruction :
           llvm::make_early_inc_range(llvm::instructions(*function)))
        if (called_primitive(instruction) == Primitive::all_lanes) {
          instruction.replaceAllUsesWith(llvm::ConstantInt::getFalse(instruction.getContext()));
          instruction.eraseFromParent();
        }
  }

private:
  static llvm::Function *make(const llvm::CallBase &call, llvm::ArrayRef<llvm::Value *> arguments,
                              llvm::CallBase *&inner) {
    llvm::Function &access = *call.getCalledFunction();
    llvm::SmallVector<llvm::Type *> types;
    for (const llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    auto *function = llvm::Function::Create(
        llvm::FunctionType::get(access.getReturnType(), types, false),
        llvm::GlobalValue::InternalLinkage, access.getName() + ".out.of.line", access.getParent());
    function->addFnAttr(out_of_line_function);
    function->addFnAttr(image_access_function);
    function->addFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->addFnAttr(llvm::Attribute::WillReturn);
    if (!access.getReturnType()->isVoidTy())
      function->setOnlyReadsMemory();
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(access.getContext(), "", function));
    llvm::SmallVector<llvm::Value *> all;
    unsigned next = 0;
    for (llvm::Value *argument : call.args())
      all.push_back(llvm::isa<llvm::ConstantInt>(argument) ? argument : function->getArg(next++));
    auto *result = builder.CreateCall(&access, all);
    if (access.getReturnType()->isVoidTy())
      builder.CreateRetVoid();
    else
      builder.CreateRet(result);
    inner = result;
    return function;
  }

  std::map<std::vector<const llvm::Value *>, llvm::Function *> functions_;
};

} // namespace

llvm::PreservedAnalyses SpecializeImagesPass::run(llvm::Module &module,
                                                  llvm::ModuleAnalysisManager &analyses) {
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
        // SYCL's kernels call with the convention of the front end.
        calls.back()->setCallingConv(llvm::CallingConv::C);
      }
  if (calls.empty())
    return known.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();

  llvm::SmallPtrSet<llvm::Function *, 16> own;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      own.insert(&function);
  link_functions(module, library_, "image_access");
  llvm::SmallVector<llvm::Function *> library;
  for (llvm::Function &function : module) {
    function.setCallingConv(llvm::CallingConv::C);
    if (function.isDeclaration() || own.contains(&function))
      continue;
    prepare(function);
    library.push_back(&function);
  }
  FunctionsOutOfLine functions;
  auto &of_functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  const bool are_many =
      count_unrolled(calls, kernel, of_functions.getResult<llvm::LoopAnalysis>(kernel),
                     of_functions.getResult<llvm::ScalarEvolutionAnalysis>(kernel)) > most_in_line;
  if (keeps_functions_ && !may_wait_for_texels(kernel))
    for (llvm::CallBase *&call : calls)
      if (is_of_texels(*call) && (are_many || is_of_any_format(*call)))
        call = functions.move(*call);
  llvm::erase(calls, nullptr);
  // A callee's calls follow, with the constants that its caller passes.
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
  functions.fail_checks();
  for (llvm::Function *function : library)
    function->dropAllReferences();
  for (llvm::Function *function : library)
    function->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
