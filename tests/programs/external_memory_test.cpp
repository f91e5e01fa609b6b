// Tests memory imported from file descriptors (cl_khr_external_memory): kernels, commands, this
// process and another one see the same bytes; and invalid uses with one mistake each. Dma-bufs come
// from drivers. Without one (/dev/udmabuf), files replace them, and the test records the calls to
// the operating system.
#include "../errors/error_fixture.h"
#include "extension_functions.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <linux/udmabuf.h>
#include <numeric>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
std::atomic<bool> files_are_dma_bufs = false;
std::vector<unsigned long> told; // flags of DMA_BUF_IOCTL_SYNC
} // namespace

// The library calls these instead of the C library's functions, since the program precedes it in
// symbol resolution.
extern "C" {
__attribute__((visibility("default"))) int fstatfs(int file, struct statfs *to) noexcept {
  const int result = int(syscall(SYS_fstatfs, file, to));
  if (result == 0 && files_are_dma_bufs)
    to->f_type = DMA_BUF_MAGIC;
  return result;
}
__attribute__((visibility("default"))) int ioctl(int file, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (files_are_dma_bufs && request == DMA_BUF_IOCTL_SYNC) {
    told.push_back(static_cast<dma_buf_sync *>(argument)->flags);
    return 0;
  }
  return int(syscall(SYS_ioctl, file, request, argument));
}
}

