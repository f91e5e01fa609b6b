// Faults of kernel code. A wild pointer in a kernel must not be ignored, and should not take the
// program down: the worker that runs the kernel leaves it, and the launch fails with a sentence.
//
// How: the first pool start installs handlers for SIGSEGV, SIGBUS, SIGFPE and SIGILL that run on an
// alternate stack (a kernel that overflows its stack has none left). A thread that is inside
// catch_faults goes on there; a signal on any other thread, or one that was sent by kill(), goes
// to the handler that was installed before ours. Jumping out skips destructors between the fault
// and catch_faults, so only kernel code and the bare loop over work-groups may run inside. What the
// kernel called in the host (printf) may leave a lock held if it faults; hence such functions must
// check their pointers first.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::runtime {

struct Fault {
  int signal = 0;
  uintptr_t address = 0;
  bool has_address = false; // false: the CPU does not say (e.g. a non-canonical address)
  bool stack_overflow =
      false; // the address is in the guard below the worker's stack, and so is the stack's end
};

// "kernel 'name' touched address 0x10 in work-group (1,0,0)"; `group_id` may be null. `place` follows an address
// (fault_place.h).
Error error_of(const Fault &fault, std::string_view kernel, const uint64_t *group_id,
               std::string_view place = {});

void install_fault_handlers(); // once per process; later calls do nothing

// Per thread, before catch_faults: an alternate signal stack, and where the stack's guard is.
void prepare_thread_for_faults(uintptr_t guard_begin, uintptr_t guard_end);

// Calls function(data); returns the fault that ended it, if one did.
std::optional<Fault> catch_faults(void (*function)(void *), void *data);

template <class Function> std::optional<Fault> catch_faults(Function &function) {
  return catch_faults([](void *data) { (*static_cast<Function *>(data))(); }, &function);
}

} // namespace lockstep::runtime
