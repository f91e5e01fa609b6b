// Memory of the NVIDIA device on the fake driver: transfers, fills, and memory that kernels reach by
// address.
#include "api/opencl/entry_points.h"
#include "runtime/launch/nvidia/nvidia_memory.h"
#include "tests/nvidia/device_fixture.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"
#include "tests/nvidia/fake_device.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace lockstep::opencl {
namespace {

using fake_cuda::controls;

runtime::NvidiaMemory &fake_memory() {
  return static_cast<runtime::NvidiaMemory &>(*test::fake_device()->memory_space());
}

TEST_F(NvidiaDeviceTest, CopiesAndFillsDoNotMoveContentsToTheHost) {
  constexpr size_t count = 1 << 16, bytes = count * sizeof(cl_int);
  cl_mem a = make(Values(count)), b = make(Values(count));
  cl_kernel increase = kernel("increase");
  set(increase, 0, a);
  ASSERT_EQ(launch(increase, {count}), CL_SUCCESS); // `a` moves to the card
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  const size_t to_card = controls().bytes_to_device, to_host = controls().bytes_to_host;
  const size_t launches = controls().submitted_launches;
  const cl_int pattern[] = {1, 2, 3, 4};
  controls().is_held = true;
  ASSERT_EQ(opencl::clEnqueueFillBuffer(queue_, a, pattern, sizeof pattern, 0, bytes, 0, nullptr,
                                        nullptr),
            CL_SUCCESS);
  ASSERT_EQ(launch(increase, {count}), CL_SUCCESS);
  ASSERT_EQ(opencl::clEnqueueCopyBuffer(queue_, a, b, 0, 0, bytes, 0, nullptr, nullptr),
            CL_SUCCESS);
  set(increase, 0, b);
  ASSERT_EQ(launch(increase, {count}), CL_SUCCESS);
  Values some(8);
  ASSERT_EQ(
      opencl::clEnqueueReadBuffer(queue_, b, CL_FALSE, 64, 32, some.data(), 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(controls().submitted_launches - launches, 2u); // behind the fill and the copy
  controls().is_held = false;
  ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(some, (Values{3, 4, 5, 6, 3, 4, 5, 6}));
  EXPECT_EQ(controls().bytes_to_device - to_card, 0u);
  EXPECT_EQ(controls().bytes_to_host - to_host, 32u);
}

TEST_F(NvidiaDeviceTest, PatternsOfEachSize) {
  constexpr size_t bytes = 3 * 1024;
  cl_mem to = make(Values(bytes / sizeof(cl_int)));
  for (size_t size = 1; size <= 128; size *= 2)
    for (const bool repeats : {false, true}) {
      std::vector<unsigned char> pattern(size);
      for (size_t i = 0; i < size; ++i)
        pattern[i] = static_cast<unsigned char>(repeats ? i % 2 + 1 : 2 * i + 1);
      const size_t begin = 128, length = bytes - 128 - size;
      ASSERT_EQ(opencl::clEnqueueFillBuffer(queue_, to, pattern.data(), size, begin, length, 0,
                                            nullptr, nullptr),
                CL_SUCCESS);
      std::vector<unsigned char> seen(length), expected(length);
      for (size_t i = 0; i < length; ++i)
        expected[i] = pattern[i % size];
      ASSERT_EQ(opencl::clEnqueueReadBuffer(queue_, to, CL_TRUE, begin, length, seen.data(), 0,
                                            nullptr, nullptr),
                CL_SUCCESS);
      EXPECT_EQ(seen, expected) << size;
    }
}

// The memory of the program is not copied first, and is not read before its commands have ended.
TEST_F(NvidiaDeviceTest, WritesAndReadsOfTheSameMemory) {
  for (const size_t count : {size_t{16}, size_t{1} << 16}) { // small and large transfers
    cl_mem a = make(Values(count, 5)), b = make(Values(count));
    cl_kernel increase = kernel("increase");
    set(increase, 0, a);
    Values values(count);
    const size_t bytes = count * sizeof(cl_int);
    ASSERT_EQ(launch(increase, {count}), CL_SUCCESS);
    ASSERT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
    const size_t to_card = controls().bytes_to_device;
    ASSERT_EQ(opencl::clEnqueueReadBuffer(queue_, a, CL_FALSE, 0, bytes, values.data(), 0, nullptr,
                                          nullptr),
              CL_SUCCESS);
    ASSERT_EQ(opencl::clEnqueueWriteBuffer(queue_, b, CL_FALSE, 0, bytes, values.data(), 0, nullptr,
                                           nullptr),
              CL_SUCCESS);
    set(increase, 0, b);
    ASSERT_EQ(launch(increase, {count}), CL_SUCCESS);
    EXPECT_EQ(read(b, count), Values(count, 7));
    EXPECT_EQ(controls().bytes_to_device - to_card, bytes);
  }
}

// Several parts, which host threads share, and a part of a block of the pinned memory.
TEST_F(NvidiaDeviceTest, LargeTransfers) {
  Values values(
      (3 * runtime::MemorySpace::part_bytes + 5 * runtime::NvidiaMemory::block_bytes / 2 + 4) /
      sizeof(cl_int));
  std::iota(values.begin(), values.end(), 0);
  cl_mem to = make(values);
  cl_kernel increase = kernel("increase");
  set(increase, 0, to);
  ASSERT_EQ(launch(increase, {100}), CL_SUCCESS);
  std::for_each_n(values.begin(), 100, [](cl_int &value) { ++value; });
  EXPECT_EQ(read(to, values.size()), values);
}

// CL_MEM_ALLOC_HOST_PTR: parts go to the card and back as they are, not through blocks.
TEST_F(NvidiaDeviceTest, PinnedBuffersAreTransferredInWholeParts) {
  constexpr size_t parts = 3, bytes = parts * runtime::MemorySpace::part_bytes;
  static_assert(runtime::MemorySpace::part_bytes > runtime::NvidiaMemory::block_bytes);
  cl_mem other = make(Values(1));
  cl_kernel increase = kernel("increase");
  set(increase, 0, other);
  ASSERT_EQ(launch(increase, {1}), CL_SUCCESS); // the first launch writes the program's variables
  EXPECT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  for (const cl_mem_flags flags : {cl_mem_flags{0}, cl_mem_flags{CL_MEM_ALLOC_HOST_PTR}}) {
    cl_mem buffer = opencl::clCreateBuffer(context_, flags, bytes, nullptr, nullptr);
    ASSERT_NE(buffer, nullptr);
    buffers_.push_back(buffer);
    cl_int status = 1;
    const auto map = [&](cl_map_flags access) {
      return static_cast<cl_int *>(opencl::clEnqueueMapBuffer(queue_, buffer, CL_TRUE, access, 0,
                                                              bytes, 0, nullptr, nullptr, &status));
    };
    cl_int *numbers = map(CL_MAP_WRITE_INVALIDATE_REGION);
    ASSERT_EQ(status, CL_SUCCESS);
    std::iota(numbers, numbers + bytes / sizeof(cl_int), 5);
    EXPECT_EQ(opencl::clEnqueueUnmapMemObject(queue_, buffer, numbers, 0, nullptr, nullptr),
              CL_SUCCESS);
    set(increase, 0, buffer);
    const size_t before = controls().transfers;
    ASSERT_EQ(launch(increase, {100}), CL_SUCCESS);
    numbers = map(CL_MAP_READ);
    ASSERT_EQ(status, CL_SUCCESS);
    for (cl_int i = 0; i < cl_int(bytes / sizeof(cl_int)); ++i)
      ASSERT_EQ(numbers[i], i + 5 + (i < 100)) << i;
    EXPECT_EQ(opencl::clEnqueueUnmapMemObject(queue_, buffer, numbers, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
    const size_t blocks = bytes / runtime::NvidiaMemory::block_bytes;
    EXPECT_EQ(controls().transfers - before, 2 * (flags ? parts : blocks));
  }
}

// Calls of pin() may share pages, which the driver refuses to pin twice.
TEST_F(NvidiaDeviceTest, PinsPagesOfTheProgram) {
  constexpr size_t page = 4096, pages = 10;
  const std::shared_ptr<std::byte> memory(
      static_cast<std::byte *>(std::aligned_alloc(page, pages * page)), std::free);
  std::mt19937 random(1);
  std::vector<unsigned> uses(pages); // of each page, by the pins that exist
  struct Pin {
    size_t begin, size;
    std::shared_ptr<const void> pin;
  };
  std::vector<Pin> pins;
  for (int step = 0; step < 1000; ++step) {
    const bool ends = !pins.empty() && random() % 2 == 0;
    const size_t place = ends ? random() % pins.size() : pins.size();
    if (!ends) {
      const size_t begin = random() % (pages * page - 1),
                   most = std::min(pages * page - begin, random() % 4 ? page / 2 : 4 * page);
      const size_t size = 1 + random() % most;
      auto pin = fake_memory().pin(memory.get() + begin, size, memory);
      ASSERT_TRUE(pin) << pin.error().message;
      pins.push_back({begin, size, std::move(*pin)});
    }
    const Pin &one = pins[place];
    for (size_t at = one.begin / page; at <= (one.begin + one.size - 1) / page; ++at)
      uses[at] += ends ? -1 : 1;
    if (ends)
      pins.erase(pins.begin() + std::ptrdiff_t(place));
    for (size_t at = 0; at < pages; ++at) // a run of pages is unpinned when all its uses have ended
      ASSERT_TRUE(uses[at] == 0 || fake_cuda_is_pinned(memory.get() + at * page, page)) << at;
  }
  pins.clear();
  for (size_t at = 0; at < pages; ++at)
    EXPECT_FALSE(fake_cuda_is_pinned(memory.get() + at * page, 1)) << at;
  EXPECT_EQ(memory.use_count(), 1);
}

TEST_F(NvidiaDeviceTest, PagesThatCannotBePinned) {
  constexpr size_t page = 4096;
  const std::shared_ptr<std::byte> memory(
      static_cast<std::byte *>(std::aligned_alloc(page, 4 * page)), std::free);
  auto second = *fake_memory().pin(memory.get() + page, page, memory);
  controls().pin_status = runtime::cuda::out_of_memory; // of the first page
  const auto refused = fake_memory().pin(memory.get(), 4 * page, memory);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::out_of_resources);
  EXPECT_NE(refused.error().message.find("pinning 4096 bytes by cuMemHostRegister failed"),
            std::string::npos)
      << refused.error().message;
  EXPECT_FALSE(fake_cuda_is_pinned(memory.get(), 1));
  EXPECT_TRUE(fake_cuda_is_pinned(memory.get() + page, page));
  second = nullptr;
  EXPECT_FALSE(fake_cuda_is_pinned(memory.get() + page, 1));
  EXPECT_EQ(memory.use_count(), 1);
}

TEST_F(NvidiaDeviceTest, OutOfMemory) {
  cl_mem to = make(Values(8));
  cl_kernel increase = kernel("increase");
  set(increase, 0, to);
  fake_memory().group_pools().free_unused(); // of other tests; else they would be freed now
  controls().allocation_status = runtime::cuda::out_of_memory;
  EXPECT_EQ(launch(increase, {8}), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(heard_.have("CUDA_ERROR_OUT_OF_MEMORY")) << heard_.all();
  EXPECT_EQ(launch(increase, {8}), CL_SUCCESS);
  EXPECT_EQ(read(to, 8), Values(8, 1));
}

// The addresses of memory of the card are those of the program, also in memory.
TEST_F(NvidiaDeviceTest, AllocationsOfTheDevice) {
  struct Node {
    void *next;
    cl_int value;
  };
  constexpr size_t count = 100;
  auto *nodes = static_cast<Node *>(opencl::clDeviceMemAllocINTEL(
      context_, device_, nullptr, (count + 1) * sizeof(Node), 0, nullptr));
  auto *first = static_cast<cl_ulong *>(
      opencl::clSharedMemAllocINTEL(context_, device_, nullptr, sizeof(cl_ulong), 0, nullptr));
  auto *sum = static_cast<cl_int *>(
      opencl::clHostMemAllocINTEL(context_, nullptr, sizeof(cl_int), 0, nullptr));
  ASSERT_TRUE(nodes && first && sum);
  cl_kernel link = kernel("link"), add = kernel("sum");
  EXPECT_EQ(opencl::clSetKernelArgMemPointerINTEL(link, 0, nodes), CL_SUCCESS);
  EXPECT_EQ(launch(link, {count}), CL_SUCCESS);
  const cl_int changed = 1007;
  EXPECT_EQ(opencl::clEnqueueMemcpyINTEL(queue_, CL_TRUE, &nodes[7].value, &changed, 4, 0, nullptr,
                                         nullptr),
            CL_SUCCESS);
  *first = reinterpret_cast<cl_ulong>(nodes);
  *sum = 5;
  EXPECT_EQ(opencl::clSetKernelArgMemPointerINTEL(add, 0, first), CL_SUCCESS);
  EXPECT_EQ(opencl::clSetKernelArgMemPointerINTEL(add, 1, sum), CL_SUCCESS);
  const cl_bool reaches = CL_TRUE;
  EXPECT_EQ(opencl::clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
                                        sizeof reaches, &reaches),
            CL_SUCCESS);
  EXPECT_EQ(launch(add, {1}), CL_SUCCESS);
  EXPECT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(*sum, 5 + 4950 + 1000);
  const cl_ulong pattern = 0x1122334455667788;
  EXPECT_EQ(opencl::clEnqueueMemFillINTEL(queue_, nodes, &pattern, 8, 16, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(opencl::clEnqueueMemcpyINTEL(queue_, CL_TRUE, first, nodes, 8, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(*first, pattern);
  // A kernel sees what the command before it has read into shared memory.
  cl_kernel increase = kernel("increase");
  for (cl_int i = 0; i < 20; ++i) {
    cl_mem one = make({i});
    *sum = -1;
    EXPECT_EQ(opencl::clSetKernelArg(increase, 0, sizeof one, &one), CL_SUCCESS);
    EXPECT_EQ(launch(increase, {1}), CL_SUCCESS); // now it is on the card
    EXPECT_EQ(opencl::clEnqueueReadBuffer(queue_, one, CL_FALSE, 0, 4, sum, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(opencl::clSetKernelArgMemPointerINTEL(increase, 0, sum), CL_SUCCESS);
    EXPECT_EQ(launch(increase, {1}), CL_SUCCESS);
    EXPECT_EQ(opencl::clFinish(queue_), CL_SUCCESS);
    ASSERT_EQ(*sum, i + 2);
  }
  const size_t blocks = controls().allocations;
  // Wrong use has an error, and touches nothing.
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(opencl::clEnqueueMemcpyINTEL(queue_, CL_TRUE, nodes + count, nodes, 2 * sizeof(Node), 0,
                                         nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(opencl::clCreateBuffer(context_, CL_MEM_USE_HOST_PTR, 16, nodes, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_HOST_PTR);
  EXPECT_EQ(opencl::clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, 16, nodes, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_HOST_PTR);
  EXPECT_EQ(opencl::clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_READ, nodes, 16, 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(opencl::clDeviceMemAllocINTEL(context_, device_, nullptr, 16, 1024, &status), nullptr);
  EXPECT_EQ(status, CL_OUT_OF_RESOURCES);
  for (void *each :
       {static_cast<void *>(nodes), static_cast<void *>(first), static_cast<void *>(sum)})
    EXPECT_EQ(opencl::clMemBlockingFreeINTEL(context_, each), CL_SUCCESS);
  EXPECT_EQ(controls().allocations, blocks - 1); // on the card
}

TEST_F(NvidiaDeviceTest, CoarseGrainedSharedMemory) {
  auto *numbers = static_cast<cl_int *>(
      opencl::clSVMAlloc(context_, CL_MEM_READ_WRITE, 100 * sizeof(cl_int), 0));
  ASSERT_NE(numbers, nullptr);
  EXPECT_EQ(opencl::clSVMAlloc(context_, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 4, 0),
            nullptr);
  const cl_int seven = 7;
  EXPECT_EQ(opencl::clEnqueueSVMMemFill(queue_, numbers, &seven, 4, 400, 0, nullptr, nullptr),
            CL_SUCCESS);
  cl_kernel increase = kernel("increase");
  EXPECT_EQ(opencl::clSetKernelArgSVMPointer(increase, 0, numbers + 50), CL_SUCCESS);
  EXPECT_EQ(launch(increase, {50}), CL_SUCCESS);
  EXPECT_EQ(opencl::clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, numbers, 400, 0,
                                    nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(Values(numbers, numbers + 50), Values(50, 7));
  EXPECT_EQ(Values(numbers + 50, numbers + 100), Values(50, 8));
  numbers[99] = 20;
  EXPECT_EQ(opencl::clEnqueueSVMUnmap(queue_, numbers, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(launch(increase, {50}), CL_SUCCESS);
  Values last(1);
  EXPECT_EQ(opencl::clEnqueueSVMMemcpy(queue_, CL_TRUE, last.data(), numbers + 99, 4, 0, nullptr,
                                       nullptr),
            CL_SUCCESS);
  EXPECT_EQ(last[0], 21);
  // Memory of the host that is not shared has no address on the card.
  Values own(50);
  EXPECT_EQ(opencl::clSetKernelArgSVMPointer(increase, 0, own.data()), CL_SUCCESS);
  EXPECT_NE(launch(increase, {50}), CL_SUCCESS);
  opencl::clSVMFree(context_, numbers);
}

} // namespace
} // namespace lockstep::opencl
