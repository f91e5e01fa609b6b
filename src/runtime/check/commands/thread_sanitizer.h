// Reports the accesses of commands to ThreadSanitizer, if the program is built with
// -fsanitize=thread. It then finds races between the program and its commands, and no others: this
// library is not instrumented.
//
// Each command is a fiber. It begins with the knowledge of the enqueuing thread, and acquires from
// its predecessors. At its end it makes its exactly known accesses for the sanitizer at once, and
// releases. Threads that wait for it acquire. Nothing else synchronizes fibers and threads, so that
// results do not depend on timing.
//
// The sanitizer also intercepts some C library functions that this library calls, such as locks,
// and reports the rest as races. So the program needs the suppression
// `called_from_lib:liblockstep.so` (docs/checking.md).
#pragma once

namespace lockstep::runtime {

bool thread_sanitizer_is_there();
// Does nothing in other programs.
void start_thread_sanitizer_if_there();

} // namespace lockstep::runtime
