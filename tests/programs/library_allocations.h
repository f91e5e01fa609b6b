// For programs in which the library gets no memory: their operator new asks them about what liblockstep.so takes. LLVM's own
// allocations are left alone: it ends the process when it has no memory.
#pragma once

namespace lockstep::test {

// From here on, `fails()` is asked whether an allocation of the library fails, on any thread. Once the library is loaded.
void watch_library_allocations(bool (*fails)());
// The same of what the C++ library takes, for strings most of all: where LLVM is not at work.
void watch_standard_library_allocations(bool does);

} // namespace lockstep::test
