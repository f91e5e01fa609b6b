// Tests buffers and sub-buffers: contents, queries and lifetime.
#include "opencl_fixture.h"

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

using namespace lockstep::test;

namespace {

class MemoryObjects : public DeviceTest {
protected:
  // Returns bytes; the query returns bits.
  size_t base_alignment() { return device_info<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8; }
};

// Waits for an action of another thread.
void wait_for(const std::atomic<bool> &flag) {
  for (int tries = 0; tries < 10'000 && !flag; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(flag);
}

TEST_F(MemoryObjects, BufferTellsWhatItWasMadeWith) {
  Memory buffer = make_buffer(1000, CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY);
  EXPECT_EQ(memory_info<cl_mem_object_type>(buffer, CL_MEM_TYPE), CL_MEM_OBJECT_BUFFER);
  EXPECT_EQ(memory_info<cl_mem_flags>(buffer, CL_MEM_FLAGS),
            CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY);
  EXPECT_EQ(memory_info<size_t>(buffer, CL_MEM_SIZE), 1000u);
  EXPECT_EQ(memory_info<void *>(buffer, CL_MEM_HOST_PTR), nullptr);
  EXPECT_EQ(memory_info<cl_uint>(buffer, CL_MEM_MAP_COUNT), 0u);
  EXPECT_EQ(memory_info<cl_uint>(buffer, CL_MEM_REFERENCE_COUNT), 1u);
  EXPECT_EQ(memory_info<cl_context>(buffer, CL_MEM_CONTEXT), context_.get());
  EXPECT_EQ(memory_info<cl_mem>(buffer, CL_MEM_ASSOCIATED_MEMOBJECT), nullptr);
  EXPECT_EQ(memory_info<size_t>(buffer, CL_MEM_OFFSET), 0u);
  EXPECT_EQ(memory_info<cl_bool>(buffer, CL_MEM_USES_SVM_POINTER), cl_bool{CL_FALSE});
  size_t size = 7;
  EXPECT_EQ(clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, 0, nullptr, &size), CL_SUCCESS);
  EXPECT_EQ(size, 0u);
}

TEST_F(MemoryObjects, FlagsZeroMeansReadWrite) {
  Memory buffer = make_buffer(16, 0);
  EXPECT_EQ(memory_info<cl_mem_flags>(buffer, CL_MEM_FLAGS), cl_mem_flags{CL_MEM_READ_WRITE});
}

TEST_F(MemoryObjects, PropertiesAreKept) {
  const cl_mem_properties empty[] = {0};
  cl_int status = 1;
  Memory buffer(
      clCreateBufferWithProperties(context_, empty, CL_MEM_READ_WRITE, 64, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  size_t size = 0;
  cl_mem_properties answer[2] = {5, 5};
  EXPECT_EQ(clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, sizeof answer, answer, &size),
            CL_SUCCESS);
  EXPECT_EQ(size, sizeof(cl_mem_properties));
  EXPECT_EQ(answer[0], 0u);
}

TEST_F(MemoryObjects, RetainAndReleaseCount) {
  Memory buffer = make_buffer(16);
  EXPECT_EQ(clRetainMemObject(buffer), CL_SUCCESS);
  EXPECT_EQ(memory_info<cl_uint>(buffer, CL_MEM_REFERENCE_COUNT), 2u);
  EXPECT_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
  EXPECT_EQ(memory_info<cl_uint>(buffer, CL_MEM_REFERENCE_COUNT), 1u);
}

TEST_F(MemoryObjects, CopyHostPointerTakesTheContentAtOnce) {
  std::vector<int> data(1000);
  std::iota(data.begin(), data.end(), 5);
  Memory buffer =
      make_buffer(data.size() * 4, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, data.data());
  std::vector<int> expected = data;
  std::fill(data.begin(), data.end(), -1);
  EXPECT_EQ(read<int>(buffer, 1000), expected);
}

TEST_F(MemoryObjects, UseHostPointerIsTheStorage) {
  std::vector<int> data(256, 3);
  Memory buffer = make_buffer(1024, CL_MEM_USE_HOST_PTR, data.data());
  EXPECT_EQ(memory_info<void *>(buffer, CL_MEM_HOST_PTR), data.data());
  EXPECT_EQ(read<int>(buffer, 256), data);
  const int seven = 7;
  ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, &seven, 4, 0, 1024, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  cl_int status = 1;
  void *mapped = clEnqueueMapBuffer(queue_, buffer, CL_TRUE, CL_MAP_READ, 0, 1024, 0, nullptr,
                                    nullptr, &status);
  EXPECT_EQ(mapped, data.data());
  EXPECT_EQ(data, std::vector<int>(256, 7));
  EXPECT_EQ(clEnqueueUnmapMemObject(queue_, buffer, mapped, 0, nullptr, nullptr), CL_SUCCESS);
}

TEST_F(MemoryObjects, UseHostPointerOfAnyAlignment) {
  std::vector<char> data(100, 'a');
  Memory buffer = make_buffer(64, CL_MEM_USE_HOST_PTR, data.data() + 3);
  write<char>(buffer, std::vector<char>(64, 'b'));
  EXPECT_EQ(data[2], 'a');
  EXPECT_EQ(data[3], 'b');
  EXPECT_EQ(data[66], 'b');
  EXPECT_EQ(data[67], 'a');
}

// C (6.7.3) allows it, as the object itself is not const.
TEST_F(MemoryObjects, KernelsMayWriteThroughACastOfAConstArgument) {
  std::vector<cl_int> content(100, 1);
  const size_t items = content.size();
  Memory buffer = make_buffer(items * sizeof(cl_int), CL_MEM_COPY_HOST_PTR, content.data());
  Program program = build("kernel void k(global const int *a) { global int *b = (global int *)a;"
                          " b[get_global_id(0)] += 41; }");
  Kernel kernel(clCreateKernel(program, "k", nullptr));
  const cl_mem given = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof given, &given), CL_SUCCESS);
  ASSERT_EQ(
      clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(read<cl_int>(buffer, items), std::vector<cl_int>(items, 42));
}

TEST_F(MemoryObjects, SubBufferSharesTheStorage) {
  size_t step = base_alignment();
  Memory buffer = make_buffer(4 * step);
  write<char>(buffer, std::vector<char>(4 * step, 1));
  Memory middle = make_sub_buffer(buffer, step, 2 * step);
  write<char>(middle, std::vector<char>(2 * step, 2));
  std::vector<char> all = read<char>(buffer, 4 * step);
  for (size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(all[i], i >= step && i < 3 * step ? 2 : 1) << i;
}

TEST_F(MemoryObjects, SubBufferTellsItsParent) {
  size_t step = base_alignment();
  std::vector<char> host(4 * step);
  Memory buffer = make_buffer(
      4 * step, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY, host.data());
  Memory sub = make_sub_buffer(buffer, 2 * step, step);
  EXPECT_EQ(memory_info<cl_mem>(sub, CL_MEM_ASSOCIATED_MEMOBJECT), buffer.get());
  EXPECT_EQ(memory_info<size_t>(sub, CL_MEM_OFFSET), 2 * step);
  EXPECT_EQ(memory_info<size_t>(sub, CL_MEM_SIZE), step);
  EXPECT_EQ(memory_info<void *>(sub, CL_MEM_HOST_PTR), host.data() + 2 * step);
  EXPECT_EQ(memory_info<cl_mem_flags>(sub, CL_MEM_FLAGS),
            CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY);
  EXPECT_EQ(memory_info<cl_context>(sub, CL_MEM_CONTEXT), context_.get());
}

TEST_F(MemoryObjects, SubBufferFlagsReplaceOnlyTheirGroup) {
  Memory buffer = make_buffer(4096, CL_MEM_READ_WRITE | CL_MEM_HOST_WRITE_ONLY);
  Memory sub = make_sub_buffer(buffer, 0, 64, CL_MEM_READ_ONLY);
  EXPECT_EQ(memory_info<cl_mem_flags>(sub, CL_MEM_FLAGS),
            CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY);
  Memory hidden = make_sub_buffer(buffer, 0, 64, CL_MEM_HOST_NO_ACCESS);
  EXPECT_EQ(memory_info<cl_mem_flags>(hidden, CL_MEM_FLAGS),
            CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
}

TEST_F(MemoryObjects, SubBufferOutlivesTheHandleOfItsParent) {
  Memory buffer = make_buffer(4096);
  write<int>(buffer, std::vector<int>(1024, 9));
  Memory sub = make_sub_buffer(buffer, 0, 64);
  cl_mem parent = buffer;
  buffer.reset();
  EXPECT_EQ(memory_info<cl_mem>(sub, CL_MEM_ASSOCIATED_MEMOBJECT), parent);
  EXPECT_EQ(read<int>(sub, 16), std::vector<int>(16, 9));
}

struct Order {
  std::vector<int> *calls;
  int number;
  static void CL_CALLBACK call(cl_mem, void *self) {
    auto *order = static_cast<Order *>(self);
    order->calls->push_back(order->number);
  }
};

TEST_F(MemoryObjects, DestructorCallbacksRunLastFirst) {
  std::vector<int> calls;
  Order orders[] = {{&calls, 1}, {&calls, 2}, {&calls, 3}};
  Memory buffer = make_buffer(64);
  for (Order &order : orders)
    ASSERT_EQ(clSetMemObjectDestructorCallback(buffer, Order::call, &order), CL_SUCCESS);
  ASSERT_EQ(clRetainMemObject(buffer), CL_SUCCESS);
  ASSERT_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
  EXPECT_TRUE(calls.empty());
  buffer.reset();
  EXPECT_EQ(calls, (std::vector<int>{3, 2, 1}));
}

TEST_F(MemoryObjects, ParentIsDestroyedAfterItsSubBuffer) {
  std::vector<int> calls;
  Order of_parent{&calls, 1}, of_child{&calls, 2};
  Memory buffer = make_buffer(4096);
  Memory sub = make_sub_buffer(buffer, 0, 64);
  ASSERT_EQ(clSetMemObjectDestructorCallback(buffer, Order::call, &of_parent), CL_SUCCESS);
  ASSERT_EQ(clSetMemObjectDestructorCallback(sub, Order::call, &of_child), CL_SUCCESS);
  buffer.reset();
  EXPECT_TRUE(calls.empty());
  sub.reset();
  EXPECT_EQ(calls, (std::vector<int>{2, 1}));
}

TEST_F(MemoryObjects, ReleasedBufferLivesUntilItsCommandIsDone) {
  std::atomic<bool> destroyed{false};
  auto on_destroy = [](cl_mem, void *flag) { static_cast<std::atomic<bool> *>(flag)->store(true); };
  std::vector<int> host(1024, 1), result(1024, 0);
  Memory buffer = make_buffer(4096, CL_MEM_USE_HOST_PTR, host.data());
  ASSERT_EQ(clSetMemObjectDestructorCallback(buffer, on_destroy, &destroyed), CL_SUCCESS);
  Event gate = make_user_event();
  Event done;
  cl_event wait[] = {gate};
  ASSERT_EQ(
      clEnqueueReadBuffer(queue_, buffer, CL_FALSE, 0, 4096, result.data(), 1, wait, done.out()),
      CL_SUCCESS);
  ASSERT_EQ(clFlush(queue_), CL_SUCCESS);
  buffer.reset();
  EXPECT_FALSE(destroyed);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  done.reset();
  EXPECT_EQ(result, host);
  wait_for(destroyed); // on another thread
}

// The command has the last reference to the buffer. The buffer's destructor callback may wait for
// the command, which is already complete.
TEST_F(MemoryObjects, DestructorCallbackMayWaitForTheCommand) {
  struct Heard {
    cl_event done;
    cl_int status = 1;
    std::atomic<bool> is_over{false};
  } heard;
  auto on_destroy = [](cl_mem, void *data) {
    auto &heard = *static_cast<Heard *>(data);
    heard.status = event_info<cl_int>(heard.done, CL_EVENT_COMMAND_EXECUTION_STATUS);
    clWaitForEvents(1, &heard.done);
    heard.is_over = true;
  };
  for (size_t size : {size_t{64}, size_t{1} << 22}) { // executed in place, and by workers
    heard.is_over = false;
    Memory buffer = make_buffer(size);
    ASSERT_EQ(clSetMemObjectDestructorCallback(buffer, on_destroy, &heard), CL_SUCCESS);
    Event gate = make_user_event(), done;
    cl_event wait[] = {gate};
    const char zero = 0;
    ASSERT_EQ(clEnqueueFillBuffer(queue_, buffer, &zero, 1, 0, size, 1, wait, done.out()),
              CL_SUCCESS);
    heard.done = done;
    buffer.reset();
    ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    wait_for(heard.is_over);
    EXPECT_EQ(heard.status, CL_COMPLETE) << size;
  }
}

// A command has the last reference to the context. The library must not call the context's
// destructor callback on the thread that completes the command.
TEST_F(MemoryObjects, ContextDestructorCallbackIsNotCalledByAWorker) {
  struct Threads {
    std::thread::id worker, callback;
    std::atomic<bool> is_over{false};
  } static threads;
  Context context(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, nullptr));
  auto on_destroy = [](cl_context, void *) {
    threads.callback = std::this_thread::get_id();
    threads.is_over = true;
  };
  ASSERT_EQ(clSetContextDestructorCallback(context, on_destroy, nullptr), CL_SUCCESS);
  Queue queue(clCreateCommandQueueWithProperties(context, device_, nullptr, nullptr));
  auto native = [](void *) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    threads.worker = std::this_thread::get_id();
  };
  ASSERT_EQ(
      clEnqueueNativeKernel(queue, native, nullptr, 0, 0, nullptr, nullptr, 0, nullptr, nullptr),
      CL_SUCCESS);
  queue.reset();
  context.reset();
  wait_for(threads.is_over);
  EXPECT_NE(threads.callback, threads.worker);
}

TEST_F(MemoryObjects, ContextLivesWithItsBuffer) {
  Memory buffer = make_buffer(64);
  cl_context context = context_;
  queue_.reset();
  context_.reset();
  EXPECT_EQ(memory_info<cl_context>(buffer, CL_MEM_CONTEXT), context);
}

TEST_F(MemoryObjects, MigrateIsACommandLikeOthers) {
  std::vector<int> data(256, 4);
  Memory buffer = make_buffer(1024, CL_MEM_COPY_HOST_PTR, data.data());
  cl_mem list[] = {buffer};
  Event to_host, to_device;
  ASSERT_EQ(clEnqueueMigrateMemObjects(queue_, 1, list, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr,
                                       to_host.out()),
            CL_SUCCESS);
  cl_event wait[] = {to_host};
  ASSERT_EQ(clEnqueueMigrateMemObjects(queue_, 1, list, 0, 1, wait, to_device.out()), CL_SUCCESS);
  EXPECT_EQ(read<int>(buffer, 256), data);
  EXPECT_EQ(event_info<cl_command_type>(to_host, CL_EVENT_COMMAND_TYPE),
            cl_command_type{CL_COMMAND_MIGRATE_MEM_OBJECTS});
  EXPECT_EQ(status_of(to_device), CL_COMPLETE);
}

} // namespace
