// One thread, started with the first callback, that calls what programs registered on commands and
// memory objects.
//
// Why not the worker that completes the command: a callback may be slow or wait for another
// command, and would then hold up or deadlock the device; nor may it run inside a lock or deep in
// somebody's clEnqueue*. In this thread it can do anything. Calls come in the order in which they
// were queued.
#pragma once

#include <functional>

namespace lockstep::runtime {

void call_later(std::function<void()> function);

} // namespace lockstep::runtime
