// Makes allocations of the library fail. The program's operator new checks the caller: allocations
// of liblockstep.so can fail, LLVM's cannot, because LLVM aborts the process without memory.
#pragma once

namespace lockstep::test {

// Requires that liblockstep.so is loaded. From then on, on any thread, an allocation of the library
// fails if `fails()` returns true.
void watch_library_allocations(bool (*fails)());
// Also covers allocations by the C++ standard library, mainly for strings. LLVM uses it too, so
// this must be off while LLVM runs.
void watch_standard_library_allocations(bool does);

} // namespace lockstep::test
