// A program that was built with -fsanitize=thread is told what commands do, so that its own races with them are found, and no
// others: this library is not built so, and what orders its threads is not seen from outside.
//
// Each command is a fibre, which begins with what the thread knew that enqueued it, and acquires what it comes after. When
// it has ended, it does its accesses for the sanitizer at once, as far as they are known exactly, and releases; who has
// waited for it acquires. Nothing else joins fibres and threads, so the verdict does not hang on who ran when. The
// sanitizer also sees some of what this library calls, locks of the C library among it, and takes the rest for races: the
// program needs the suppression `called_from_lib:liblockstep.so` (docs/checking.md).
#pragma once

namespace lockstep::runtime {

// Nothing, in other programs.
void start_thread_sanitizer_if_there();

} // namespace lockstep::runtime
