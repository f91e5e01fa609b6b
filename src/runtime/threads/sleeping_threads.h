// Checks whether threads of this process sleep until another thread of the process wakes them.
//
// The kernel shows the current system call of each thread (/proc/self/task/<id>/syscall). A thread
// that waits on a futex of this process, without a time limit, continues only when a thread of this
// process wakes it. If two samples find every thread in such a wait, and no thread ran in between,
// then all slept at the same time, and none will wake another.
#pragma once

#include <vector>

namespace lockstep::runtime {

// Checks all threads of the process except `but_these`. False also if the system gives no
// information.
bool all_sleep(const std::vector<int> &but_these);

} // namespace lockstep::runtime
