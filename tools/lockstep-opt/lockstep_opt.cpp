// lockstep-opt: runs passes of the compiler and of LLVM on an IR file, for the IR tests in
// tests/passes.
//
//   lockstep-opt -passes='isolate-group-operations,work-item-loops' --local-size=8,1,1 file.ll
#include "back_ends/cpu/pipeline/pipeline_cpu.h"
#include "back_ends/nvidia/passes/passes.h"
#include "back_ends/nvidia/pipeline/pipeline_nvidia.h"
#include "back_ends/nvidia/target/nvidia_target.h"
#include "compiler/options/target.h"
#include "front_ends/common/kernel_info_from_ir.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace lockstep::compiler;
namespace cl = llvm::cl;

static cl::opt<std::string> input(cl::Positional, cl::desc("<file.ll>"), cl::init("-"));
static cl::opt<std::string>
    passes("passes", cl::desc("Pipeline, as for opt; our passes stand in passes.def"));
static cl::opt<std::string> kernel_name("kernel",
                                        cl::desc("Kernel to work on (default: the only one)"));
static cl::opt<std::string> local_size("local-size",
                                       cl::desc("Specialize for this local size: X,Y,Z"));
static cl::list<std::string>
    local_arguments("local-argument",
                    cl::desc("Local memory for the address at a place of argument 0: "
                             "POSITION:VARIABLE:BYTES:ALIGNMENT[:WORD...]"));
static cl::opt<uint64_t>
    unprivatized_arguments("unprivatized-arguments",
                           cl::desc("Arguments that are not privatized, a bit each"));
static cl::opt<uint64_t>
    failed_assumptions("failed-assumptions",
                       cl::desc("Assumptions that do not hold for the launch, a bit each"));
static cl::opt<uint64_t>
    defined_arguments("defined-arguments",
                      cl::desc("Arguments of which all bytes are defined, a bit each"));
static cl::opt<uint64_t>
    defined_members("defined-members",
                    cl::desc("Pointers of argument 0 to memory that is all defined, a bit for each "
                             "eight bytes of it"));
static cl::opt<bool> has_no_offset("no-offset", cl::desc("The global offset is 0"));
static cl::opt<std::string>
    nvidia("nvidia", cl::desc("Architecture for the passes of NVIDIA devices, such as sm_90"));
static cl::opt<bool> quiet("quiet", cl::desc("Do not print the module"));

// If `passes` does not contain "specialize", adds its attribute to each function, so that tests
// need not name that pass.
static bool specialize(llvm::Module &module, std::array<uint32_t, 3> &size) {
  llvm::SmallVector<llvm::StringRef, 3> fields;
  llvm::StringRef(local_size).split(fields, ',');
  if (fields.size() != 3 || fields[0].getAsInteger(10, size[0]) ||
      fields[1].getAsInteger(10, size[1]) || fields[2].getAsInteger(10, size[2])) {
    llvm::errs() << "--local-size wants X,Y,Z\n";
    return false;
  }
  llvm::SmallVector<llvm::StringRef, 8> names;
  llvm::StringRef(passes).split(names, ',');
  if (llvm::is_contained(names, "specialize"))
    return true;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      set_specialized_local_size(function, size);
  return true;
}

// Returns the description of the selected kernel, if the file has kernel metadata (spir_kernel with
// clang's metadata).
static KernelInfo describe_kernel(const llvm::Module &module) {
  auto kernels = kernel_infos(module);
  if (!kernels)
    return {};
  for (KernelInfo &kernel : *kernels)
    if (kernel_name.empty() || kernel.name == kernel_name)
      return kernel;
  KernelInfo none;
  none.name = kernel_name;
  return none;
}

static bool read_local_arguments(std::vector<LocalArgument> &to) {
  for (llvm::StringRef text : local_arguments) {
    llvm::SmallVector<llvm::StringRef, 4> fields;
    text.split(fields, ':');
    LocalArgument argument;
    if (fields.size() < 4 || fields[0].getAsInteger(10, argument.position) ||
        fields[1].getAsInteger(10, argument.variable) ||
        fields[2].getAsInteger(10, argument.bytes) ||
        fields[3].getAsInteger(10, argument.alignment)) {
      llvm::errs() << "--local-argument wants POSITION:VARIABLE:BYTES:ALIGNMENT[:WORD...]\n";
      return false;
    }
    for (llvm::StringRef field : llvm::ArrayRef(fields).drop_front(4))
      if (field.getAsInteger(10, argument.words.emplace_back()))
        return false;
    to.push_back(argument);
  }
  return true;
}

static bool run(llvm::Module &module, llvm::TargetMachine &target,
                std::array<uint32_t, 3> specialized_size) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&target);
  WorkGroupOptions options = {
      describe_kernel(module), {specialized_size}, code_options_of_process()};
  options.specialization.unprivatized_arguments = unprivatized_arguments;
  options.specialization.failed_assumptions = failed_assumptions;
  options.specialization.defined_arguments = defined_arguments;
  options.specialization.defined_members = defined_members;
  options.specialization.has_no_offset = has_no_offset;
  if (!read_local_arguments(options.specialization.local_arguments))
    return false;
  register_passes(builder, target, options);
  LaunchBinding binding;
  register_nvidia_passes(builder, target, options, binding);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  register_analyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager manager;
  if (llvm::Error error = builder.parsePassPipeline(manager, passes)) {
    llvm::errs() << "lockstep-opt: " << llvm::toString(std::move(error)) << '\n';
    return false;
  }
  manager.run(module, modules);
  return true;
}

static std::unique_ptr<llvm::TargetMachine> make_machine() {
  if (nvidia.empty())
    return make_target_machine(code_options_of_process().target, /*optimize=*/true);
  auto target = find_nvidia_target(nvidia.getValue());
  if (!target) {
    llvm::errs() << "lockstep-opt: " << target.error().message << '\n';
    return nullptr;
  }
  return make_nvidia_machine(*target, /*optimize=*/true);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "runs Lockstep's compiler passes on LLVM IR\n");
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(input, diagnostic, context);
  if (!module) {
    diagnostic.print(argv[0], llvm::errs());
    return 1;
  }
  set_primitives(*module);
  std::unique_ptr<llvm::TargetMachine> target = make_machine();
  if (!target)
    return 1;
  std::array<uint32_t, 3> size{};
  if ((!local_size.empty() && !specialize(*module, size)) || !run(*module, *target, size))
    return 1;
  if (llvm::verifyModule(*module, &llvm::errs()))
    return 1;
  if (!quiet)
    module->print(llvm::outs(), nullptr);
  return context.getDiagHandlerPtr()->HasErrors;
}
