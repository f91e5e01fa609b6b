// Rules for SYCL objects in a child of fork() (docs/process_life.md).
//
// An object made before fork() belongs to the parent. Threads that do not exist in the child may
// hold its locks or wait for its commands. In the child its functions throw, and its destructor
// does nothing.
#pragma once

#include "api/sycl/error.h"
#include "platform/linux/fork.h"

#include <memory>
#include <string>
#include <utility>

namespace lockstep::sycl_api {

class OfProcess {
public:
  // Throws if the object was made before fork(). `what`: "this queue"
  void check_process(const char *what) const {
    if (generation_ != fork_generation()) [[unlikely]]
      raise(sycl::errc::invalid,
            std::string(what) + " was made before fork(), and a child of fork() cannot use it: "
                                "it makes a queue and buffers of its own (docs/process_life.md)");
  }

private:
  const unsigned generation_ = fork_generation();
};

// Like std::make_shared, but the object is not deleted in a child of fork().
template <class T, class... Arguments>
std::shared_ptr<T> make_of_process(Arguments &&...arguments) {
  auto end = [generation = fork_generation()](T *object) {
    if (generation == fork_generation())
      delete object;
  };
  return std::shared_ptr<T>(new T(std::forward<Arguments>(arguments)...), end);
}

} // namespace lockstep::sycl_api
