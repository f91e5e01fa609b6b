#include "tools/lockstep++/ahead_of_time.h"

#include "src/api/inspection/inspection.h"
#include "support/byte_stream.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>
#include <map>

namespace lockstep::driver {
namespace {

using llvm::StringRef;

// What the description of an image says of a kernel.
struct DescribedKernel {
  std::string title;
  const char *hindrance = nullptr; // why its code cannot be made now
};

std::map<std::string, DescribedKernel> kernels_of(const DeviceCode &code) {
  std::map<std::string, DescribedKernel> kernels;
  llvm::SmallVector<StringRef> lines;
  StringRef(code.description).split(lines, '\n');
  for (const StringRef line : lines) {
    const auto [what, rest] = line.split(' ');
    const auto [name, more] = rest.split(' ');
    const auto kernel = kernels.find(name.str());
    if (what == "kernel")
      kernels.try_emplace(name.str());
    if (kernel == kernels.end())
      continue;
    if (what == "title")
      kernel->second.title = more.str();
    if (what == "uses")
      kernel->second.hindrance = "it uses a device variable, whose address only the program knows";
    if (what == "accessor" && more.starts_with("local"))
      kernel->second.hindrance = "it has a local accessor, whose size only the launch knows";
    if (what == "accessor" && more.starts_with("image"))
      kernel->second.hindrance = "it has an image accessor, whose format only the launch knows";
  }
  return kernels;
}

const Inspection *load_compiler(const Installation &installation) {
  const std::string path = installation.library + "/liblockstep.so";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto get =
      library
          ? reinterpret_cast<decltype(&lockstep_inspection)>(dlsym(library, "lockstep_inspection"))
          : nullptr;
  const Inspection *compiler = get ? get(LOCKSTEP_VERSION) : nullptr;
  if (!compiler)
    llvm::errs() << "lockstep++: error: --aot needs " << path << " of version " LOCKSTEP_VERSION
                 << (library ? "" : ": ") << (library ? "" : dlerror()) << "\n";
  return compiler;
}

} // namespace

bool compile_ahead_of_time(const Installation &installation, const UserOptions &user,
                           DeviceCode &code) {
  if (user.aot_processors.empty())
    return true;
  const Inspection *compiler = load_compiler(installation);
  if (!compiler)
    return false;
  const compiler::AheadOfTimeRequest request{user.aot_processors, user.aot_local_sizes};
  compiler::ByteWriter binaries;
  uint64_t count = 0;
  const bool is_quiet = llvm::is_contained(user.arguments, "-w");
  for (const auto &[name, kernel] : kernels_of(code)) {
    const auto note = [&](StringRef reason) {
      if (is_quiet)
        return;
      llvm::errs() << "lockstep++: note: --aot leaves out the kernel "
                   << (kernel.title.empty() ? name : kernel.title) << ": " << reason
                   << "; it is compiled when it is launched\n";
    };
    if (kernel.hindrance) {
      note(kernel.hindrance);
      continue;
    }
    std::string log;
    auto program = compiler->link_kernel({.bitcode = code.bitcode, .kernel = name}, log);
    if (!program) {
      note(program.error().message);
      continue;
    }
    program->kernels.front().title = kernel.title; // for remarks
    std::vector<std::string> reasons;
    auto machine_code = compiler->compile_ahead_of_time(*program, request, reasons);
    if (!machine_code) {
      llvm::errs() << "lockstep++: error: --aot: " << machine_code.error().message << "\n";
      return false;
    }
    for (const std::string &reason : reasons)
      note(reason);
    program->machine_code = std::move(*machine_code);
    binaries.put(name);
    binaries.put(compiler->write_binary(*program));
    ++count;
  }
  compiler::ByteWriter all;
  all.put(count);
  code.machine_code = count ? all.bytes() + binaries.bytes() : std::string();
  return true;
}

} // namespace lockstep::driver
