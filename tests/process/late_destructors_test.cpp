// LLVM registers no destructor with exit() while it compiles: exit() in another thread would call
// it before Lockstep's handler could wait for the compilation (src/platform/linux/foreign_call.h).
#include "session.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {

constinit std::atomic<bool> is_building{false};
constinit std::atomic<int> registered{0};

} // namespace

// Libraries find this function before the C library's.
extern "C" int __cxa_atexit(void (*destructor)(void *), void *object, void *library) {
  using Register = int (*)(void (*)(void *), void *, void *);
  static const auto real = reinterpret_cast<Register>(dlsym(RTLD_NEXT, "__cxa_atexit"));
  Dl_info found{};
  if (is_building && dladdr(library, &found) && found.dli_fname) {
    ++registered;
    std::fprintf(stderr, "%s registers a destructor\n", found.dli_fname);
  }
  return real(destructor, object, library);
}

namespace lockstep::test {
namespace {

TEST(LateDestructors, AreNotRegisteredWithExit) {
  const Session session;
  is_building = true;
  session.compute(1); // compiles
  is_building = false;
  EXPECT_EQ(registered, 0);
}

} // namespace
} // namespace lockstep::test
