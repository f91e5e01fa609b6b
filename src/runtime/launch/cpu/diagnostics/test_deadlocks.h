// A device, queues and launches whose groups wait, for tests of what is a deadlock and what is not.
#pragma once

#include "runtime/graph/command_queue.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/launch/cpu/kernel/kernel_launch.h"
#include "runtime/launch/cpu/resumable/test_coroutine.h"
#include "runtime/launch/cpu/resumable/waiting_launches.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>

namespace lockstep::runtime {

using compiler::Step;
using std::chrono_literals::operator""ms;

inline const bool four_workers = [] { return setenv("LOCKSTEP_THREADS", "4", 0) == 0; }();
// Each process has a file of its own, since other tests run at the same time.
inline const std::string report_file =
    testing::TempDir() + "lockstep_deadlock_test." + std::to_string(getpid()) + ".json";
inline const bool writes_file = [] {
  return setenv("LOCKSTEP_DEADLOCK_FILE", report_file.c_str(), 1) == 0;
}();

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
constexpr bool has_threads_of_sanitizer = true;
#else
constexpr bool has_threads_of_sanitizer = false;
#endif

struct Shared {
  std::atomic<uint32_t> flag = 0, counter = 0, lock = 0, other = 0;
  std::atomic<uint64_t> finished = 0;
};

inline Shared &shared_of(const TestFrame &frame) {
  return *frame.argument<Shared *>();
}

class CountsWarnings final : public CommandClient {
public:
  void retain() override {}
  void release() override {}
  void failed(const Error &) override { std::this_thread::sleep_for(time_of_failure.load()); }
  void warn(const std::string &text) override {
    if (text.find("stands still") != text.npos)
      ++warnings_of_standstill;
  }
  std::atomic<int> warnings_of_standstill = 0;
  std::atomic<std::chrono::milliseconds> time_of_failure = 0ms;
};

class Deadlocks : public testing::Test {
protected:
  std::shared_ptr<CpuDevice> device = CpuDevice::root();
  CountsWarnings client;
  CommandQueue queue{device, QueueOrder::in_order, false, &client};
  CommandQueue second{device, QueueOrder::in_order, false, &client};
  std::shared_ptr<Buffer> own = make_buffer();
  std::shared_ptr<Buffer> hosts = *Buffer::wrap(own->data(), sizeof(Shared));
  std::shared_ptr<Buffer> host_word = *Buffer::wrap(&word, sizeof word);
  Shared &shared = shared_in(*own);
  inline static std::atomic<uint32_t> word; // written by the host
  bool is_host_visible = false;
  AllocationKinds reach = 0;       // of the launches
  inline static Shared *elsewhere; // memory that is not among the launches' arguments

  // Sanitizers have threads of their own, which cannot be distinguished from the program's.
  Deadlocks() {
    word = 0;
    WaitingLaunches::instance().set_patience(300ms);
  }
  ~Deadlocks() override { // commands refer to the client until they are settled
    queue.finish();
    second.finish();
  }

  std::shared_ptr<Buffer> make_buffer() {
    std::shared_ptr<Buffer> buffer = *Buffer::allocate(device->memory(), sizeof(Shared));
    new (buffer->data()) Shared;
    buffer->count_handles(1); // like a buffer of a program
    return buffer;
  }
  static Shared &shared_in(Buffer &buffer) { return *reinterpret_cast<Shared *>(buffer.data()); }

  template <Step (*body)(TestFrame &)>
  CommandRef enqueue(CommandQueue &to, uint64_t items, uint64_t local = 1, WaitList list = {}) {
    return enqueue_on<body>(is_host_visible ? hosts : own, to, items, local, list);
  }
  template <Step (*body)(TestFrame &)>
  CommandRef enqueue_on(const std::shared_ptr<Buffer> &buffer, CommandQueue &to, uint64_t items,
                        uint64_t local = 1, WaitList list = {}) {
    compiler::KernelInfo info;
    info.name = "waits";
    info.argument_block_size = 16;
    info.local_memory_size = 4;
    info.args.resize(2);
    for (auto &arg : info.args)
      arg.kind = compiler::ArgKind::global_pointer;
    info.args[0].name = "shared";
    info.args[0].type_name = "atomic_int*";
    info.args[1].offset = 8;
    auto program = CoroutineProgram::make<body>();
    program->number_accesses();
    auto kernel = std::make_shared<CpuKernel>(
        std::move(program), std::make_shared<const compiler::KernelInfo>(info), 1);
    const std::byte block[16] = {};
    auto prepared =
        KernelLaunch::make(*device, *kernel, {.global_size = {items, 1, 1}, .local_size = {local}},
                           {block,
                            {},
                            {{.memory = {buffer, 0, sizeof(Shared)}, .argument = 0},
                             {.memory = {host_word, 0, sizeof word}, .argument = 1}},
                            reach});
    EXPECT_TRUE(prepared) << prepared.error().message;
    auto command = Command::create(std::move(*prepared));
    to.enqueue(*command, list);
    return command;
  }
  Allocations::Known allocate(AllocationKind kind) {
    const auto made = *Allocations::instance().allocate(
        {.kind = kind, .size = sizeof(Shared), .account = device->memory()});
    new (made->begin()) Shared;
    return made;
  }
  // Also waits for a second warning, which must not come. Threads without CPU time look like
  // launches that make no progress for long; the watch warns of them, too.
  void wait_for_standstill(int number = 1) {
    for (int tries = 0; tries < 4000 && client.warnings_of_standstill < number; ++tries)
      std::this_thread::sleep_for(5ms);
    std::this_thread::sleep_for(100ms);
  }
  static std::string error_of(Command &command) {
    return command.error() ? command.error()->message : std::string();
  }
};

inline Step wait_for_flag(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (shared.flag == 0)
    return frame.wait_for(shared.flag, 0);
  ++shared.finished;
  return frame.done();
}

inline Step set_flag(TestFrame &frame) {
  shared_of(frame).flag = 1;
  return frame.done();
}

inline Step wait_for_counter(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (shared.counter == 0)
    return frame.wait_for(shared.counter, 0);
  return frame.done();
}

// Sub-group 1 returns; the others are at the barrier.
inline Step leave_before_barrier(TestFrame &frame) {
  if (frame.sub_group == 1 || frame.state == 1)
    return frame.done();
  frame.state = 1;
  return frame.at_barrier();
}

inline Step count_until_flag(TestFrame &frame) {
  Shared &shared = shared_of(frame);
  if (shared.flag == 0)
    return frame.wait_for(shared.flag, 0, 1, true);
  return frame.done();
}

} // namespace lockstep::runtime
