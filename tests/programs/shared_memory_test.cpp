// Tests memory that host and kernels access by the same address: SVM,
// cl_intel_unified_shared_memory, cl_ext_buffer_device_address, and program-scope variables passed
// from kernel to kernel.
#include "extension_functions.h"
#include "late_notifications.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>

using namespace lockstep::test;

namespace {

const char *const source = R"(
  typedef struct Node { global struct Node *next; int value; } Node;
  kernel void add(global int *data, int amount) { data[get_global_id(0)] += amount; }
  kernel void sum_list(global Node *head, global int *sum) {
    int total = 0;
    for (global Node *node = head; node; node = node->next)
      total += node->value;
    *sum = total;
  }
  kernel void make_list(global Node *nodes, uint count) {
    size_t i = get_global_id(0);
    nodes[i].value = (int)i;
    nodes[i].next = i + 1 < count ? nodes + i + 1 : 0;
  }
  kernel void use_constant(constant int *table, global int *out) {
    out[get_global_id(0)] = table[get_global_id(0)] * 2;
  }
  kernel void is_null(global int *pointer, global int *out) { *out = pointer == 0; }
  kernel void answer_host(global atomic_int *turn, global int *word, uint rounds) {
    for (uint i = 0; i < rounds; ++i) {
      while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_all_svm_devices) != 1)
        ;
      *word = *word * 3 + 1;
      atomic_store_explicit(turn, 0, memory_order_release, memory_scope_all_svm_devices);
    }
  }
  kernel void add_at(global ulong *table, int amount) {
    global int *data = (global int *)table[get_global_id(0)];
    *data += amount;
  }
  kernel void wait_for(global atomic_int *flag) {
    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_all_svm_devices) == 0)
      ;
  }

  global int counter = 40;
  global int *global kept;
  global atomic_int ticket = ATOMIC_VAR_INIT(7);
  global atomic_flag latch = ATOMIC_FLAG_INIT;
  kernel void keep(global int *pointer) { kept = pointer; counter += 2; }
  kernel void use_kept(global int *out) {
    out[0] = *kept;
    out[1] = counter;
    out[2] = atomic_fetch_add(&ticket, 1);
    out[3] = atomic_flag_test_and_set(&latch);
  }
)";

struct Node { // same as in the source
  Node *next;
  int value;
};

class SharedMemory : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (HasFatalFailure())
      return;
    program_ = build(source, "-cl-std=CL3.0");
  }

  // Fine-grained memory: the host may access it without a map.
  template <class T>
  T *allocate(size_t count,
              cl_svm_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER) {
    auto *memory = static_cast<T *>(clSVMAlloc(context_, flags, count * sizeof(T), 0));
    EXPECT_NE(memory, nullptr);
    allocated_.push_back(memory);
    return memory;
  }
  void TearDown() override {
    if (queue_)
      clFinish(queue_);
    for (void *memory : allocated_)
      clSVMFree(context_, memory);
  }
  void launch(cl_kernel kernel, size_t items, cl_event *event = nullptr) {
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, event),
        CL_SUCCESS);
  }
  template <class T> void set(cl_kernel kernel, cl_uint index, const T &value) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof value, &value), CL_SUCCESS);
  }
  void set_pointer(cl_kernel kernel, cl_uint index, const void *pointer) {
    EXPECT_EQ(clSetKernelArgSVMPointer(kernel, index, pointer), CL_SUCCESS);
  }

  Program program_;
  std::vector<void *> allocated_;
};

using Svm = SharedMemory;

TEST_F(Svm, IsAllThere) {
  EXPECT_EQ(device_info<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES),
            cl_device_svm_capabilities(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER |
                                       CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                                       CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS));
}

TEST_F(Svm, HasTheAlignmentThatIsAskedFor) {
  for (cl_uint alignment = 1; alignment <= 128; alignment *= 2)
    for (size_t size : {1, 100, 5000, 3 << 20}) {
      void *memory = clSVMAlloc(context_, CL_MEM_READ_WRITE, size, alignment);
      ASSERT_NE(memory, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % alignment, 0u);
      clSVMFree(context_, memory);
    }
}

