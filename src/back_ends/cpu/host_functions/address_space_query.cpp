#include "back_ends/cpu/host_functions/address_space_query.h"

#include <cstdint>
#include <pthread.h>

namespace {

struct Range {
  uintptr_t begin = 0, end = 0;
  bool contains(const void *pointer) const {
    auto address = reinterpret_cast<uintptr_t>(pointer);
    return begin <= address && address < end;
  }
};

Range stack_of_this_thread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return {};
  void *begin = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  auto address = reinterpret_cast<uintptr_t>(begin);
  return {address, address + size};
}

} // namespace

int lockstep_address_space_of(const void *pointer) {
  if (!pointer)
    return -1;
  const auto &local = lockstep::compiler::thread_local_memory;
  auto local_begin = reinterpret_cast<uintptr_t>(local.begin);
  if (Range{local_begin, local_begin + local.size}.contains(pointer))
    return 3;
  const auto &frames = lockstep::compiler::thread_private_memory;
  auto frames_begin = reinterpret_cast<uintptr_t>(frames.begin);
  if (Range{frames_begin, frames_begin + frames.size}.contains(pointer))
    return 0;
  thread_local const Range stack = stack_of_this_thread(); // one system call for each thread
  return stack.contains(pointer) ? 0 : 1;
}
