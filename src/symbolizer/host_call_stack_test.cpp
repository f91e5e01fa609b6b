// Compares the walk over a copy of a stack with the C library's walk over the stack itself.
#include "symbolizer/host_call_stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <execinfo.h>
#include <string>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

namespace lockstep::compiler {
namespace {

struct Frames {
  std::vector<const void *> walked;
  std::vector<void *> expected;
};

// Does not use memcpy, which sanitizers do not let read the whole stack.
std::size_t copy(void *to, uintptr_t from, std::size_t size) {
  const iovec target{to, size}, source{reinterpret_cast<void *>(from), size};
  return std::size_t(
      std::max(0L, syscall(SYS_process_vm_readv, getpid(), &target, 1UL, &source, 1UL, 0UL)));
}

[[gnu::noinline]] void take(Frames &frames) {
  ucontext_t machine;
  getcontext(&machine);
  std::array<void *, 40> expected{};
  const int count = backtrace(expected.data(), int(expected.size()));
  frames.expected.assign(expected.begin(), expected.begin() + count);
  StackCopy stack;
  copy_registers(&machine, stack);
  std::vector<std::byte> bytes(4096);
  stack.bytes = {bytes.data(), copy(bytes.data(), stack.begin, bytes.size())};
  frames.walked = walk(stack, expected.size());
}

[[gnu::noinline]] void call(Frames &frames, int depth) {
  if (depth == 0)
    take(frames);
  else
    call(frames, depth - 1);
  asm volatile("" ::: "memory"); // no tail call
}

// Compares all addresses that the copy reaches except the first, which differs between the two
// methods.
void expect_same(const Frames &frames, std::size_t least) {
  ASSERT_GE(frames.walked.size(), least);
  ASSERT_LE(frames.walked.size(), frames.expected.size());
  for (std::size_t i = 1; i < frames.walked.size(); ++i)
    EXPECT_EQ(frames.walked[i], frames.expected[i]) << i;
}

// Emulators do not implement the call by which a process reads itself.
bool can_copy() {
  int from = 1, to = 0;
  return copy(&to, reinterpret_cast<uintptr_t>(&from), sizeof from) == sizeof from;
}

TEST(HostCallStack, IsThatOfTheCLibrary) {
  if (!can_copy())
    GTEST_SKIP() << "the system has no process_vm_readv";
  Frames frames;
  call(frames, 10);
  expect_same(frames, 12);
}

TEST(HostCallStack, GoesThroughTheCLibrary) {
  if (!can_copy())
    GTEST_SKIP() << "the system has no process_vm_readv";
  static Frames frames;
  int numbers[] = {2, 1};
  qsort(numbers, 2, sizeof(int), [](const void *one, const void *other) {
    call(frames, 2);
    return *static_cast<const int *>(one) - *static_cast<const int *>(other);
  });
  expect_same(frames, 6);
}

TEST(HostCallStack, EndsWhereNothingIsKnown) {
  StackCopy nowhere;
  nowhere.pc = 0x10;
  EXPECT_EQ(walk(nowhere, 10).size(), 1u);
}

} // namespace
} // namespace lockstep::compiler
