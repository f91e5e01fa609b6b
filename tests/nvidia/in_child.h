// Runs checks in a child process with environment variables of its own. The caller has not used
// Lockstep, so that the child begins as a new process does.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::test {

using Variables = std::map<std::string, std::string>; // an empty value: unset

// `body` returns whether all is right. Returns the same; false also if the child crashes.
template <class Body> bool in_child(const Variables &variables, Body body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (const auto &[name, value] : variables)
      value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
    const bool is_right = body();
    std::fflush(nullptr);
    _exit(is_right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The counters of the fake driver (fake_cuda.h). 0: it is not loaded.
inline std::size_t count_of(const char *counter) {
  void *library = dlopen(FAKE_CUDA_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  return library ? reinterpret_cast<std::size_t (*)()>(dlsym(library, counter))() : 0;
}

inline bool driver_is_loaded() {
  return dlopen(FAKE_CUDA_LIBRARY, RTLD_NOW | RTLD_NOLOAD) != nullptr;
}

} // namespace lockstep::test
