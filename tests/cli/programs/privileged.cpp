// privileged LIBRARY: prints how liblockstep.so uses the environment and the disk cache.
// trust_test.py starts it with more rights than its caller. No loader: it would find no platform.
#include "api/inspection/inspection.h"

#include <cstdio>
#include <dlfcn.h>

int main(int argc, char **argv) {
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  auto get =
      library
          ? reinterpret_cast<decltype(&lockstep_inspection)>(dlsym(library, "lockstep_inspection"))
          : nullptr;
  const lockstep::Inspection *inspection = get ? get(LOCKSTEP_VERSION) : nullptr;
  if (!inspection) {
    std::fprintf(stderr, "%s\n", library ? "another version" : dlerror());
    return 2;
  }
  std::string log;
  const auto program =
      inspection->build_opencl_c("kernel void k(global int *a) { *a = 1; }", "", log);
  const lockstep::compiler::CacheStatistics cache = inspection->cache_statistics();
  std::printf("lanes: %s\ncache: %s\n", inspection->code_options().lanes ? "yes" : "no",
              cache.enabled ? "in use" : cache.problem.c_str());
  return program ? 0 : 1;
}
