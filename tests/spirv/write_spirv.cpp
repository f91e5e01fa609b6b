#include "write_spirv.h"

#include "mend_kernel_ir.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <memory>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" {
void LLVMInitializeSPIRVTargetInfo();
void LLVMInitializeSPIRVTarget();
void LLVMInitializeSPIRVTargetMC();
void LLVMInitializeSPIRVAsmPrinter();
}

namespace lockstep::test {
namespace {

// The back end writes zeros as OpConstantNull, which spirv-val refuses as an index of a structure.
// Replaces those of integers by OpConstant.
std::string with_plain_zeros(const std::string &module) {
  constexpr uint32_t type_int = 21, constant = 43, constant_null = 46;
  constexpr size_t header = 5;
  std::vector<uint32_t> words(module.size() / 4), result;
  std::memcpy(words.data(), module.data(), words.size() * 4);
  result.assign(words.begin(), words.begin() + header);
  std::map<uint32_t, uint32_t> widths; // of the types of integers
  for (size_t at = header, length = 0; at < words.size(); at += length) {
    length = std::max(words[at] >> 16, 1u);
    const uint32_t opcode = words[at] & 0xffff;
    if (opcode == type_int)
      widths[words[at + 1]] = words[at + 2];
    if (opcode == constant_null && widths.contains(words[at + 1])) {
      const uint32_t numbers = widths[words[at + 1]] > 32 ? 2 : 1;
      result.insert(result.end(), {(3 + numbers) << 16 | constant, words[at + 1], words[at + 2]});
      result.insert(result.end(), numbers, 0);
    } else {
      const auto begin = words.begin() + std::ptrdiff_t(at);
      result.insert(result.end(), begin,
                    begin + std::ptrdiff_t(std::min(length, words.size() - at)));
    }
  }
  return {reinterpret_cast<const char *>(result.data()), result.size() * 4};
}

// Named one by one: with `all` the back end writes extensions that no consumer knows.
constexpr const char *extensions =
    "+SPV_KHR_no_integer_wrap_decoration,+SPV_KHR_bit_instructions,+SPV_KHR_expect_assume,"
    "+SPV_KHR_uniform_group_instructions,+SPV_KHR_integer_dot_product,+SPV_KHR_subgroup_rotate,"
    "+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,"
    "+SPV_EXT_shader_atomic_float16_add,+SPV_KHR_linkonce_odr,+SPV_INTEL_subgroups,"
    "+SPV_KHR_shader_clock";

constexpr unsigned seconds_limit = 120;

void initialize() {
  LLVMInitializeSPIRVTargetInfo();
  LLVMInitializeSPIRVTarget();
  LLVMInitializeSPIRVTargetMC();
  LLVMInitializeSPIRVAsmPrinter();
  auto &options = llvm::cl::getRegisteredOptions();
  if (auto option = options.find("spirv-ext"); option != options.end())
    option->second->addOccurrence(0, "spirv-ext", extensions);
}

WrittenSpirv write_module(llvm::Module &module, const std::string &version) {
  const llvm::Triple triple("spirv64v" + version + "-unknown-unknown");
  WrittenSpirv result;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, result.error);
  if (!target)
    return result;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, "", "", {}, std::nullopt, std::nullopt, llvm::CodeGenOptLevel::None));
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  llvm::SmallString<0> words;
  llvm::raw_svector_ostream stream(words);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    result.error = "LLVM has no writer of SPIR-V";
    return result;
  }
  passes.run(module);
  result.words = with_plain_zeros(words.str().str());
  return result;
}

WrittenSpirv write_here(std::string_view bitcode, const std::string &version) {
  initialize();
  llvm::LLVMContext context;
  auto parsed = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "<kernel IR>"), context);
  if (!parsed)
    return {"", llvm::toString(parsed.takeError())};
  mend_kernel_ir(**parsed);
  return write_module(**parsed, version);
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written <= 0)
      return false;
    text.remove_prefix(written);
  }
  return true;
}

// In the child process: the result goes to the pipe, a byte that tells words from an error first.
[[noreturn]] void run_child(int pipe, std::string_view bitcode, const std::string &version) {
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
    signal(fault, SIG_DFL);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  alarm(seconds_limit);
  const WrittenSpirv result = write_here(bitcode, version);
  const bool done = result.words.empty() ? write_all(pipe, "e" + result.error)
                                         : write_all(pipe, "w" + result.words);
  _exit(done ? 0 : 1);
}

std::string read_all(int file) {
  std::string text;
  char block[1 << 16];
  for (ssize_t size; (size = read(file, block, sizeof block)) > 0;)
    text.append(block, size);
  return text;
}

} // namespace

WrittenSpirv write_spirv(std::string_view bitcode, const std::string &version) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return {"", "there is no pipe"};
  const pid_t child = fork();
  if (child == 0)
    run_child(ends[1], bitcode, version);
  close(ends[1]);
  const std::string text = child > 0 ? read_all(ends[0]) : "";
  close(ends[0]);
  int status = 1;
  if (child > 0)
    waitpid(child, &status, 0);
  if (status != 0 || text.empty())
    return {"", "LLVM's SPIR-V back end has crashed"};
  return text[0] == 'w' ? WrittenSpirv{text.substr(1), ""} : WrittenSpirv{"", text.substr(1)};
}

} // namespace lockstep::test
