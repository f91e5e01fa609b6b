// Handles faults of kernel code. An invalid access in a kernel must be reported, but should not end
// the program: the worker leaves the kernel, and the launch fails with a message.
//
// The first start of the pool installs handlers for SIGSEGV, SIGBUS, SIGFPE and SIGILL, and on
// AArch64 for SIGTRAP. They run on an alternate stack, since a kernel may have overflowed its own. A
// thread inside catch_faults continues there. A signal on any other thread, or one sent by kill(),
// goes to the previously installed handler. The jump skips destructors between the fault and
// catch_faults, so only kernel code and the plain loop over work-groups may run inside. If a host
// function that the kernel called (printf) faults, it may leave a lock held; hence such functions
// must check their pointers first.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::runtime {

struct Fault {
  int signal = 0;
  uintptr_t address = 0;
  bool has_address = false; // false: the CPU does not report it (e.g. a non-canonical address)
  bool stack_overflow =
      false; // the address is in the guard below the worker's stack, and so is the stack pointer
};

// "kernel 'name' crashed: invalid access to address 0x10 in work-group (1,0,0)", and what to do next.
// `group_id` may be null. `place` is appended (place_of_fault in fault_place.h).
Error error_of(const Fault &fault, std::string_view kernel, const uint64_t *group_id,
               std::string_view place = {});

void install_fault_handlers(); // once per process; later calls do nothing

// Each thread calls this before catch_faults. Sets an alternate signal stack, and records the
// stack's guard.
void prepare_thread_for_faults(uintptr_t guard_begin, uintptr_t guard_end);

// Calls function(data); returns the fault that ended it, if there was one.
std::optional<Fault> catch_faults(void (*function)(void *), void *data);

template <class Function> std::optional<Fault> catch_faults(Function &function) {
  return catch_faults([](void *data) { (*static_cast<Function *>(data))(); }, &function);
}

} // namespace lockstep::runtime
