// Tests mapping: the call returns the pointer immediately, it points into the buffer's storage, and
// the library counts the mapped regions.
#include "opencl_fixture.h"

#include <algorithm>
#include <numeric>

using namespace lockstep::test;

namespace {

class MemoryMap : public DeviceTest {
protected:
  int *map(cl_mem buffer, cl_map_flags flags, size_t offset, size_t size,
           cl_int expected = CL_SUCCESS) {
    cl_int status = 1;
    void *pointer = clEnqueueMapBuffer(queue_, buffer, CL_TRUE, flags, offset, size, 0, nullptr,
                                       nullptr, &status);
    EXPECT_EQ(status, expected);
    return static_cast<int *>(pointer);
  }
  cl_int unmap(cl_mem buffer, void *pointer) {
    cl_int status = clEnqueueUnmapMemObject(queue_, buffer, pointer, 0, nullptr, nullptr);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    return status;
  }
  static cl_uint count(cl_mem buffer) { return memory_info<cl_uint>(buffer, CL_MEM_MAP_COUNT); }
};

TEST_F(MemoryMap, ReadsAndWritesThroughThePointer) {
  std::vector<int> data(1024);
  std::iota(data.begin(), data.end(), 0);
  Memory buffer = make_buffer(4096, CL_MEM_COPY_HOST_PTR, data.data());
  int *mapped = map(buffer, CL_MAP_READ | CL_MAP_WRITE, 400, 800);
  ASSERT_NE(mapped, nullptr);
  EXPECT_EQ(count(buffer), 1u);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(mapped[i], 100 + i);
    mapped[i] = data[100 + i] = -i;
  }
  ASSERT_EQ(unmap(buffer, mapped), CL_SUCCESS);
  EXPECT_EQ(count(buffer), 0u);
  EXPECT_EQ(read<int>(buffer, 1024), data);
}

TEST_F(MemoryMap, PointerIsIntoTheHostMemoryWithoutACopy) {
  std::vector<int> data(1024, 1);
  Memory buffer = make_buffer(4096, CL_MEM_USE_HOST_PTR, data.data());
  size_t step = device_info<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  Memory sub = make_sub_buffer(buffer, step, 1024);
  int *whole = map(buffer, CL_MAP_READ, 40, 400);
  EXPECT_EQ(whole, data.data() + 10);
  int *part = map(sub, CL_MAP_READ, 8, 40);
  EXPECT_EQ(static_cast<void *>(part), reinterpret_cast<char *>(data.data()) + step + 8);
  EXPECT_EQ(unmap(buffer, whole), CL_SUCCESS);
  EXPECT_EQ(unmap(sub, part), CL_SUCCESS);
}

TEST_F(MemoryMap, TheSameRegionMappedTwiceIsTheSameMemory) {
  Memory buffer = make_buffer(4096);
  int *first = map(buffer, CL_MAP_READ, 0, 4096);
  int *second = map(buffer, CL_MAP_READ, 0, 4096);
  EXPECT_EQ(first, second);
  EXPECT_EQ(count(buffer), 2u);
  EXPECT_EQ(unmap(buffer, first), CL_SUCCESS);
  EXPECT_EQ(count(buffer), 1u);
  EXPECT_EQ(unmap(buffer, second), CL_SUCCESS);
  EXPECT_EQ(count(buffer), 0u);
  EXPECT_EQ(unmap(buffer, second), CL_INVALID_VALUE);
}

TEST_F(MemoryMap, DisjointRegionsMayBeMappedForWriting) {
  Memory buffer = make_buffer(4096);
  int *first = map(buffer, CL_MAP_WRITE, 0, 2048);
  int *second = map(buffer, CL_MAP_WRITE_INVALIDATE_REGION, 2048, 2048);
  ASSERT_TRUE(first && second);
  std::fill(first, first + 512, 1);
  std::fill(second, second + 512, 2);
  EXPECT_EQ(unmap(buffer, second), CL_SUCCESS);
  EXPECT_EQ(unmap(buffer, first), CL_SUCCESS);
  std::vector<int> all = read<int>(buffer, 1024);
  EXPECT_EQ(std::count(all.begin(), all.begin() + 512, 1), 512);
  EXPECT_EQ(std::count(all.begin() + 512, all.end(), 2), 512);
}

// "... if mapping would lead to overlapping regions being mapped for writing" (5.2.4): both maps
// are for writing.
TEST_F(MemoryMap, OverlappingMapsForWritingAreRefused) {
  Memory buffer = make_buffer(4096);
  int *reading = map(buffer, CL_MAP_READ, 0, 100);
  int *writing = map(buffer, CL_MAP_WRITE, 200, 100);
  EXPECT_EQ(map(buffer, CL_MAP_WRITE, 299, 10, CL_INVALID_OPERATION), nullptr);
  EXPECT_EQ(map(buffer, CL_MAP_WRITE_INVALIDATE_REGION, 100, 101, CL_INVALID_OPERATION), nullptr);
  EXPECT_EQ(map(buffer, CL_MAP_READ | CL_MAP_WRITE, 0, 4096, CL_INVALID_OPERATION), nullptr);
  EXPECT_EQ(count(buffer), 2u);
  int *beside = map(buffer, CL_MAP_WRITE, 300, 10);
  EXPECT_NE(beside, nullptr);
  EXPECT_EQ(unmap(buffer, beside), CL_SUCCESS);
  EXPECT_EQ(unmap(buffer, writing), CL_SUCCESS);
  writing = map(buffer, CL_MAP_WRITE, 250, 100);
  EXPECT_NE(writing, nullptr);
  EXPECT_EQ(unmap(buffer, writing), CL_SUCCESS);
  EXPECT_EQ(unmap(buffer, reading), CL_SUCCESS);
}

