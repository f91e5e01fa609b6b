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

// While a thread settles a command, it gives back what the command used: perhaps the last reference
// to a memory object whose destructor the program wants to hear of. That it must not hear before
// the command's status is published, or it would wait for ever for the very thread that calls it.
class Settling {
public:
  Settling();
  ~Settling(); // calls later what was put off
  Settling(const Settling &) = delete;
  Settling &operator=(const Settling &) = delete;
};

// Now; or, if this thread is settling a command, in the callback thread once that is over.
void call_when_settled(std::function<void()> function);

} // namespace lockstep::runtime
