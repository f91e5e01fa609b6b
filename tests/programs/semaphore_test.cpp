// Tests that semaphores order commands of different queues, and invalid uses with one mistake each.
#include "../errors/error_fixture.h"
#include "extension_functions.h"

#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace lockstep::test {
namespace {

constexpr cl_semaphore_properties_khr device_list = 0x2053; // CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR

struct Functions {
  clCreateSemaphoreWithPropertiesKHR_fn create =
      function<clCreateSemaphoreWithPropertiesKHR_fn>("clCreateSemaphoreWithPropertiesKHR");
  clEnqueueWaitSemaphoresKHR_fn wait =
      function<clEnqueueWaitSemaphoresKHR_fn>("clEnqueueWaitSemaphoresKHR");
  clEnqueueSignalSemaphoresKHR_fn signal =
      function<clEnqueueSignalSemaphoresKHR_fn>("clEnqueueSignalSemaphoresKHR");
  clGetSemaphoreInfoKHR_fn info = function<clGetSemaphoreInfoKHR_fn>("clGetSemaphoreInfoKHR");
  clRetainSemaphoreKHR_fn retain = function<clRetainSemaphoreKHR_fn>("clRetainSemaphoreKHR");
  clReleaseSemaphoreKHR_fn release = function<clReleaseSemaphoreKHR_fn>("clReleaseSemaphoreKHR");
  clGetSemaphoreHandleForTypeKHR_fn handle =
      function<clGetSemaphoreHandleForTypeKHR_fn>("clGetSemaphoreHandleForTypeKHR");
  ReImportSyncFile import_again = function<ReImportSyncFile>("clReImportSemaphoreSyncFdKHR");
};

class Semaphores : public ErrorTest {
protected:
  void SetUp() override {
    ErrorTest::SetUp();
    if (HasFatalFailure())
      return;
    second_ = make_queue(0);
    free_ = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  }
  struct Release {
    void operator()(cl_semaphore_khr semaphore) const {
      EXPECT_EQ(function<clReleaseSemaphoreKHR_fn>("clReleaseSemaphoreKHR")(semaphore), CL_SUCCESS);
    }
  };
  using Owned = std::unique_ptr<_cl_semaphore_khr, Release>;
  Owned make(const std::vector<cl_semaphore_properties_khr> &more = {}, cl_context of = nullptr) {
    std::vector<cl_semaphore_properties_khr> list = {CL_SEMAPHORE_TYPE_KHR,
                                                     CL_SEMAPHORE_TYPE_BINARY_KHR};
    list.insert(list.end(), more.begin(), more.end());
    list.push_back(0);
    cl_int status = 1;
    Owned semaphore(f.create(of ? of : context_.get(), list.data(), &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return semaphore;
  }
  Owned make_exportable() {
    return make({CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0});
  }
  int handle_of(cl_semaphore_khr semaphore) {
    int file = -1;
    size_t size = 0;
    EXPECT_EQ(
        f.handle(semaphore, device_, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof file, &file, &size),
        CL_SUCCESS);
    EXPECT_EQ(size, sizeof file);
    EXPECT_GE(file, 0);
    return file;
  }
  Owned import(int file, cl_context of = nullptr) {
    return make({CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, cl_semaphore_properties_khr(file)}, of);
  }
  cl_semaphore_payload_khr payload(const Owned &semaphore) {
    return info<cl_semaphore_payload_khr>(semaphore.get(), CL_SEMAPHORE_PAYLOAD_KHR);
  }
  cl_int signal(cl_command_queue queue, const std::vector<cl_semaphore_khr> &all,
                cl_event *event = nullptr) {
    return f.signal(queue, cl_uint(all.size()), all.data(), nullptr, 0, nullptr, event);
  }
  cl_int wait(cl_command_queue queue, const std::vector<cl_semaphore_khr> &all,
              cl_event *event = nullptr) {
    return f.wait(queue, cl_uint(all.size()), all.data(), nullptr, 0, nullptr, event);
  }
  template <class T> T info(cl_semaphore_khr semaphore, cl_semaphore_info_khr name) {
    T value{};
    EXPECT_EQ(f.info(semaphore, name, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  }
  void fill(cl_command_queue queue, cl_mem buffer, int value, cl_event after = nullptr) {
    EXPECT_EQ(clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, sizeof value,
                                  after ? 1 : 0, after ? &after : nullptr, nullptr),
              CL_SUCCESS);
  }

  static ssize_t write_byte(int file) { return ::write(file, "", 1); }

  const Functions f{};
  Queue second_, free_;
};

TEST_F(Semaphores, InfoTellsWhatTheyAre) {
  const cl_semaphore_properties_khr list[] = {
      CL_SEMAPHORE_TYPE_KHR,
      CL_SEMAPHORE_TYPE_BINARY_KHR,
      device_list,
      reinterpret_cast<cl_semaphore_properties_khr>(device_),
      0,
      0};
  cl_int status = 1;
  Owned semaphore(f.create(context_, list, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(info<cl_context>(semaphore.get(), CL_SEMAPHORE_CONTEXT_KHR), context_.get());
  EXPECT_EQ(info<cl_semaphore_type_khr>(semaphore.get(), CL_SEMAPHORE_TYPE_KHR),
            cl_semaphore_type_khr(CL_SEMAPHORE_TYPE_BINARY_KHR));
  EXPECT_EQ(info<cl_device_id>(semaphore.get(), device_list), device_);
  cl_semaphore_properties_khr got[6] = {9, 9, 9, 9, 9, 9};
  EXPECT_EQ(f.info(semaphore.get(), CL_SEMAPHORE_PROPERTIES_KHR, sizeof got, got, nullptr),
            CL_SUCCESS);
  EXPECT_TRUE(std::equal(std::begin(list), std::end(list), got));
  EXPECT_EQ(f.retain(semaphore.get()), CL_SUCCESS);
  EXPECT_EQ(info<cl_uint>(semaphore.get(), CL_SEMAPHORE_REFERENCE_COUNT_KHR), 2u);
  EXPECT_EQ(f.release(semaphore.get()), CL_SUCCESS);
  EXPECT_EQ(info<cl_device_id>(make().get(), device_list), device_);
  EXPECT_EQ(device_info<cl_semaphore_type_khr>(CL_DEVICE_SEMAPHORE_TYPES_KHR),
            cl_semaphore_type_khr(CL_SEMAPHORE_TYPE_BINARY_KHR));
}

TEST_F(Semaphores, ThePayloadFollowsSignalsAndWaits) {
  Owned semaphore = make();
  Event gate = make_user_event();
  const cl_event after[] = {gate};
  const cl_semaphore_khr list[] = {semaphore.get()};
  auto payload = [&] {
    return info<cl_semaphore_payload_khr>(semaphore.get(), CL_SEMAPHORE_PAYLOAD_KHR);
  };
  EXPECT_EQ(payload(), 0u);
  EXPECT_EQ(f.signal(queue_, 1, list, nullptr, 1, after, nullptr), CL_SUCCESS);
  EXPECT_EQ(payload(), 0u);
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(payload(), 1u);
  EXPECT_EQ(wait(second_, {semaphore.get()}), CL_SUCCESS);
  EXPECT_EQ(clFinish(second_), CL_SUCCESS);
  EXPECT_EQ(payload(), 0u);
}

// Commands of one queue after a wait run after the other queue's commands before the signal.
TEST_F(Semaphores, OrderCommandsOfTwoQueues) {
  for (const bool wait_comes_first : {false, true}) {
    Owned semaphore = make();
    Memory buffer = make_buffer(sizeof(int));
    write<int>(buffer, {0});
    Event gate = make_user_event(), waited;
    auto produce = [&] {
      fill(queue_, buffer, 1, gate);
      EXPECT_EQ(signal(queue_, {semaphore.get()}), CL_SUCCESS);
    };
    if (!wait_comes_first)
      produce();
    EXPECT_EQ(wait(second_, {semaphore.get()}, waited.out()), CL_SUCCESS);
    EXPECT_EQ(event_info<cl_command_type>(waited, CL_EVENT_COMMAND_TYPE),
              cl_command_type(CL_COMMAND_SEMAPHORE_WAIT_KHR));
    fill(second_, buffer, 2);
    if (wait_comes_first)
      produce();
    EXPECT_GT(status_of(waited), CL_COMPLETE);
    EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    EXPECT_EQ(clFinish(second_), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    EXPECT_EQ(read<int>(buffer, 1)[0], 2) << wait_comes_first;
  }
}

// Two queues, or threads, alternate by two semaphores; each adds to the number the other wrote.
TEST_F(Semaphores, AreUsedAgainAndAgain) {
  Program program =
      build("kernel void step(global uint *data, uint by) { *data = *data * 3 + by; }");
  Memory data = make_buffer(sizeof(cl_uint));
  write<cl_uint>(data, {1});
  Owned ping = make(), pong = make();
  constexpr cl_uint rounds = 200;
  auto player = [&](cl_command_queue queue, cl_semaphore_khr mine, cl_semaphore_khr other,
                    cl_uint by) {
    Kernel step = make_kernel(program, "step");
    cl_mem memory = data;
    clSetKernelArg(step, 0, sizeof memory, &memory);
    clSetKernelArg(step, 1, sizeof by, &by);
    const size_t one = 1;
    for (cl_uint i = 0; i < rounds; ++i) {
      cl_event waited = nullptr, stepped = nullptr;
      EXPECT_EQ(wait(queue, {mine}, &waited), CL_SUCCESS);
      EXPECT_EQ(
          clEnqueueNDRangeKernel(queue, step, 1, nullptr, &one, nullptr, 1, &waited, &stepped),
          CL_SUCCESS);
      EXPECT_EQ(f.signal(queue, 1, &other, nullptr, 1, &stepped, nullptr), CL_SUCCESS);
      clReleaseEvent(waited);
      clReleaseEvent(stepped);
    }
  };
  EXPECT_EQ(signal(second_, {ping.get()}), CL_SUCCESS); // the wait takes the oldest signal
  std::thread thread([&] { player(free_, pong.get(), ping.get(), 2); });
  player(queue_, ping.get(), pong.get(), 1);
  thread.join();
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(clFinish(free_), CL_SUCCESS);
  cl_uint expected = 1;
  for (cl_uint i = 0; i < rounds; ++i)
    expected = (expected * 3 + 1) * 3 + 2;
  EXPECT_EQ(read<cl_uint>(data, 1)[0], expected);
}

TEST_F(Semaphores, SeveralAtOnce) {
  Owned one = make(), two = make();
  Event waited;
  EXPECT_EQ(wait(free_, {one.get(), two.get()}, waited.out()), CL_SUCCESS);
  EXPECT_EQ(signal(queue_, {one.get()}), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_GT(status_of(waited), CL_COMPLETE);
  EXPECT_EQ(signal(queue_, {two.get(), two.get()}), CL_SUCCESS); // a repeated semaphore counts once
  EXPECT_EQ(clFinish(free_), CL_SUCCESS);
  EXPECT_EQ(status_of(waited), CL_COMPLETE);
}

TEST_F(Semaphores, AWaitFailsWithItsSignalAndWithTheSemaphore) {
  Owned semaphore = make();
  Event gate = make_user_event(), waited, given_up;
  const cl_event after[] = {gate};
  const cl_semaphore_khr list[] = {semaphore.get()};
  EXPECT_EQ(f.signal(queue_, 1, list, nullptr, 1, after, nullptr), CL_SUCCESS);
  EXPECT_EQ(wait(second_, {semaphore.get()}, waited.out()), CL_SUCCESS);
  EXPECT_EQ(clSetUserEventStatus(gate, -5), CL_SUCCESS);
  clFinish(second_);
  EXPECT_EQ(status_of(waited), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(wait(second_, {semaphore.get()}, given_up.out()), CL_SUCCESS);
  semaphore.reset();
  clFinish(second_);
  EXPECT_EQ(status_of(given_up), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

// ---- cl_khr_external_semaphore

constexpr cl_semaphore_info_khr exportable = 0x2054; // CL_SEMAPHORE_EXPORTABLE_KHR

TEST_F(Semaphores, TellWhetherTheyCanBeExported) {
  Owned shared = make_exportable(), own = make();
  EXPECT_EQ(info<cl_bool>(shared.get(), exportable), cl_bool(CL_TRUE));
  EXPECT_EQ(info<cl_bool>(own.get(), exportable), cl_bool(CL_FALSE));
  EXPECT_EQ(info<cl_external_semaphore_handle_type_khr>(shared.get(),
                                                        CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR),
            cl_external_semaphore_handle_type_khr(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR));
  size_t size = 1;
  EXPECT_EQ(f.info(own.get(), CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, 0, nullptr, &size), CL_SUCCESS);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(device_info<cl_external_semaphore_handle_type_khr>(
                CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR),
            cl_external_semaphore_handle_type_khr(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR));
}

// An imported semaphore, also in another context, is the same semaphore.
TEST_F(Semaphores, AreOneWithThoseThatAreImported) {
  for (const bool wait_comes_first : {false, true}) {
    Owned here = make_exportable(), there = import(handle_of(here.get()), other_context_);
    Event gate = make_user_event(), waited;
    const cl_event after[] = {gate};
    const cl_semaphore_khr list[] = {here.get()};
    const auto give = [&] {
      EXPECT_EQ(f.signal(queue_, 1, list, nullptr, 1, after, nullptr), CL_SUCCESS);
    };
    if (!wait_comes_first)
      give();
    EXPECT_EQ(payload(there), 0u);
    EXPECT_EQ(wait(other_queue_, {there.get()}, waited.out()), CL_SUCCESS);
    if (wait_comes_first)
      give();
    EXPECT_GT(status_of(waited), CL_COMPLETE);
    EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    EXPECT_EQ(clFinish(other_queue_), CL_SUCCESS);
    EXPECT_EQ(status_of(waited), CL_COMPLETE);
    EXPECT_EQ(payload(here), 0u);
    EXPECT_EQ(signal(other_queue_, {there.get()}), CL_SUCCESS); // in the opposite direction
    EXPECT_EQ(clFinish(other_queue_), CL_SUCCESS);
    EXPECT_EQ(payload(here), 1u);
    EXPECT_EQ(wait(queue_, {here.get()}), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    EXPECT_EQ(payload(there), 0u);
  }
}

// A second process of this test program adds one to a shared number each time it is its turn.
TEST_F(Semaphores, OrderCommandsOfTwoProcesses) {
  constexpr int turns = 20;
  const int file = memfd_create("number", 0);
  ASSERT_EQ(ftruncate(file, 4096), 0);
  auto *number =
      static_cast<volatile int *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  Owned to_child = make_exportable(), to_parent = make_exportable();
  const int files[] = {file, handle_of(to_child.get()), handle_of(to_parent.get())};
  for (const int one : files)
    fcntl(one, F_SETFD, 0); // the child inherits it
  char argument[64];
  std::snprintf(argument, sizeof argument, "%d,%d,%d,%d", files[0], files[1], files[2], turns);
  const pid_t child = fork();
  if (child == 0) {
    setenv("SEMAPHORE_TEST_FILES", argument, 1);
    execl("/proc/self/exe", "semaphore_test", "--gtest_filter=Semaphores.DISABLED_OtherProcess",
          "--gtest_also_run_disabled_tests", nullptr);
    _exit(127);
  }
  for (int i = 0; i < turns; ++i) {
    *number = *number * 2;
    EXPECT_EQ(signal(queue_, {to_child.get()}), CL_SUCCESS);
    EXPECT_EQ(wait(queue_, {to_parent.get()}), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  }
  EXPECT_EQ(*number, (1 << turns) - 1);
  int status = 1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (const int one : files)
    close(one);
}

TEST_F(Semaphores, DISABLED_OtherProcess) {
  int files[3] = {}, turns = 0;
  const char *argument = std::getenv("SEMAPHORE_TEST_FILES");
  if (!argument)
    GTEST_SKIP() << "started by OrderCommandsOfTwoProcesses";
  ASSERT_EQ(std::sscanf(argument, "%d,%d,%d,%d", &files[0], &files[1], &files[2], &turns), 4);
  auto *number = static_cast<volatile int *>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, files[0], 0));
  Owned to_child = import(files[1]), to_parent = import(files[2]);
  for (int i = 0; i < turns; ++i) {
    EXPECT_EQ(wait(queue_, {to_child.get()}), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    *number = *number + 1;
    EXPECT_EQ(signal(queue_, {to_parent.get()}), CL_SUCCESS);
  }
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

// The test cannot create sync files, so a pipe's end that becomes readable once replaces one.
TEST_F(Semaphores, SyncFilesAreSignalsOnce) {
  const auto of_sync_file = [&](int file) {
    return make({CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, cl_semaphore_properties_khr(file)});
  };
  Owned signalled = of_sync_file(-1);
  EXPECT_EQ(payload(signalled), 1u);
  EXPECT_EQ(wait(queue_, {signalled.get()}), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(payload(signalled), 0u);

  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe(ends), 0);
  Owned semaphore = of_sync_file(ends[0]);
  Event waited;
  EXPECT_EQ(wait(second_, {semaphore.get()}, waited.out()), CL_SUCCESS);
  EXPECT_EQ(clFlush(second_), CL_SUCCESS);
  EXPECT_GT(status_of(waited), CL_COMPLETE);
  EXPECT_EQ(write_byte(ends[1]), 1);
  EXPECT_EQ(clFinish(second_), CL_SUCCESS);
  EXPECT_EQ(status_of(waited), CL_COMPLETE);
  close(ends[1]);

  EXPECT_EQ(f.import_again(semaphore.get(), nullptr, -1), CL_SUCCESS);
  EXPECT_EQ(payload(semaphore), 1u);
  EXPECT_EQ(wait(second_, {semaphore.get()}), CL_SUCCESS);
  EXPECT_EQ(clFinish(second_), CL_SUCCESS);
  EXPECT_EQ(signal(queue_, {semaphore.get()}), CL_SUCCESS); // from now on an ordinary semaphore
  EXPECT_EQ(wait(second_, {semaphore.get()}), CL_SUCCESS);
  EXPECT_EQ(clFinish(second_), CL_SUCCESS);
}

TEST_F(Semaphores, WrongHandles) {
  constexpr cl_semaphore_properties_khr type = CL_SEMAPHORE_TYPE_KHR,
                                        binary = CL_SEMAPHORE_TYPE_BINARY_KHR,
                                        types = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                        opaque = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                        sync = CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
  auto create = [&](const std::vector<cl_semaphore_properties_khr> &list) {
    return [this, list](cl_int *status) { return f.create(context_, list.data(), status); };
  };
  expect_null(CL_INVALID_PROPERTY, create({type, binary, types, sync, 0, 0}), "can be exported");
  expect_null(CL_INVALID_VALUE, create({type, binary, types, opaque, opaque, 0, 0}), "2 types");
  expect_null(CL_INVALID_PROPERTY, create({type, binary, opaque, 0, sync, 0, 0}), "two handles");
  expect_null(CL_INVALID_OPERATION, create({type, binary, opaque, 0, types, opaque, 0, 0}),
              "to import");
  expect_null(CL_INVALID_PROPERTY, create({type, binary, opaque, 0, 0}), "not that of a semaphore");
  expect_null(CL_INVALID_PROPERTY, create({type, binary, sync, 9999, 0}), "not open");
  Owned shared = make_exportable(), own = make();
  int file = -1;
  expect(CL_INVALID_SEMAPHORE_KHR, f.handle(reinterpret_cast<cl_semaphore_khr>(context_.get()),
                                            device_, opaque, sizeof file, &file, nullptr));
  expect(CL_INVALID_DEVICE,
         f.handle(shared.get(), reinterpret_cast<cl_device_id>(context_.get()), opaque, sizeof file,
                  &file, nullptr),
         "device");
  expect(CL_INVALID_VALUE, f.handle(own.get(), device_, opaque, sizeof file, &file, nullptr),
         "handle_type");
  expect(CL_INVALID_VALUE, f.handle(shared.get(), device_, sync, sizeof file, &file, nullptr),
         "handle_type");
  expect(CL_INVALID_VALUE, f.handle(shared.get(), device_, opaque, 2, &file, nullptr),
         "handle_size");
  expect(CL_INVALID_SEMAPHORE_KHR, f.import_again(own.get(), nullptr, -1), "sync file");
  Owned of_file = make({sync, cl_semaphore_properties_khr(-1)});
  cl_semaphore_properties_khr unknown[] = {1, 1, 0};
  expect(CL_INVALID_VALUE, f.import_again(of_file.get(), unknown, -1), "reimport_props");
  expect(CL_INVALID_VALUE, f.import_again(of_file.get(), nullptr, 9999), "not open");
}

TEST_F(Semaphores, WrongCreation) {
  auto create = [&](const std::vector<cl_semaphore_properties_khr> &list) {
    return [this, list](cl_int *status) { return f.create(context_, list.data(), status); };
  };
  constexpr cl_semaphore_properties_khr type = CL_SEMAPHORE_TYPE_KHR,
                                        binary = CL_SEMAPHORE_TYPE_BINARY_KHR;
  const auto device = reinterpret_cast<cl_semaphore_properties_khr>(device_);
  const auto none = reinterpret_cast<cl_semaphore_properties_khr>(context_.get());
  expect_null(
      CL_INVALID_VALUE, [&](cl_int *status) { return f.create(context_, nullptr, status); },
      "sema_props");
  expect_null(CL_INVALID_VALUE, create({0}), "CL_SEMAPHORE_TYPE_KHR");
  expect_null(CL_INVALID_PROPERTY, create({0x9999, 1, 0}), "not a property");
  expect_null(CL_INVALID_PROPERTY, create({type, 9, 0}), "not a type");
  expect_null(CL_INVALID_PROPERTY, create({type, binary, type, binary, 0}), "twice");
  expect_null(CL_INVALID_DEVICE, create({type, binary, device_list, 0, 0}), "0 devices");
  expect_null(CL_INVALID_DEVICE, create({type, binary, device_list, device, device, 0, 0}),
              "2 devices");
  expect_null(CL_INVALID_DEVICE, create({type, binary, device_list, none, 0, 0}), "not a device");
  expect_null(CL_INVALID_CONTEXT,
              [&](cl_int *status) { return f.create(no_context(), nullptr, status); });
}

TEST_F(Semaphores, WrongUse) {
  Owned semaphore = make();
  auto *const none = reinterpret_cast<cl_semaphore_khr>(context_.get());
  cl_uint value = 0;
  expect(CL_INVALID_SEMAPHORE_KHR, f.retain(none));
  expect(CL_INVALID_SEMAPHORE_KHR, f.release(none));
  expect(CL_INVALID_SEMAPHORE_KHR,
         f.info(none, CL_SEMAPHORE_TYPE_KHR, sizeof value, &value, nullptr));
  expect(CL_INVALID_VALUE, f.info(semaphore.get(), 0x9999, sizeof value, &value, nullptr),
         "param_name");
  expect(CL_INVALID_VALUE, f.info(semaphore.get(), CL_SEMAPHORE_TYPE_KHR, 1, &value, nullptr),
         "param_value_size");
  const cl_semaphore_khr list[] = {semaphore.get()}, wrong[] = {none};
  for (const auto enqueue : {f.wait, f.signal}) {
    expect(CL_INVALID_COMMAND_QUEUE, enqueue(no_queue(), 1, list, nullptr, 0, nullptr, nullptr));
    expect(CL_INVALID_VALUE, enqueue(queue_, 0, list, nullptr, 0, nullptr, nullptr),
           "num_sema_objects");
    expect(CL_INVALID_SEMAPHORE_KHR, enqueue(queue_, 1, wrong, nullptr, 0, nullptr, nullptr),
           "sema_objects[0]");
    expect(CL_INVALID_CONTEXT, enqueue(other_queue_, 1, list, nullptr, 0, nullptr, nullptr), "");
    expect_wait_list_errors([&](cl_uint count, const cl_event *events) {
      return enqueue(queue_, 1, list, nullptr, count, events, nullptr);
    });
    Event failed = make_user_event();
    clSetUserEventStatus(failed, -7);
    const cl_event events[] = {failed};
    expect(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
           enqueue(queue_, 1, list, nullptr, 1, events, nullptr), "event_wait_list[0]");
  }
}

} // namespace
} // namespace lockstep::test