TEST_F(MemoryMap, OverlapIsSeenThroughSubBuffers) {
  size_t step = device_info<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  Memory buffer = make_buffer(4 * step);
  Memory left = make_sub_buffer(buffer, 0, 2 * step);
  Memory right = make_sub_buffer(buffer, step, 3 * step);
  int *writing = map(left, CL_MAP_WRITE, 0, step + 1);
  EXPECT_EQ(map(right, CL_MAP_WRITE, 0, 1, CL_INVALID_OPERATION), nullptr);
  EXPECT_EQ(map(buffer, CL_MAP_WRITE, step, 1, CL_INVALID_OPERATION), nullptr);
  int *beside = map(right, CL_MAP_WRITE, 4, 4);
  EXPECT_NE(beside, nullptr);
  EXPECT_EQ(unmap(buffer, writing), CL_INVALID_VALUE)
      << "mapped through the sub-buffer, not through its parent";
  EXPECT_EQ(unmap(left, writing), CL_SUCCESS);
  EXPECT_EQ(unmap(right, beside), CL_SUCCESS);
}

TEST_F(MemoryMap, NonBlockingMapReturnsThePointerBeforeItMayRun) {
  std::vector<int> data(16, 0);
  Memory buffer = make_buffer(64, CL_MEM_USE_HOST_PTR, data.data());
  Event gate = make_user_event();
  cl_event wait[] = {gate};
  Event mapped_event, unmapped_event;
  cl_int status = 1;
  void *mapped = clEnqueueMapBuffer(queue_, buffer, CL_FALSE, CL_MAP_WRITE, 0, 64, 1, wait,
                                    mapped_event.out(), &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(mapped, data.data());
  EXPECT_NE(status_of(mapped_event), CL_COMPLETE);
  EXPECT_EQ(event_info<cl_command_type>(mapped_event, CL_EVENT_COMMAND_TYPE),
            cl_command_type{CL_COMMAND_MAP_BUFFER});
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  cl_event list[] = {mapped_event};
  EXPECT_EQ(clWaitForEvents(1, list), CL_SUCCESS);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue_, buffer, mapped, 0, nullptr, unmapped_event.out()),
            CL_SUCCESS);
  EXPECT_EQ(event_info<cl_command_type>(unmapped_event, CL_EVENT_COMMAND_TYPE),
            cl_command_type{CL_COMMAND_UNMAP_MEM_OBJECT});
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

TEST_F(MemoryMap, FailedMapLeavesNothingMapped) {
  Memory buffer = make_buffer(4096);
  Event gate = make_user_event(), event;
  cl_event wait[] = {gate};
  cl_int status = 1;
  void *mapped = clEnqueueMapBuffer(queue_, buffer, CL_FALSE, CL_MAP_WRITE, 0, 64, 1, wait,
                                    event.out(), &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(count(buffer), 1u);
  ASSERT_EQ(clSetUserEventStatus(gate, -3), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_LT(status_of(event), 0);
  EXPECT_EQ(count(buffer), 0u);
  EXPECT_EQ(unmap(buffer, mapped), CL_INVALID_VALUE);
  mapped = map(buffer, CL_MAP_WRITE, 0, 64);
  EXPECT_NE(mapped, nullptr);
  EXPECT_EQ(unmap(buffer, mapped), CL_SUCCESS);
}

// The calls themselves count maps and unmaps: the program need not wait between them.
TEST_F(MemoryMap, MapUnmapMapWithoutWaiting) {
  Memory buffer = make_buffer(4096);
  Event gate = make_user_event();
  cl_event wait[] = {gate};
  for (int i = 0; i < 10; ++i) {
    cl_int status = 1;
    void *mapped = clEnqueueMapBuffer(queue_, buffer, CL_FALSE, CL_MAP_WRITE, 0, 64, i ? 0 : 1,
                                      i ? nullptr : wait, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    ASSERT_EQ(clEnqueueUnmapMemObject(queue_, buffer, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  }
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(count(buffer), 0u);
}

TEST_F(MemoryMap, MappedPointerServesAsHostMemoryOfAnotherBuffer) {
  std::vector<int> data(256);
  std::iota(data.begin(), data.end(), 1);
  Memory source = make_buffer(1024, CL_MEM_COPY_HOST_PTR, data.data());
  Memory target = make_buffer(1024);
  int *mapped = map(target, CL_MAP_WRITE_INVALIDATE_REGION, 0, 1024);
  EXPECT_EQ(clEnqueueReadBuffer(queue_, source, CL_TRUE, 0, 1024, mapped, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(unmap(target, mapped), CL_SUCCESS);
  EXPECT_EQ(read<int>(target, 256), data);
}

} // namespace
