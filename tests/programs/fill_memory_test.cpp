// Tests LOCKSTEP_FILL_MEMORY: each kind of memory that a program gets from the device contains the
// byte.
#include "extension_functions.h"

#include <algorithm>

using namespace lockstep::test;

namespace {

constexpr unsigned char fill = 0xa5;

class FillMemory : public DeviceTest {
protected:
  // Must precede the first allocation.
  static void SetUpTestSuite() { setenv("LOCKSTEP_FILL_MEMORY", "165", 1); }

  static bool is_filled(const std::vector<unsigned char> &bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](unsigned char byte) { return byte == fill; });
  }
  std::vector<unsigned char> read_shared(const void *pointer, size_t size) {
    std::vector<unsigned char> bytes(size);
    EXPECT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, bytes.data(), pointer, size, 0, nullptr, nullptr),
              CL_SUCCESS);
    return bytes;
  }
};

TEST_F(FillMemory, Buffers) {
  // From the heap, in whole pages, in huge pages.
  for (size_t size : {1, 100, 5000, 3 << 20}) {
    Memory buffer = make_buffer(size);
    EXPECT_TRUE(is_filled(read<unsigned char>(buffer, size))) << size;
  }
  Memory host = make_buffer(300, CL_MEM_ALLOC_HOST_PTR);
  EXPECT_TRUE(is_filled(read<unsigned char>(host, 300)));
}

TEST_F(FillMemory, NotWhatTheProgramGives) {
  std::vector<unsigned char> mine(64, 7);
  Memory copied = make_buffer(64, CL_MEM_COPY_HOST_PTR, mine.data());
  EXPECT_EQ(read<unsigned char>(copied, 64), mine);
  Memory used = make_buffer(64, CL_MEM_USE_HOST_PTR, mine.data());
  EXPECT_EQ(read<unsigned char>(used, 64), mine);
}

TEST_F(FillMemory, Images) {
  const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = 13;
  desc.image_height = 7;
  cl_int status = 1;
  Memory image(clCreateImage(context_, CL_MEM_READ_WRITE, &format, &desc, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  std::vector<unsigned char> bytes(size_t{13} * 7 * 4);
  const size_t origin[3] = {0, 0, 0}, region[3] = {13, 7, 1};
  EXPECT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, origin, region, 0, 0, bytes.data(), 0,
                               nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_TRUE(is_filled(bytes));
}

TEST_F(FillMemory, SharedMemory) {
  for (cl_svm_mem_flags flags :
       {CL_MEM_READ_WRITE, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER}) {
    void *pointer = clSVMAlloc(context_, flags, 1000, 0);
    ASSERT_NE(pointer, nullptr);
    EXPECT_TRUE(is_filled(read_shared(pointer, 1000)));
    clSVMFree(context_, pointer);
  }
  const UnifiedMemory memory;
  cl_int status = 1;
  for (void *pointer : {memory.device(context_, device_, nullptr, 1000, 0, &status),
                        memory.host(context_, nullptr, 1000, 0, &status),
                        memory.shared(context_, device_, nullptr, 1000, 0, &status)}) {
    ASSERT_NE(pointer, nullptr);
    EXPECT_TRUE(is_filled(read_shared(pointer, 1000)));
    EXPECT_EQ(memory.free(context_, pointer), CL_SUCCESS);
  }
}

} // namespace