TEST_F(Svm, CoarseMemoryIsMappedForTheHost) {
  int *data = allocate<int>(1000, CL_MEM_READ_WRITE);
  EXPECT_EQ(clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, data, 4000, 0, nullptr,
                            nullptr),
            CL_SUCCESS);
  std::iota(data, data + 1000, 0);
  EXPECT_EQ(clEnqueueSVMUnmap(queue_, data, 0, nullptr, nullptr), CL_SUCCESS);
  Kernel add = make_kernel(program_, "add");
  set_pointer(add, 0, data + 500); // an address inside the allocation
  set(add, 1, 10);
  launch(add, 500);
  EXPECT_EQ(clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_READ, data, 4000, 0, nullptr, nullptr),
            CL_SUCCESS);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(data[i], i < 500 ? i : i + 10);
  EXPECT_EQ(clEnqueueSVMUnmap(queue_, data, 0, nullptr, nullptr), CL_SUCCESS);
}

TEST_F(Svm, ListsArePassedBothWays) {
  auto *nodes = allocate<Node>(1000);
  auto *sum = allocate<int>(1);
  Kernel make = make_kernel(program_, "make_list");
  set_pointer(make, 0, nodes);
  set(make, 1, cl_uint{1000});
  launch(make, 1000);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  int total = 0;
  for (Node *node = nodes; node; node = node->next)
    total += node->value;
  EXPECT_EQ(total, 999 * 500);

  // The host builds this list from parts of two allocations and from its own memory.
  auto own = std::make_unique<Node>(Node{nullptr, 5});
  auto *other = allocate<Node>(1);
  *other = {own.get(), 7};
  nodes[0] = {other, 11};
  Kernel add_up = make_kernel(program_, "sum_list");
  set_pointer(add_up, 0, nodes);
  set_pointer(add_up, 1, sum);
  void *used[] = {other};
  EXPECT_EQ(clSetKernelExecInfo(add_up, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof used, used),
            CL_SUCCESS);
  const cl_bool yes = CL_TRUE;
  EXPECT_EQ(
      clSetKernelExecInfo(add_up, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes),
      CL_SUCCESS);
  launch(add_up, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(*sum, 23);
}

TEST_F(Svm, MemoryOfTheHostIsAnArgumentToo) {
  std::vector<int> data(100, 1), out(100);
  Kernel add = make_kernel(program_, "add");
  set_pointer(add, 0, data.data());
  set(add, 1, 4);
  launch(add, 100);
  Kernel use = make_kernel(program_, "use_constant");
  set_pointer(use, 0, data.data());
  set_pointer(use, 1, out.data());
  launch(use, 100);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(out, std::vector<int>(100, 10));
}

TEST_F(Svm, HostAndKernelAnswerEachOther) {
  struct Words {
    std::atomic<int> turn;
    int word;
  };
  constexpr unsigned rounds = 200;
  auto *words =
      allocate<Words>(1, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
  words->turn = 0;
  words->word = 1;
  Kernel kernel = make_kernel(program_, "answer_host");
  set_pointer(kernel, 0, &words->turn);
  set_pointer(kernel, 1, &words->word);
  set(kernel, 2, cl_uint{rounds});
  launch(kernel, 1);
  EXPECT_EQ(clFlush(queue_), CL_SUCCESS);
  unsigned expected = 1;
  for (unsigned i = 0; i < rounds; ++i) {
    words->word = int(unsigned(words->word) + i);
    expected = (expected + i) * 3 + 1;
    words->turn.store(1, std::memory_order_release);
    while (words->turn.load(std::memory_order_acquire) != 0)
      std::this_thread::yield();
    ASSERT_EQ(unsigned(words->word), expected);
  }
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

TEST_F(Svm, CopiesAndFills) {
  int *data = allocate<int>(100);
  std::vector<int> host(100);
  const int pattern[2] = {3, 4};
  Event fill, copy;
  EXPECT_EQ(clEnqueueSVMMemFill(queue_, data, pattern, 8, 400, 0, nullptr, fill.out()), CL_SUCCESS);
  EXPECT_EQ(event_info<cl_command_type>(fill, CL_EVENT_COMMAND_TYPE),
            cl_command_type{CL_COMMAND_SVM_MEMFILL});
  EXPECT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, host.data() + 1, data, 396, 0, nullptr, copy.out()),
            CL_SUCCESS);
  EXPECT_EQ(event_info<cl_command_type>(copy, CL_EVENT_COMMAND_TYPE),
            cl_command_type{CL_COMMAND_SVM_MEMCPY});
  EXPECT_EQ(host[0], 0);
  for (int i = 1; i < 100; ++i)
    ASSERT_EQ(host[i], i % 2 ? 3 : 4);
  EXPECT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, data, host.data(), 0, 0, nullptr, nullptr),
            CL_SUCCESS)
      << "nothing to do";
  const void *parts[] = {data, data + 10};
  const size_t sizes[] = {0, 40};
  for (const size_t *given : {sizes, static_cast<const size_t *>(nullptr)})
    EXPECT_EQ(clEnqueueSVMMigrateMem(queue_, 2, parts, given, 0, 0, nullptr, nullptr), CL_SUCCESS);
  // Commands on buffers accept SVM pointers, too.
  Memory buffer = make_buffer(400);
  write<int>(buffer, std::vector<int>(100, 9));
  EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, 400, data, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(data[99], 9);
}