namespace lockstep::test {
namespace {

constexpr cl_mem_properties device_list = 0x2051; // CL_MEM_DEVICE_HANDLE_LIST_KHR
constexpr cl_device_info linear_types =
    0x2052; // CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR
constexpr cl_mem_properties opaque = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR;
constexpr cl_mem_properties dma_buf = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR;

// A file descriptor, and the test's own mapping of the file.
class SharedFile {
public:
  explicit SharedFile(size_t size, unsigned flags = 0)
      : size_(size), file_(memfd_create("external_memory_test", MFD_CLOEXEC | flags)) {
    EXPECT_EQ(ftruncate(file_, off_t(size)), 0);
    map_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    EXPECT_NE(map_, MAP_FAILED);
  }
  ~SharedFile() {
    munmap(map_, size_);
    close_file();
  }
  SharedFile(const SharedFile &) = delete;
  SharedFile &operator=(const SharedFile &) = delete;
  void close_file() {
    if (file_ >= 0)
      close(file_);
    file_ = -1;
  }
  int file() const { return file_; }
  cl_mem_properties handle() const { return cl_mem_properties(file_); }
  // Returns a descriptor that the importer will own.
  cl_mem_properties give() const { return cl_mem_properties(fcntl(file_, F_DUPFD_CLOEXEC, 0)); }
  cl_int *ints() { return static_cast<cl_int *>(map_); }

private:
  size_t size_;
  int file_;
  void *map_;
};

size_t descriptors_of_the_file() {
  size_t count = 0;
  for (const auto &one : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone; // for the directory's own descriptor
    const std::string name = std::filesystem::read_symlink(one.path(), gone).string();
    count += name.find("external_memory_test (deleted)") != std::string::npos;
  }
  return count;
}

size_t maps_of_the_file() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find("external_memory_test (deleted)") != std::string::npos &&
             line.find("memfd:") != std::string::npos;
  return count;
}

class ExternalMemory : public ErrorTest {
protected:
  using HandOver = clEnqueueAcquireExternalMemObjectsKHR_fn;
  void TearDown() override {
    files_are_dma_bufs = false;
    told.clear();
  }
  Memory import(const std::vector<cl_mem_properties> &properties, size_t size) {
    cl_int status = 1;
    Memory buffer(
        clCreateBufferWithProperties(context_, properties.data(), 0, size, nullptr, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return buffer;
  }
  void hand_over(HandOver call, cl_mem memory, cl_event *event = nullptr) {
    EXPECT_EQ(call(queue_, 1, &memory, 0, nullptr, event), CL_SUCCESS);
  }
  void expect_buffer(cl_int code, const std::vector<cl_mem_properties> &properties,
                     const std::string &word, cl_mem_flags flags = 0, size_t size = 4096,
                     void *host = nullptr) {
    expect_null(
        code,
        [&](cl_int *status) {
          return clCreateBufferWithProperties(context_, properties.data(), flags, size, host,
                                              status);
        },
        word);
  }
  // Computes buffer[i] = buffer[i] * 2 + 1, between acquire and release.
  void work_on(cl_mem buffer, size_t count) {
    Program program = build("kernel void work(global int *a) {"
                            "  const size_t i = get_global_id(0); a[i] = a[i] * 2 + 1; }");
    Kernel kernel = make_kernel(program, "work");
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    hand_over(acquire, buffer);
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    hand_over(release, buffer);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  }

  HandOver acquire = function<HandOver>("clEnqueueAcquireExternalMemObjectsKHR");
  HandOver release = function<HandOver>("clEnqueueReleaseExternalMemObjectsKHR");
};

TEST_F(ExternalMemory, TheQueriesTellWhatCanBeImported) {
  const std::vector<cl_external_memory_handle_type_khr> both = {opaque, dma_buf};
  std::vector<cl_external_memory_handle_type_khr> got(2);
  size_t size = 0;
  for (cl_device_info name :
       {cl_device_info(CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR), linear_types}) {
    got.assign(2, 0);
    EXPECT_EQ(clGetDeviceInfo(device_, name, 8, got.data(), &size), CL_SUCCESS);
    EXPECT_EQ(size, 8u);
    EXPECT_EQ(got, both);
  }
  got.assign(2, 0);
  EXPECT_EQ(clGetPlatformInfo(find_platform(), CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
                              8, got.data(), &size),
            CL_SUCCESS);
  EXPECT_EQ(got, both);
}

TEST_F(ExternalMemory, KernelsWorkOnTheBytesOfTheFile) {
  constexpr size_t count = 5000; // not a multiple of the page size
  SharedFile file(count * 4);
  std::iota(file.ints(), file.ints() + count, 7);
  Memory buffer = import({opaque, file.give(), 0}, count * 4);
  work_on(buffer, count);
  for (size_t i = 0; i < count; ++i)
    ASSERT_EQ(file.ints()[i], cl_int(i + 7) * 2 + 1) << i;
}

TEST_F(ExternalMemory, AnotherProcessSeesThem) {
  SharedFile file(4096);
  Memory buffer = import({opaque, file.give(), 0}, 4096);
  write<cl_int>(buffer, {1, 2, 3});
  const pid_t child = fork();
  if (child == 0) { // maps the inherited descriptor
    auto *const own = static_cast<cl_int *>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.file(), 0));
    const bool right = own != MAP_FAILED && own[0] == 1 && own[1] == 2 && own[2] == 3;
    if (right)
      own[1] = 22;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read<cl_int>(buffer, 3), (std::vector<cl_int>{1, 22, 3}));
}

// "Each import operation must create a distinct memory object", with the same payload.
TEST_F(ExternalMemory, OneFileCanBeImportedOften) {
  SharedFile file(8192);
  Memory first = import({opaque, file.give(), 0}, 8192),
         second = import({opaque, file.give(), 0}, 4096);
  EXPECT_NE(first.get(), second.get());
  write<cl_int>(first, {5, 6});
  EXPECT_EQ(read<cl_int>(second, 2), (std::vector<cl_int>{5, 6}));
  Memory part = make_sub_buffer(first, 4096, 4096);
  write<cl_int>(part, {9});
  EXPECT_EQ(file.ints()[1024], 9);
}

// The import takes ownership of the descriptor; the program must not close it.
TEST_F(ExternalMemory, TheDescriptorIsTakenAndNothingIsKeptInTheEnd) {
  SharedFile file(4096);
  const size_t before = maps_of_the_file(), descriptors = descriptors_of_the_file();
  Memory buffer = import({opaque, file.give(), 0}, 4096);
  EXPECT_EQ(maps_of_the_file(), before + 1);
  EXPECT_EQ(descriptors_of_the_file(), descriptors); // a mapping needs no descriptor
  work_on(buffer, 1024);
  EXPECT_TRUE(std::all_of(file.ints(), file.ints() + 1024, [](cl_int one) { return one == 1; }));
  Event gate = make_user_event(); // the command retains the memory
  const cl_event list[] = {gate};
  const cl_int pattern = 3;
  EXPECT_EQ(clEnqueueFillBuffer(queue_, buffer, &pattern, 4, 0, 4096, 1, list, nullptr),
            CL_SUCCESS);
  buffer.reset();
  EXPECT_EQ(maps_of_the_file(), before + 1);
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(file.ints()[1023], 3);
  EXPECT_EQ(maps_of_the_file(), before);
}

TEST_F(ExternalMemory, TheDescriptorStaysTheProgramsIfNothingIsImported) {
  SharedFile file(4096);
  expect_buffer(CL_INVALID_PROPERTY, {opaque, file.handle(), 0}, "4096 bytes", 0, 4097);
  files_are_dma_bufs = true;
  expect_buffer(CL_INVALID_PROPERTY, {dma_buf, file.handle(), 0}, "4096 bytes", 0, 4097);
  EXPECT_GE(fcntl(file.file(), F_GETFD), 0);
}

TEST_F(ExternalMemory, MapsAreTheFileToo) {
  SharedFile file(4096);
  Memory buffer = import({opaque, file.give(), 0}, 4096);
  cl_int status = 1;
  auto *mapped = static_cast<cl_int *>(clEnqueueMapBuffer(
      queue_, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 16, 64, 0, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  mapped[0] = 77;
  EXPECT_EQ(file.ints()[4], 77);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue_, buffer, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

// Rows of 10 texels with a pitch of 64 bytes.
TEST_F(ExternalMemory, ImagesHaveThePitchThatIsGiven) {
  constexpr size_t width = 10, height = 6, pitch = 64;
  SharedFile file(pitch * height);
  const cl_image_format format{CL_R, CL_SIGNED_INT32};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = width;
  desc.image_height = height;
  desc.image_row_pitch = pitch;
  const cl_mem_properties list[] = {
      opaque, file.give(), device_list, reinterpret_cast<cl_mem_properties>(device_), 0, 0};
  cl_int status = 1;
  Memory image(clCreateImageWithProperties(context_, list, 0, &format, &desc, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  cl_mem_properties told_list[6] = {9, 9, 9, 9, 9, 9};
  EXPECT_EQ(clGetMemObjectInfo(image, CL_MEM_PROPERTIES, sizeof told_list, told_list, nullptr),
            CL_SUCCESS);
  EXPECT_TRUE(std::equal(std::begin(list), std::end(list), told_list));
  Program program = build("kernel void number(write_only image2d_t to) {"
                          "  const int2 at = (int2)(get_global_id(0), get_global_id(1));"
                          "  write_imagei(to, at, (int4)(at.x + 100 * at.y)); }");
  Kernel kernel = make_kernel(program, "number");
  const cl_mem handle = image;
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof handle, &handle), CL_SUCCESS);
  hand_over(acquire, image);
  const size_t items[] = {width, height};
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, items, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  hand_over(release, image);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  for (size_t i = 0; i < pitch / 4 * height; ++i) {
    const size_t x = i % (pitch / 4), y = i / (pitch / 4);
    ASSERT_EQ(file.ints()[i], x < width ? cl_int(x + 100 * y) : 0) << i;
  }
}

TEST_F(ExternalMemory, HandingOverIsACommandLikeOthers) {
  SharedFile file(4096);
  Memory buffer = import({opaque, file.give(), 0}, 4096);
  for (const auto &[call, type] :
       {std::pair(acquire, cl_command_type(CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR)),
        std::pair(release, cl_command_type(CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR))}) {
    Event gate = make_user_event(), done, none;
    const cl_event list[] = {gate};
    const cl_mem handle = buffer;
    ASSERT_EQ(call(queue_, 1, &handle, 1, list, done.out()), CL_SUCCESS);
    EXPECT_EQ(event_info<cl_command_type>(done, CL_EVENT_COMMAND_TYPE), type);
    EXPECT_EQ(call(queue_, 0, nullptr, 1, list, none.out()), CL_SUCCESS);
    EXPECT_NE(status_of(done), CL_COMPLETE);
    EXPECT_NE(status_of(none), CL_COMPLETE);
    EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    EXPECT_EQ(status_of(done), CL_COMPLETE);
    EXPECT_EQ(status_of(none), CL_COMPLETE);
  }
}

// The operating system is notified when work on the dma-buf begins and ends. The library keeps a
// descriptor until the memory is freed.
TEST_F(ExternalMemory, TheKernelIsToldOfWorkOnADmaBuf) {
  SharedFile file(4096);
  files_are_dma_bufs = true;
  const size_t descriptors = descriptors_of_the_file();
  Memory buffer = import({dma_buf, file.give(), 0}, 4096);
  EXPECT_TRUE(told.empty());
  hand_over(acquire, buffer);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(told, (std::vector<unsigned long>{DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW}));
  hand_over(release, buffer);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(told, (std::vector<unsigned long>{DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW,
                                              DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW}));
  work_on(buffer, 1024);
  EXPECT_EQ(file.ints()[1023], 1);
  EXPECT_EQ(told.size(), 4u);
  EXPECT_EQ(descriptors_of_the_file(), descriptors + 1);
  buffer.reset();
  EXPECT_EQ(descriptors_of_the_file(), descriptors);
}

TEST_F(ExternalMemory, ADmaBufOfADriver) {
  const int driver = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
  if (driver < 0)
    GTEST_SKIP() << "this machine has no /dev/udmabuf";
  SharedFile file(8192, MFD_ALLOW_SEALING);
  ASSERT_EQ(fcntl(file.file(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  udmabuf_create request{};
  request.memfd = __u32(file.file());
  request.size = 8192;
  const int made = ioctl(driver, UDMABUF_CREATE, &request);
  close(driver);
  ASSERT_GE(made, 0);
  Memory buffer = import({dma_buf, cl_mem_properties(made), 0}, 8192);
  work_on(buffer, 2048);
  EXPECT_TRUE(std::all_of(file.ints(), file.ints() + 2048, [](cl_int one) { return one == 1; }));
}

TEST_F(ExternalMemory, WrongHandles) {
  SharedFile file(4096);
  const cl_mem_properties h = file.handle();
  expect_buffer(CL_INVALID_PROPERTY, {opaque, h, opaque, h, 0}, "twice");
  expect_buffer(CL_INVALID_PROPERTY, {opaque, h, dma_buf, h, 0}, "more than one");
  expect_buffer(CL_INVALID_PROPERTY, {opaque, cl_mem_properties(-1), 0}, "not open");
  expect_buffer(CL_INVALID_PROPERTY, {dma_buf, cl_mem_properties(-1), 0}, "not open");
  expect_buffer(CL_INVALID_PROPERTY, {dma_buf, h, 0}, "dma-buf");
  expect_buffer(CL_INVALID_PROPERTY, {opaque, h, 0}, "4096 bytes", 0, 4097);
  expect_buffer(CL_INVALID_PROPERTY, {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KHR, h, 0},
                "not a supported property");
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  expect_buffer(CL_INVALID_PROPERTY, {opaque, cl_mem_properties(ends[0]), 0}, "shared memory");
  close(ends[0]);
  close(ends[1]);
  const int only_read = open(("/proc/self/fd/" + std::to_string(file.file())).c_str(), O_RDONLY);
  ASSERT_GE(only_read, 0);
  expect_buffer(CL_INVALID_PROPERTY, {opaque, cl_mem_properties(only_read), 0}, "mapped");
  close(only_read);
}

TEST_F(ExternalMemory, WrongThingsBesideAHandle) {
  SharedFile file(4096);
  const cl_mem_properties h = file.handle(), device = reinterpret_cast<cl_mem_properties>(device_);
  alignas(8) char host[4096];
  for (cl_mem_flags flag : {CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR})
    expect_buffer(CL_INVALID_VALUE, {opaque, h, 0}, "flags", flag, 4096,
                  flag == CL_MEM_ALLOC_HOST_PTR ? nullptr : host);
  expect_buffer(CL_INVALID_HOST_PTR, {opaque, h, 0}, "host_ptr", 0, 4096, host);
  expect_buffer(CL_INVALID_BUFFER_SIZE, {opaque, h, 0}, "size is 0", 0, 0);
  expect_buffer(CL_INVALID_PROPERTY, {device_list, device, 0, 0}, "no external memory handle");
  expect_buffer(CL_INVALID_PROPERTY, {opaque, h, device_list, 0, 0}, "lists no device");
  expect_buffer(CL_INVALID_DEVICE,
                {opaque, h, device_list, reinterpret_cast<cl_mem_properties>(context_.get()), 0, 0},
                "not a device of context");
  expect_buffer(CL_INVALID_PROPERTY, {opaque, h, private_address, CL_TRUE, 5, 5, 0}, "0x5");

  const cl_image_format format{CL_R, CL_UNSIGNED_INT8};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = desc.image_height = 64;
  auto expect_image = [&](cl_int code, const std::vector<cl_mem_properties> &list, const char *word,
                          cl_mem_flags flags = 0, void *pointer = nullptr) {
    expect_null(
        code,
        [&](cl_int *status) {
          return clCreateImageWithProperties(context_, list.data(), flags, &format, &desc, pointer,
                                             status);
        },
        word);
  };
  expect_image(CL_INVALID_PROPERTY, {private_address, CL_TRUE, 0}, "not a supported property");
  expect_image(CL_INVALID_VALUE, {opaque, h, 0}, "flags", CL_MEM_USE_HOST_PTR, host);
  expect_image(CL_INVALID_HOST_PTR, {opaque, h, 0}, "host_ptr", 0, host);
  desc.image_height = 65;
  expect_image(CL_INVALID_PROPERTY, {opaque, h, 0}, "4096 bytes");
  desc.image_height = 64;
  desc.image_row_pitch = 63;
  expect_image(CL_INVALID_IMAGE_DESCRIPTOR, {opaque, h, 0}, "image_row_pitch");
  desc.image_row_pitch = 0;
  Memory buffer = make_buffer(4096);
  desc.mem_object = buffer;
  expect_image(CL_INVALID_IMAGE_DESCRIPTOR, {opaque, h, 0}, "mem_object");
}

TEST_F(ExternalMemory, WrongHandingOver) {
  SharedFile file(4096);
  Memory buffer = import({opaque, file.give(), 0}, 4096), ordinary = make_buffer(4096),
         part = make_sub_buffer(buffer, 0, 128);
  for (HandOver call : {acquire, release}) {
    cl_mem list[] = {buffer};
    expect(CL_INVALID_COMMAND_QUEUE, call(no_queue(), 1, list, 0, nullptr, nullptr));
    expect(CL_INVALID_VALUE, call(queue_, 0, list, 0, nullptr, nullptr), "num_mem_objects");
    expect(CL_INVALID_VALUE, call(queue_, 1, nullptr, 0, nullptr, nullptr), "num_mem_objects");
    for (cl_mem wrong : {no_buffer(), ordinary.get(), part.get(), cl_mem{}})
      expect(CL_INVALID_MEM_OBJECT, call(queue_, 1, &wrong, 0, nullptr, nullptr), "mem_objects[0]");
    expect_wait_list_errors([&](cl_uint count, const cl_event *events) {
      return call(queue_, 1, list, count, events, nullptr);
    });
    Event failed = make_user_event();
    EXPECT_EQ(clSetUserEventStatus(failed, -5), CL_SUCCESS);
    const cl_event after[] = {failed};
    expect(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, call(queue_, 1, list, 1, after, nullptr),
           "event_wait_list[0]");
  }
}

// The context has two sub-devices; the properties name one of them.
TEST_F(ExternalMemory, OnlyItsDevicesHandItOver) {
  const cl_device_partition_property each[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_uint count = 0;
  cl_device_id parts[2] = {};
  ASSERT_EQ(clCreateSubDevices(device_, each, 2, parts, &count), CL_SUCCESS);
  ASSERT_EQ(count, 2u);
  cl_int status = 1;
  {
    Context both(
        clCreateContext(nullptr, 2, parts, Notifications::receive, &notifications_, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    SharedFile file(4096);
    const cl_mem_properties list[] = {
        opaque, file.give(), device_list, reinterpret_cast<cl_mem_properties>(parts[1]), 0, 0};
    Memory named(clCreateBufferWithProperties(both, list, 0, 4096, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    const cl_mem_properties short_list[] = {opaque, file.give(), 0};
    Memory unnamed(clCreateBufferWithProperties(both, short_list, 0, 4096, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    cl_mem lists[] = {named, unnamed};
    for (int i = 0; i < 2; ++i) {
      Queue queue(clCreateCommandQueueWithProperties(both, parts[i], nullptr, &status));
      ASSERT_EQ(status, CL_SUCCESS);
      EXPECT_EQ(acquire(queue, 1, lists + 1, 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(release(queue, 1, lists + 1, 0, nullptr, nullptr), CL_SUCCESS);
      if (i == 1)
        EXPECT_EQ(acquire(queue, 2, lists, 0, nullptr, nullptr), CL_SUCCESS);
      else
        expect(CL_INVALID_COMMAND_QUEUE, acquire(queue, 2, lists, 0, nullptr, nullptr),
               "mem_objects[0]");
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    }
    expect(CL_INVALID_COMMAND_QUEUE, acquire(queue_, 1, lists + 1, 0, nullptr, nullptr),
           "mem_objects[0]");
  }
  for (cl_device_id part : parts)
    EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
}

} // namespace
} // namespace lockstep::test
