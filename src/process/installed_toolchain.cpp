#include "process/installed_toolchain.h"

#include "platform/linux/leaked.h"
#include "clang/Basic/Version.h"
#include "llvm-c/Core.h"
#include "llvm/Config/llvm-config.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace lockstep::compiler {

namespace {

std::string describe(const char *path) {
  struct stat status{};
  if (!path || ::stat(path, &status) != 0)
    return fmt::format("{}: none\n", path ? path : "?");
  return fmt::format("{} {} {}.{}\n", path, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

// The file that contains a function, with its size and time.
template <class Function> std::string file_of(Function *function) {
  Dl_info object{};
  if (::dladdr(reinterpret_cast<const void *>(function), &object) == 0)
    return describe(nullptr);
  return describe(object.dli_fname);
}

std::string file_of_compiler() {
#ifdef LOCKSTEP_COMPILER_LIBRARY
  // A build under a sanitizer has the compiler of another build, so that their entries are equal.
  return describe(LOCKSTEP_COMPILER_LIBRARY);
#else
  return file_of(&installed_toolchain);
#endif
}

} // namespace

const std::string &installed_toolchain() {
  // Includes Lockstep's own library: during development its version stays the same, and entries of
  // an older build must not be found.
  return leaked([] {
    return "Lockstep " LOCKSTEP_VERSION ", LLVM " LLVM_VERSION_STRING "\n" + file_of_compiler() +
           file_of(&LLVMContextCreate) + file_of(&clang::getClangRevision) +
           describe(LOCKSTEP_LIBCLC_BITCODE);
  });
}

} // namespace lockstep::compiler
