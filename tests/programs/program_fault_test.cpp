// A fault of the program on a thread that never called Lockstep reaches the program's handler.
// Lockstep's handler must not allocate memory on the way, because the fault may have interrupted
// the allocator.
#include "kernel_arguments.h"
#include "opencl_fixture.h"

#include <atomic>
#include <csignal>
#include <pthread.h>
#include <sys/mman.h>
#include <thread>

using namespace lockstep::test;

extern "C" void *__libc_malloc(size_t);
extern "C" void *__libc_calloc(size_t, size_t);
extern "C" void *__libc_memalign(size_t, size_t);

namespace {

std::atomic<bool> is_counted; // on the thread below
std::atomic<pthread_t> counted;
std::atomic<int> allocations, handled;

void count() {
  if (is_counted.load() && pthread_equal(counted.load(), pthread_self()))
    ++allocations;
}

constexpr size_t page_size = 4096;

void on_fault(int, siginfo_t *info, void *) {
  ++handled;
  auto *page = static_cast<char *>(info->si_addr);
  mprotect(page - reinterpret_cast<uintptr_t>(page) % page_size, page_size, PROT_READ | PROT_WRITE);
}

} // namespace

extern "C" void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}
extern "C" void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}
extern "C" void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

namespace {

using ProgramFault = DeviceTest;

TEST_F(ProgramFault, TakesNoMemoryOnTheWayToItsHandler) {
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGSEGV, &action, nullptr), 0);
  Program program = build("kernel void k(global int *p) { *p = 7; }");
  Memory memory = make_buffer(sizeof(cl_int));
  enqueue_kernel(queue_, make_kernel(program, "k"), 1, 1, memory);
  ASSERT_EQ(clFinish(queue_),
            CL_SUCCESS); // Lockstep has installed its handlers

  void *page = mmap(nullptr, page_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  std::thread([page] {
    counted = pthread_self();
    is_counted = true;
    *static_cast<volatile char *>(page) = 1;
    is_counted = false;
  }).join();
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(read<cl_int>(memory, 1)[0], 7);
  munmap(page, page_size);
}

} // namespace
