#include "tools/lockstep/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace lockstep::cli {
namespace {

// Found through the run path of the tool: next to it in a build tree, or in the library folder of
// the same prefix when installed.
constexpr const char *library_name = "liblockstep.so";

void *library() {
  static void *handle = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  return handle;
}

} // namespace

Result<const Inspection *> inspection() {
  if (!library())
    return Error{ErrorKind::io_failure, fmt::format("cannot load {}: {}", library_name, dlerror())};
  auto get =
      reinterpret_cast<decltype(&lockstep_inspection)>(dlsym(library(), "lockstep_inspection"));
  const Inspection *found = get ? get(LOCKSTEP_VERSION) : nullptr;
  if (!found)
    return Error{ErrorKind::io_failure, fmt::format("{} is of another version than this tool ({})",
                                                    library_name, LOCKSTEP_VERSION)};
  return found;
}

void *find_in_library(const char *function) {
  return library() ? dlsym(library(), function) : nullptr;
}

} // namespace lockstep::cli
