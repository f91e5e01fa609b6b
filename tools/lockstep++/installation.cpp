#include "tools/lockstep++/installation.h"

#include <filesystem>
#include <fmt/format.h>

namespace lockstep::driver {
namespace {

namespace fs = std::filesystem;

// Returns the path of the driver. /proc has it even if the shell found the driver in PATH.
fs::path own_path(const char *program) {
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::absolute(program) : path;
}

} // namespace

Installation find_installation(const char *program) {
  const fs::path prefix = own_path(program).parent_path().parent_path();
  Installation found{LOCKSTEP_CLANG, (prefix / "include/lockstep").string(), "", ""};
  for (const char *folder : {LOCKSTEP_LIBRARY_FOLDER, "lib"})
    if (found.library.empty() && fs::exists(prefix / folder / "liblockstep_sycl.so"))
      found.library = (prefix / folder).string();
  auto missing = [&](const std::string &what) {
    if (found.problem.empty())
      found.problem =
          fmt::format("{} is not there; lockstep++ was installed without it, or moved", what);
  };
  if (!fs::exists(found.clang))
    missing(found.clang + " (Debian package clang-22)");
  if (!fs::exists(fs::path(found.headers) / "sycl/sycl.hpp"))
    missing(found.headers + "/sycl/sycl.hpp");
  if (found.library.empty())
    missing((prefix / LOCKSTEP_LIBRARY_FOLDER / "liblockstep_sycl.so").string());
  return found;
}

} // namespace lockstep::driver