TEST_F(Svm, FreeIsACommand) {
  void *memory[] = {clSVMAlloc(context_, CL_MEM_READ_WRITE, 64, 0),
                    clSVMAlloc(context_, CL_MEM_READ_WRITE, 64, 0), nullptr};
  Event event = make_user_event();
  cl_event before = event;
  Event freed;
  EXPECT_EQ(clEnqueueSVMFree(queue_, 3, memory, nullptr, nullptr, 1, &before, freed.out()),
            CL_SUCCESS);
  EXPECT_EQ(event_info<cl_command_type>(freed, CL_EVENT_COMMAND_TYPE),
            cl_command_type{CL_COMMAND_SVM_FREE});
  void *const first = memory[0];
  memory[0] = nullptr; // the call has copied the list
  const auto size_of = function<GetSvmPointerInfo>("clGetSVMPointerInfoKHR");
  const auto is_there = [&] {
    size_t size = 0;
    EXPECT_EQ(size_of(context_, nullptr, first, svm_info_size, sizeof size, &size, nullptr),
              CL_SUCCESS);
    return size != 0;
  };
  EXPECT_TRUE(is_there());
  EXPECT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_FALSE(is_there());
}

TEST_F(Svm, FreeCallsTheProgram) {
  struct Call {
    cl_command_queue queue;
    cl_uint count;
    void *first;
    static void CL_CALLBACK receive(cl_command_queue queue, cl_uint count, void *pointers[],
                                    void *self) {
      *static_cast<Call *>(self) = {queue, count, pointers[0]};
      delete static_cast<int *>(pointers[0]);
    }
  } call{};
  int *own = new int(3);
  void *memory[] = {own};
  EXPECT_EQ(clEnqueueSVMFree(queue_, 1, memory, Call::receive, &call, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(call.queue, queue_.get());
  EXPECT_EQ(call.count, 1u);
  EXPECT_EQ(call.first, own);
}

TEST_F(Svm, BuffersCanLieInIt) {
  int *data = allocate<int>(100);
  std::fill(data, data + 100, 1);
  Memory buffer = make_buffer(200, CL_MEM_USE_HOST_PTR, data + 50);
  EXPECT_EQ(memory_info<cl_bool>(buffer, CL_MEM_USES_SVM_POINTER), cl_bool{CL_TRUE});
  EXPECT_EQ(memory_info<void *>(buffer, CL_MEM_HOST_PTR), data + 50);
  Memory part = make_sub_buffer(buffer, 0, 100);
  EXPECT_EQ(memory_info<cl_bool>(part, CL_MEM_USES_SVM_POINTER), cl_bool{CL_TRUE});
  Kernel add = make_kernel(program_, "add");
  cl_mem memory = buffer;
  set(add, 0, memory);
  set(add, 1, 5);
  launch(add, 50);
  set_pointer(add, 0, data);
  launch(add, 100);
  set(add, 0, memory); // the buffer replaces the address
  launch(add, 50);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(data[49], 6);
  EXPECT_EQ(data[50], 16);
}

TEST_F(Svm, NullIsANullPointer) {
  int *out = allocate<int>(1);
  Kernel kernel = make_kernel(program_, "is_null");
  set_pointer(kernel, 0, out);
  set_pointer(kernel, 1, out);
  launch(kernel, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(*out, 0);
  set_pointer(kernel, 0, nullptr);
  launch(kernel, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(*out, 1);
  set_pointer(kernel, 0, out);
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), nullptr), CL_SUCCESS);
  *out = 0;
  launch(kernel, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(*out, 1) << "no memory object";
}

TEST_F(Svm, ClonesHaveAddressesToo) {
  int *data = allocate<int>(1);
  *data = 1;
  Kernel add = make_kernel(program_, "add");
  set_pointer(add, 0, data);
  set(add, 1, 5);
  cl_int status = 1;
  Kernel clone(clCloneKernel(add, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  launch(clone, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(*data, 6);
}

// A kernel that waits for a value that the host writes is not a deadlock, even if all threads but
// one wait.
TEST_F(Svm, WaitsForTheHostAreLeftAlone) {
  auto *flag = allocate<std::atomic<int>>(1, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER |
                                                 CL_MEM_SVM_ATOMICS);
  std::atomic<int> own = 0;
  for (std::atomic<int> *waited : {flag, &own}) {
    *waited = 0;
    Kernel kernel = make_kernel(program_, "wait_for");
    set_pointer(kernel, 0, waited);
    launch(kernel, 1);
    std::thread host([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      *waited = 1;
    });
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    host.join();
  }
}

// The host cannot write coarse-grained memory that is not mapped, so a wait for such memory can be
// a deadlock.
TEST_F(Svm, DeadlocksNameTheAllocation) {
  LateNotifications notifications;
  cl_int status = 1;
  context_ = Context(clCreateContext(nullptr, 1, &device_, LateNotifications::receive,
                                     notifications.user_data(), &status));
  ASSERT_EQ(status, CL_SUCCESS);
  queue_ = make_queue(0);
  program_ = build(source, "-cl-std=CL3.0");
  int *words = allocate<int>(16, CL_MEM_READ_WRITE);
  const int zero = 0;
  EXPECT_EQ(clEnqueueSVMMemFill(queue_, words, &zero, 4, 64, 0, nullptr, nullptr), CL_SUCCESS);
  Kernel kernel = make_kernel(program_, "wait_for");
  set_pointer(kernel, 0, words + 1);
  Event event;
  launch(kernel, 1, event.out());
  cl_event list[] = {event};
  EXPECT_EQ(clWaitForEvents(1, list), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(status_of(event), CL_OUT_OF_RESOURCES);
  const std::string all = notifications.with("byte 4 of the SVM allocation");
  EXPECT_NE(all.find("byte 4 of the SVM allocation of 64 bytes that is argument 0 'flag'"),
            std::string::npos)
      << all;
}

// ---- cl_intel_unified_shared_memory

class Usm : public SharedMemory {
protected:
  UnifiedMemory usm;
  std::vector<void *> allocate_each(size_t size) {
    cl_int status[3] = {1, 1, 1};
    std::vector<void *> all = {usm.host(context_, nullptr, size, 0, &status[0]),
                               usm.device(context_, device_, nullptr, size, 64, &status[1]),
                               usm.shared(context_, nullptr, nullptr, size, 0, &status[2])};
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(status[i], CL_SUCCESS);
      EXPECT_NE(all[i], nullptr);
    }
    return all;
  }
  template <class T> T info(const void *pointer, cl_mem_info_intel name) {
    T value{};
    size_t size = 0;
    EXPECT_EQ(usm.info(context_, pointer, name, sizeof value, &value, &size), CL_SUCCESS);
    EXPECT_EQ(size, sizeof value);
    return value;
  }
};

TEST_F(Usm, HasTheAlignmentThatIsAskedFor) {
  for (cl_uint alignment = 1; alignment <= 4096; alignment *= 2) {
    cl_int status = 1;
    void *memory = usm.host(context_, nullptr, 100, alignment, &status);
    EXPECT_EQ(status, CL_SUCCESS) << alignment;
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % alignment, 0u);
    EXPECT_EQ(usm.free(context_, memory), CL_SUCCESS);
  }
}

TEST_F(Usm, CanDoAll) {
  for (cl_device_info name :
       {CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL})
    EXPECT_EQ(device_info<cl_device_unified_shared_memory_capabilities_intel>(name), 15u);
}

TEST_F(Usm, TellsOfItself) {
  const auto all = allocate_each(1000);
  const cl_unified_shared_memory_type_intel types[] = {
      CL_MEM_TYPE_HOST_INTEL, CL_MEM_TYPE_DEVICE_INTEL, CL_MEM_TYPE_SHARED_INTEL};
  for (int i = 0; i < 3; ++i)
    for (int byte : {0, 999}) {
      char *inside = static_cast<char *>(all[i]) + byte;
      EXPECT_EQ(info<cl_unified_shared_memory_type_intel>(inside, CL_MEM_ALLOC_TYPE_INTEL),
                types[i]);
      EXPECT_EQ(info<void *>(inside, CL_MEM_ALLOC_BASE_PTR_INTEL), all[i]);
      EXPECT_EQ(info<size_t>(inside, CL_MEM_ALLOC_SIZE_INTEL), 1000u);
      EXPECT_EQ(info<cl_device_id>(inside, CL_MEM_ALLOC_DEVICE_INTEL), i == 1 ? device_ : nullptr);
      EXPECT_EQ(info<cl_mem_alloc_flags_intel>(inside, CL_MEM_ALLOC_FLAGS_INTEL), 0u);
    }
  int own = 0;
  for (const void *unknown : {static_cast<const void *>(&own), static_cast<const void *>(nullptr),
                              static_cast<const void *>(allocate<int>(1))}) {
    EXPECT_EQ(info<cl_unified_shared_memory_type_intel>(unknown, CL_MEM_ALLOC_TYPE_INTEL),
              cl_unified_shared_memory_type_intel{CL_MEM_TYPE_UNKNOWN_INTEL});
    EXPECT_EQ(info<void *>(unknown, CL_MEM_ALLOC_BASE_PTR_INTEL), nullptr);
    EXPECT_EQ(info<size_t>(unknown, CL_MEM_ALLOC_SIZE_INTEL), 0u);
  }
  for (void *memory : all)
    EXPECT_EQ(usm.free(context_, memory), CL_SUCCESS);
  EXPECT_EQ(info<size_t>(all[0], CL_MEM_ALLOC_SIZE_INTEL), 0u);
  const cl_mem_properties_intel properties[] = {CL_MEM_ALLOC_FLAGS_INTEL,
                                                CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0};
  cl_int status = 1;
  void *placed = usm.shared(context_, device_, properties, 8, 0, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(info<cl_mem_alloc_flags_intel>(placed, CL_MEM_ALLOC_FLAGS_INTEL),
            cl_mem_alloc_flags_intel{CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL});
  EXPECT_EQ(info<cl_device_id>(placed, CL_MEM_ALLOC_DEVICE_INTEL), device_);
  EXPECT_EQ(usm.blocking_free(context_, placed), CL_SUCCESS);
  EXPECT_EQ(usm.free(context_, nullptr), CL_SUCCESS);
}

TEST_F(Usm, IsFilledCopiedAndGivenToKernels) {
  std::vector<int> host(100);
  for (void *memory : allocate_each(400)) {
    const int pattern = 3;
    EXPECT_EQ(usm.fill(queue_, memory, &pattern, 4, 400, 0, nullptr, nullptr), CL_SUCCESS);
    Kernel add = make_kernel(program_, "add");
    EXPECT_EQ(usm.set_argument(add, 0, static_cast<int *>(memory) + 50), CL_SUCCESS);
    set(add, 1, 4);
    launch(add, 50);
    EXPECT_EQ(usm.migrate(queue_, memory, 400, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(usm.advise(queue_, memory, 400, 0, 0, nullptr, nullptr), CL_SUCCESS);
    Event copy;
    EXPECT_EQ(usm.copy(queue_, CL_TRUE, host.data(), memory, 400, 0, nullptr, copy.out()),
              CL_SUCCESS);
    EXPECT_EQ(event_info<cl_command_type>(copy, CL_EVENT_COMMAND_TYPE),
              cl_command_type{CL_COMMAND_MEMCPY_INTEL});
    EXPECT_EQ(host[49], 3);
    EXPECT_EQ(host[50], 7);
    EXPECT_EQ(usm.free(context_, memory), CL_SUCCESS);
  }
}

TEST_F(Usm, IsReachedThroughPointersInMemory) {
  cl_int status = 1;
  auto *table = static_cast<cl_ulong *>(usm.shared(context_, device_, nullptr, 3 * 8, 0, &status));
  std::vector<void *> all = allocate_each(4);
  const int pattern = 1;
  for (int i = 0; i < 3; ++i) {
    table[i] = reinterpret_cast<uintptr_t>(all[i]);
    EXPECT_EQ(usm.fill(queue_, all[i], &pattern, 4, 4, 0, nullptr, nullptr), CL_SUCCESS);
  }
  Kernel kernel = make_kernel(program_, "add_at");
  EXPECT_EQ(usm.set_argument(kernel, 0, table), CL_SUCCESS);
  set(kernel, 1, 4);
  const cl_bool yes = CL_TRUE;
  for (cl_kernel_exec_info name : {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
                                   CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL})
    EXPECT_EQ(clSetKernelExecInfo(kernel, name, sizeof yes, &yes), CL_SUCCESS);
  EXPECT_EQ(
      clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof(void *), &all[2]),
      CL_SUCCESS);
  launch(kernel, 3);
  int host[3];
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(usm.copy(queue_, CL_TRUE, host + i, all[i], 4, 0, nullptr, nullptr), CL_SUCCESS);
  for (int value : host)
    EXPECT_EQ(value, 5);
  all.push_back(table);
  for (void *memory : all)
    EXPECT_EQ(usm.blocking_free(context_, memory), CL_SUCCESS);
}

TEST_F(Usm, BlockingFreeWaits) {
  for (bool is_named : {true, false}) {
    cl_int status = 1;
    void *memory = usm.device(context_, device_, nullptr, 4, 0, &status);
    std::vector<int> data(1);
    Kernel add = make_kernel(program_, "add");
    EXPECT_EQ(usm.set_argument(add, 0, is_named ? memory : data.data()), CL_SUCCESS);
    set(add, 1, 4);
    const cl_bool yes = CL_TRUE;
    if (!is_named)
      EXPECT_EQ(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                                    sizeof yes, &yes),
                CL_SUCCESS);
    Event before = make_user_event(), event;
    cl_event list[] = {before};
    const size_t items = 1;
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, add, 1, nullptr, &items, nullptr, 1, list, event.out()),
        CL_SUCCESS);
    std::thread host([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      clSetUserEventStatus(before, CL_COMPLETE);
    });
    EXPECT_EQ(usm.blocking_free(context_, memory), CL_SUCCESS);
    EXPECT_EQ(status_of(before), CL_COMPLETE);
    host.join();
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  }
}

// ---- cl_ext_buffer_device_address

TEST_F(SharedMemory, BuffersHaveAddresses) {
  const cl_mem_properties properties[] = {private_address, CL_TRUE, 0};
  cl_int status = 1;
  Memory buffer(
      clCreateBufferWithProperties(context_, properties, CL_MEM_READ_WRITE, 400, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  write<int>(buffer, std::vector<int>(100, 1));
  const auto address = memory_info<cl_ulong>(buffer, device_address);
  EXPECT_NE(address, 0u);
  Memory part = make_sub_buffer(buffer, 128, 128);
  EXPECT_EQ(memory_info<cl_ulong>(part, device_address), address + 128);

  const auto set_argument = function<SetKernelArgDevicePointer>("clSetKernelArgDevicePointerEXT");
  Kernel add = make_kernel(program_, "add");
  EXPECT_EQ(set_argument(add, 0, address + 40), CL_SUCCESS);
  set(add, 1, 2);
  launch(add, 10);
  Memory table = make_buffer(16);
  write<cl_ulong>(table, {address, address + 4});
  Kernel indirect = make_kernel(program_, "add_at");
  cl_mem handle = table;
  set(indirect, 0, handle);
  set(indirect, 1, 6);
  EXPECT_EQ(clSetKernelExecInfo(indirect, device_pointers, sizeof address, &address), CL_SUCCESS);
  launch(indirect, 2);
  std::vector<int> expected(100, 1);
  expected[0] = expected[1] = 7;
  std::fill_n(expected.begin() + 10, 10, 3);
  EXPECT_EQ(read<int>(buffer, 100), expected);

  int *shared = allocate<int>(100);
  Memory on_svm(clCreateBufferWithProperties(context_, properties, CL_MEM_USE_HOST_PTR, 400, shared,
                                             &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(memory_info<cl_ulong>(on_svm, device_address), reinterpret_cast<uintptr_t>(shared));
}

// ---- program-scope variables

TEST_F(SharedMemory, ProgramVariablesLastFromKernelToKernel) {
  int *data = allocate<int>(1);
  *data = 99;
  Kernel keep = make_kernel(program_, "keep"), use = make_kernel(program_, "use_kept");
  set_pointer(keep, 0, data);
  launch(keep, 1);
  int *out = allocate<int>(4);
  set_pointer(use, 0, out);
  void *used[] = {data};
  EXPECT_EQ(clSetKernelExecInfo(use, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof used, used), CL_SUCCESS);
  launch(use, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(out[0], 99);
  EXPECT_EQ(out[1], 42);
  EXPECT_EQ(out[2], 7);
  EXPECT_EQ(out[3], 0);
  launch(use, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(out[2], 8);
  EXPECT_EQ(out[3], 1);
}

} // namespace
