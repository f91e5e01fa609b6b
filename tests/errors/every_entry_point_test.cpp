// Tests every entry point of src/api/opencl/entry_points.def with valid arguments, and with each
// argument invalid in each way that its type allows (entry_point_row.h). Errors that are specific
// to one function are tested in the file of its chapter in this folder.
#include "../programs/command_buffer_fixture.h"
#include "../programs/unified_svm_functions.h"
#include "entry_point_row.h"
#include "error_fixture.h"

#include <CL/cl_gl.h>
#include <CL/cl_icd.h>

#include <set>
#include <sys/mman.h>
#include <unistd.h>

namespace lockstep::test {
namespace {

// The names of the entry points tested so far; the last test compares them with the library's list.
std::set<std::string> tested;

class EveryEntryPoint : public ErrorTest {
protected:
  void SetUp() override {
    ErrorTest::SetUp();
    if (HasFatalFailure())
      return;
    queue_ = make_queue(CL_QUEUE_PROFILING_ENABLE);
    buffer_ = make_buffer(4096);
    second_ = make_buffer(4096);
    cl_int status = 1;
    const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc description{};
    description.image_type = CL_MEM_OBJECT_IMAGE2D;
    description.image_width = description.image_height = 8;
    for (Memory *image : {&image_, &second_image_}) {
      *image = Memory(clCreateImage(context_, 0, &format, &description, nullptr, &status));
      ASSERT_EQ(status, CL_SUCCESS);
    }
    const cl_sampler_properties sampler[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, 0};
    sampler_ = Sampler(clCreateSamplerWithProperties(context_, sampler, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    pipe_ = Memory(clCreatePipe(context_, 0, 4, 16, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    program_ = build("kernel void k(global int *to, int value) { to[get_global_id(0)] = value; }",
                     "-cl-kernel-arg-info");
    kernel_ = make_kernel(program_, "k");
    cl_mem to = buffer_;
    ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof to, &to), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel_, 1, sizeof value_, &value_), CL_SUCCESS);
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 0, nullptr, event_.out()), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
    event_list_[0] = event_;
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR,
                                                  CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    semaphore_ = function<clCreateSemaphoreWithPropertiesKHR_fn>(
        "clCreateSemaphoreWithPropertiesKHR")(context_, binary, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    const int file = memfd_create("every_entry_point_test", MFD_CLOEXEC);
    ASSERT_EQ(ftruncate(file, 4096), 0);
    const cl_mem_properties shared[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                        cl_mem_properties(file), 0};
    external_ = Memory(clCreateBufferWithProperties(context_, shared, 0, 4096, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    close(file);
    commands_ = command_buffers::make({queue_.get()}, CL_COMMAND_BUFFER_MUTABLE_KHR);
    const size_t items = 4;
    ASSERT_EQ(command_buffers::functions().launch(commands_.get(), nullptr, nullptr, kernel_, 1,
                                                  nullptr, &items, nullptr, 0, nullptr, nullptr,
                                                  &command_),
              CL_SUCCESS);
    svm_ = clSVMAlloc(context_, 0, 4096, 0);
    ASSERT_NE(svm_, nullptr);
    add_handles();
  }
  void TearDown() override {
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    clSVMFree(context_, svm_);
    if (semaphore_)
      function<clReleaseSemaphoreKHR_fn>("clReleaseSemaphoreKHR")(semaphore_);
  }

  void add_handles() {
    handles_.add(find_platform());
    handles_.add(device_);
    handles_.add(context_.get());
    handles_.add(queue_.get());
    handles_.add(buffer_.get());
    handles_.add(program_.get());
    handles_.add(kernel_.get());
    handles_.add(event_.get());
    handles_.add(sampler_.get());
    handles_.add(semaphore_);
    handles_.add(commands_.get());
    handles_.add(command_);
  }

  template <class Function, class... Given>
  void row(const char *name, const How &how, Given &&...given) {
    tested.insert(name);
    Row<Function>(name, how, handles_,
                  typename Row<Function>::Arguments(std::forward<Given>(given)...))
        .run();
    notifications_.sentences.clear();
  }

  using Sampler = Owned<cl_sampler, clReleaseSampler>;
  Handles handles_;
  Memory buffer_, second_, image_, second_image_, pipe_;
  Sampler sampler_;
  Program program_;
  Kernel kernel_;
  Event event_;
  cl_semaphore_khr semaphore_ = nullptr;
  Memory external_;
  command_buffers::Owned commands_;
  cl_mutable_command_khr command_ = nullptr;
  void *svm_ = nullptr;
  const int value_ = 5;

  // Memory that is large enough for any output of a call.
  alignas(64) char host_[1 << 16] = {};
  size_t size_ = 0;
  cl_uint number_ = 0;
  cl_int status_ = 1;
  cl_event out_ = nullptr, event_list_[1] = {};
  const size_t origin_[3] = {}, region_[3] = {4, 4, 1}, items_[3] = {4, 1, 1};
};

// Tests an entry point that the specification's headers declare.
#define ROW(name, how, ...) row<decltype(&name)>(#name, How how __VA_OPT__(, ) __VA_ARGS__)
// Tests an entry point of an extension.
#define EXTENSION_ROW(name, how, ...) row<name##_fn>(#name, How how, __VA_ARGS__)
#define WAITING 1, event_list_, &out_

void CL_CALLBACK on_end_of_context(cl_context, void *) {}
void CL_CALLBACK on_end_of_memory(cl_mem, void *) {}
void CL_CALLBACK on_event(cl_event, cl_int, void *) {}
void CL_CALLBACK native(void *) {}

TEST_F(EveryEntryPoint, PlatformsDevicesContexts) {
  cl_platform_id platform = find_platform(), platforms[8];
  cl_device_id devices[8], list[1] = {device_};
  const cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  ROW(clGetPlatformIDs, {}, 8, platforms, &number_);
  EXTENSION_ROW(clIcdGetPlatformIDsKHR, {}, 8, platforms, &number_);
  using Address = void *(CL_API_CALL *)(cl_platform_id, const char *);
  row<Address>("clIcdGetFunctionAddressForPlatformKHR", {.nullable = {0}}, platform,
               "clGetPlatformInfo");
  using SetData = cl_int(CL_API_CALL *)(cl_platform_id, void *);
  row<SetData>("clIcdSetPlatformDispatchDataKHR", (How{.nullable = {0}, .left_alone = {1}}),
               platform, nullptr);
  ROW(clGetPlatformInfo, {.nullable = {0}}, platform, CL_PLATFORM_NAME, sizeof host_, host_,
      &size_);
  ROW(clGetDeviceIDs, (How{.nullable = {0}, .flags = {1}, .unknown_flags = CL_INVALID_DEVICE_TYPE}),
      platform, CL_DEVICE_TYPE_ALL, 8, devices, &number_);
  ROW(clGetDeviceInfo, {}, device_, CL_DEVICE_NAME, sizeof host_, host_, &size_);
  ROW(clCreateSubDevices, {}, device_, parts, 0, nullptr, &number_);
  ROW(clRetainDevice, {.vary = false}, device_);
  ROW(clReleaseDevice, {.vary = false}, device_);
  cl_ulong times[2];
  ROW(clGetDeviceAndHostTimer, {}, device_, times, times + 1);
  ROW(clGetHostTimer, {}, device_, times);
  ROW(clCreateContext, {}, nullptr, 1, list, nullptr, nullptr, &status_);
  ROW(clCreateContextFromType, (How{.flags = {1}, .unknown_flags = CL_INVALID_DEVICE_TYPE}),
      nullptr, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &status_);
  ROW(clRetainContext, {.vary = false}, context_);
  ROW(clReleaseContext, {.vary = false}, context_);
  ROW(clGetContextInfo, {}, context_, CL_CONTEXT_DEVICES, sizeof host_, host_, &size_);
  ROW(clSetContextDestructorCallback, {}, context_, on_end_of_context, nullptr);
  ROW(clUnloadCompiler, {});
  ROW(clUnloadPlatformCompiler, {}, platform);
  ROW(clGetExtensionFunctionAddress, {}, "clCreateCommandBufferKHR");
  ROW(clGetExtensionFunctionAddressForPlatform, {.nullable = {0}}, platform,
      "clCreateCommandBufferKHR");
}

TEST_F(EveryEntryPoint, QueuesAndEvents) {
  ROW(clCreateCommandQueue, {.flags = {2}}, context_, device_, 0, &status_);
  ROW(clCreateCommandQueueWithProperties, {}, context_, device_, nullptr, &status_);
  EXTENSION_ROW(clCreateCommandQueueWithPropertiesKHR, {}, context_, device_, nullptr, &status_);
  ROW(clRetainCommandQueue, {.vary = false}, queue_);
  ROW(clReleaseCommandQueue, {.vary = false}, queue_);
  ROW(clGetCommandQueueInfo, {}, queue_, CL_QUEUE_CONTEXT, sizeof host_, host_, &size_);
  ROW(clSetCommandQueueProperty, {.call = false}, queue_, CL_QUEUE_PROFILING_ENABLE, CL_TRUE,
      nullptr);
  const cl_queue_properties on_device[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  Queue device_queue(clCreateCommandQueueWithProperties(context_, device_, on_device, &status_));
  ROW(clSetDefaultDeviceCommandQueue, {}, context_, device_, device_queue);
  ROW(clFlush, {}, queue_);
  ROW(clFinish, {}, queue_);
  ROW(clCreateUserEvent, {}, context_, &status_);
  Event user = make_user_event();
  ROW(clSetUserEventStatus, {.vary = false}, user, CL_COMPLETE);
  ROW(clWaitForEvents, {}, 1, event_list_);
  ROW(clGetEventInfo, {}, event_, CL_EVENT_CONTEXT, sizeof host_, host_, &size_);
  ROW(clGetEventProfilingInfo, {}, event_, CL_PROFILING_COMMAND_END, sizeof host_, host_, &size_);
  ROW(clSetEventCallback, {}, event_, CL_COMPLETE, on_event, nullptr);
  ROW(clRetainEvent, {.vary = false}, event_);
  ROW(clReleaseEvent, {.vary = false}, event_);
  ROW(clEnqueueMarker, {}, queue_, &out_);
  ROW(clEnqueueBarrier, {}, queue_);
  ROW(clEnqueueWaitForEvents, {}, queue_, 1, event_list_);
  ROW(clEnqueueMarkerWithWaitList, {}, queue_, WAITING);
  ROW(clEnqueueBarrierWithWaitList, {}, queue_, WAITING);
}

TEST_F(EveryEntryPoint, Memory) {
  const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = description.image_height = 8;
  const cl_buffer_region part{0, 1024};
  cl_image_format formats[128];
  ROW(clCreateBuffer, {.flags = {1}}, context_, 0, 64, nullptr, &status_);
  ROW(clCreateBufferWithProperties, {.flags = {2}}, context_, nullptr, 0, 64, nullptr, &status_);
  ROW(clCreateSubBuffer, {.flags = {1}}, buffer_, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &status_);
  ROW(clCreateImage, {.flags = {1}}, context_, 0, &format, &description, nullptr, &status_);
  ROW(clCreateImageWithProperties, {.flags = {2}}, context_, nullptr, 0, &format, &description,
      nullptr, &status_);
  ROW(clCreateImage2D, {.flags = {1}}, context_, 0, &format, 8, 8, 0, nullptr, &status_);
  ROW(clCreateImage3D, {.flags = {1}}, context_, 0, &format, 8, 8, 8, 0, 0, nullptr, &status_);
  ROW(clCreatePipe, {.flags = {1}}, context_, 0, 4, 16, nullptr, &status_);
  ROW(clGetPipeInfo, {}, pipe_, CL_PIPE_PACKET_SIZE, sizeof host_, host_, &size_);
  ROW(clRetainMemObject, {.vary = false}, buffer_);
  ROW(clReleaseMemObject, {.vary = false}, buffer_);
  ROW(clGetSupportedImageFormats, {.flags = {1}}, context_, 0, CL_MEM_OBJECT_IMAGE2D, 128, formats,
      &number_);
  ROW(clGetMemObjectInfo, {}, buffer_, CL_MEM_SIZE, sizeof host_, host_, &size_);
  ROW(clGetImageInfo, {}, image_, CL_IMAGE_WIDTH, sizeof host_, host_, &size_);
  ROW(clSetMemObjectDestructorCallback, {}, buffer_, on_end_of_memory, nullptr);
  ROW(clCreateSampler, {}, context_, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status_);
  ROW(clCreateSamplerWithProperties, {}, context_, nullptr, &status_);
  ROW(clRetainSampler, {.vary = false}, sampler_);
  ROW(clReleaseSampler, {.vary = false}, sampler_);
  ROW(clGetSamplerInfo, {}, sampler_, CL_SAMPLER_CONTEXT, sizeof host_, host_, &size_);
}

TEST_F(EveryEntryPoint, ProgramsAndKernels) {
  const char *source = "kernel void f() {}", *name = "h.h";
  auto make = [&] {
    return Program(clCreateProgramWithSource(context_, 1, &source, nullptr, &status_));
  };
  Program built = make(), compiled = make(), header = make();
  cl_device_id list[1] = {device_};
  cl_program headers[1] = {header}, inputs[1] = {compiled};
  ROW(clCreateProgramWithSource, {.vary = false}, context_, 1, &source, nullptr, &status_);
  ROW(clBuildProgram, {.vary = false}, built, 1, list, "", nullptr, nullptr);
  ROW(clCompileProgram, {.vary = false}, compiled, 1, list, "", 1, headers, &name, nullptr,
      nullptr);
  ROW(clLinkProgram, {.vary = false}, context_, 1, list, "", 1, inputs, nullptr, nullptr, &status_);
  size_t length = 0;
  ASSERT_EQ(clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, nullptr),
            CL_SUCCESS);
  std::vector<unsigned char> binary(length);
  unsigned char *to = binary.data();
  ASSERT_EQ(clGetProgramInfo(program_, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr), CL_SUCCESS);
  const unsigned char *binaries[1] = {to};
  cl_int statuses[1];
  ROW(clCreateProgramWithBinary, (How{.sizes_are_believed = true}), context_, 1, list, &length,
      binaries, statuses, &status_);
  ROW(clCreateProgramWithBuiltInKernels, (How{.call = false}), context_, 1, list, "none", nullptr);
  ROW(clCreateProgramWithIL, (How{.call = false}), context_, source, 10, nullptr);
  EXTENSION_ROW(clCreateProgramWithILKHR, (How{.call = false}), context_, source, 10, nullptr);
  ROW(clSetProgramSpecializationConstant, (How{.call = false}), program_, 0, 4, &value_);
  ROW(clSetProgramReleaseCallback, (How{.call = false}), program_, nullptr, nullptr);
  ROW(clRetainProgram, {.vary = false}, program_);
  ROW(clReleaseProgram, {.vary = false}, program_);
  ROW(clGetProgramInfo, {}, program_, CL_PROGRAM_SOURCE, sizeof host_, host_, &size_);
  ROW(clGetProgramBuildInfo, {}, program_, device_, CL_PROGRAM_BUILD_STATUS, sizeof host_, host_,
      &size_);
  ROW(clCreateKernel, {}, program_, "k", &status_);
  ROW(clCreateKernelsInProgram, {}, program_, 0, nullptr, &number_);
  ROW(clRetainKernel, {.vary = false}, kernel_);
  ROW(clReleaseKernel, {.vary = false}, kernel_);
  ROW(clCloneKernel, {}, kernel_, &status_);
  Kernel clone(clCloneKernel(kernel_, &status_));
  ROW(clSetKernelArg, {}, clone, 1, sizeof value_, &value_);
  ROW(clSetKernelArgSVMPointer, {}, clone, 0, svm_);
  EXTENSION_ROW(clSetKernelArgMemPointerINTEL, {}, clone, 0, svm_);
  row<SetKernelArgDevicePointer>("clSetKernelArgDevicePointerEXT", How{.left_alone = {2}}, clone, 0,
                                 cl_ulong{0});
  void *pointers[1] = {svm_};
  ROW(clSetKernelExecInfo, (How{.sizes_are_believed = true}), clone, CL_KERNEL_EXEC_INFO_SVM_PTRS,
      sizeof pointers, pointers);
  ROW(clGetKernelInfo, {}, kernel_, CL_KERNEL_FUNCTION_NAME, sizeof host_, host_, &size_);
  ROW(clGetKernelArgInfo, {}, kernel_, 0, CL_KERNEL_ARG_NAME, sizeof host_, host_, &size_);
  ROW(clGetKernelWorkGroupInfo, {.nullable = {1}}, kernel_, device_, CL_KERNEL_WORK_GROUP_SIZE,
      sizeof host_, host_, &size_);
  const size_t local[1] = {16};
  ROW(clGetKernelSubGroupInfo, (How{.sizes_are_believed = true, .nullable = {1}}), kernel_, device_,
      CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, local, sizeof host_, host_, &size_);
  row<clGetKernelSubGroupInfoKHR_fn>("clGetKernelSubGroupInfoKHR",
                                     How{.sizes_are_believed = true, .nullable = {1}}, kernel_,
                                     device_, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                     sizeof local, local, sizeof host_, host_, &size_);
  size_t suggested[3];
  EXTENSION_ROW(clGetKernelSuggestedLocalWorkSizeKHR, {}, queue_, kernel_, 1, nullptr, items_,
                suggested);
  row<clGetKernelSuggestedLocalWorkSizeKHR_fn>("clGetKernelSuggestedLocalWorkSize", {}, queue_,
                                               kernel_, 1, nullptr, items_, suggested);
}

TEST_F(EveryEntryPoint, CommandsOnBuffers) {
  const How believing{.sizes_are_believed = true};
  cl_mem list[1] = {buffer_};
  ROW(clEnqueueReadBuffer, {}, queue_, buffer_, CL_TRUE, 0, 64, host_, WAITING);
  ROW(clEnqueueWriteBuffer, {}, queue_, buffer_, CL_TRUE, 0, 64, host_, WAITING);
  ROW(clEnqueueReadBufferRect, (believing), queue_, buffer_, CL_TRUE, origin_, origin_, region_, 64,
      0, 64, 0, host_, WAITING);
  ROW(clEnqueueWriteBufferRect, (believing), queue_, buffer_, CL_TRUE, origin_, origin_, region_,
      64, 0, 64, 0, host_, WAITING);
  ROW(clEnqueueCopyBuffer, {}, queue_, buffer_, second_, 0, 0, 64, WAITING);
  ROW(clEnqueueCopyBufferRect, {}, queue_, buffer_, second_, origin_, origin_, region_, 64, 0, 64,
      0, WAITING);
  ROW(clEnqueueFillBuffer, {}, queue_, buffer_, host_, 4, 0, 64, WAITING);
  ROW(clEnqueueMapBuffer, {.flags = {3}}, queue_, buffer_, CL_TRUE, CL_MAP_READ, 0, 64, WAITING,
      &status_);
  ROW(clEnqueueMigrateMemObjects, {.flags = {3}}, queue_, 1, list, 0, WAITING);
  for (int times = 0; times < 2; ++times)
    clEnqueueMapBuffer(queue_, second_, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr, nullptr);
  void *mapped = clEnqueueMapBuffer(queue_, second_, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr,
                                    nullptr, nullptr);
  ROW(clEnqueueUnmapMemObject, {.vary = false}, queue_, second_, mapped, WAITING);
}

TEST_F(EveryEntryPoint, CommandsOnImages) {
  const How believing{.sizes_are_believed = true};
  ROW(clEnqueueReadImage, (believing), queue_, image_, CL_TRUE, origin_, region_, 0, 0, host_,
      WAITING);
  ROW(clEnqueueWriteImage, (believing), queue_, image_, CL_TRUE, origin_, region_, 0, 0, host_,
      WAITING);
  ROW(clEnqueueCopyImage, {}, queue_, image_, second_image_, origin_, origin_, region_, WAITING);
  ROW(clEnqueueCopyImageToBuffer, {}, queue_, image_, buffer_, origin_, region_, 0, WAITING);
  ROW(clEnqueueCopyBufferToImage, {}, queue_, buffer_, image_, 0, origin_, region_, WAITING);
  ROW(clEnqueueFillImage, {}, queue_, image_, host_, origin_, region_, WAITING);
  ROW(clEnqueueMapImage, (How{.left_alone = {6, 7}, .flags = {3}}), queue_, image_, CL_TRUE,
      CL_MAP_READ, origin_, region_, &size_, &size_, WAITING, &status_);
}

TEST_F(EveryEntryPoint, Launches) {
  cl_mem list[1] = {buffer_};
  void *arguments[1] = {};
  const void *places[1] = {arguments};
  ROW(clEnqueueNDRangeKernel, {}, queue_, kernel_, 1, nullptr, items_, nullptr, WAITING);
  ROW(clEnqueueTask, {}, queue_, kernel_, WAITING);
  ROW(clEnqueueNativeKernel, (How{.sizes_are_believed = true, .nullable = {5}}), queue_, native,
      arguments, sizeof arguments, 1, list, places, WAITING);
}

TEST_F(EveryEntryPoint, SharedMemory) {
  const How believing{.sizes_are_believed = true}, once{.call = false};
  void *pointers[1] = {svm_};
  const void *const_pointers[1] = {svm_};
  char *other = static_cast<char *>(svm_) + 2048;
  ROW(clSVMAlloc, {.call = false}, context_, 0, 64, 0);
  ROW(clSVMFree, {.call = false}, context_, svm_);
  ROW(clEnqueueSVMFree, (once), queue_, 1, pointers, nullptr, nullptr, WAITING);
  ROW(clEnqueueSVMMemcpy, (believing), queue_, CL_TRUE, svm_, other, 64, WAITING);
  ROW(clEnqueueSVMMemFill, (believing), queue_, svm_, host_, 4, 64, WAITING);
  ROW(clEnqueueSVMMap, (How{.sizes_are_believed = true, .flags = {2}}), queue_, CL_TRUE,
      CL_MAP_READ, svm_, 64, WAITING);
  ROW(clEnqueueSVMUnmap, {.vary = false}, queue_, svm_, WAITING);
  ROW(clEnqueueSVMMigrateMem, (How{.vary = false, .flags = {4}}), queue_, 1, const_pointers,
      nullptr, 0, WAITING);
  row<unified_svm::Allocate>("clSVMAllocWithPropertiesKHR", How{.call = false}, context_, nullptr,
                             0, 64, nullptr);
  row<unified_svm::Free>("clSVMFreeWithPropertiesKHR", How{.call = false}, context_, nullptr, 0,
                         svm_);
  row<unified_svm::GetInfo>("clGetSVMPointerInfoKHR", How{.nullable = {1}}, context_, device_, svm_,
                            unified_svm::type_index, sizeof host_, host_, &size_);
  row<unified_svm::Suggest>("clGetSVMSuggestedTypeIndexKHR", How{}, context_, 0, 0, nullptr, 64,
                            &number_);
  EXTENSION_ROW(clHostMemAllocINTEL, {.call = false}, context_, nullptr, 64, 0, nullptr);
  EXTENSION_ROW(clDeviceMemAllocINTEL, {.call = false}, context_, device_, nullptr, 64, 0, nullptr);
  EXTENSION_ROW(clSharedMemAllocINTEL, (How{.call = false, .nullable = {1}}), context_, device_,
                nullptr, 64, 0, nullptr);
  EXTENSION_ROW(clMemFreeINTEL, {.call = false}, context_, svm_);
  EXTENSION_ROW(clMemBlockingFreeINTEL, {.call = false}, context_, svm_);
  EXTENSION_ROW(clGetMemAllocInfoINTEL, {}, context_, svm_, CL_MEM_ALLOC_TYPE_INTEL, sizeof host_,
                host_, &size_);
  EXTENSION_ROW(clEnqueueMemFillINTEL, (believing), queue_, svm_, host_, 4, 64, WAITING);
  EXTENSION_ROW(clEnqueueMemcpyINTEL, (believing), queue_, CL_TRUE, svm_, other, 64, WAITING);
  EXTENSION_ROW(clEnqueueMemAdviseINTEL, (believing), queue_, svm_, 64, 0, WAITING);
  row<EnqueueMigrateMem>("clEnqueueMigrateMemINTEL", How{.sizes_are_believed = true, .flags = {3}},
                         queue_, svm_, 64, 0, WAITING);
}

TEST_F(EveryEntryPoint, CommandBuffers) {
  using F = command_buffers::Functions;
  const How elsewhere{.nullable = {1}, .left_alone = {1}};
  command_buffers::Owned open = command_buffers::make({queue_.get()});
  cl_command_buffer_khr to = open.get();
  cl_command_queue queues[1] = {queue_}, none = nullptr;
  cl_mutable_command_khr commands[1] = {command_}, remapped[1];
#define RECORDED 0, nullptr, nullptr, nullptr
  EXTENSION_ROW(clCreateCommandBufferKHR, {}, 1, queues, nullptr, &status_);
  row<F::Barrier>("clCommandBarrierWithWaitListKHR", elsewhere, to, none, nullptr, RECORDED);
  row<F::CopyBuffer>("clCommandCopyBufferKHR", elsewhere, to, none, nullptr, buffer_, second_, 0, 0,
                     64, RECORDED);
  row<F::CopyRect>("clCommandCopyBufferRectKHR", elsewhere, to, none, nullptr, buffer_, second_,
                   origin_, origin_, region_, 64, 0, 64, 0, RECORDED);
  row<F::CopyToImage>("clCommandCopyBufferToImageKHR", elsewhere, to, none, nullptr, buffer_,
                      image_, 0, origin_, region_, RECORDED);
  row<F::CopyImage>("clCommandCopyImageKHR", elsewhere, to, none, nullptr, image_, second_image_,
                    origin_, origin_, region_, RECORDED);
  row<F::CopyFromImage>("clCommandCopyImageToBufferKHR", elsewhere, to, none, nullptr, image_,
                        buffer_, origin_, region_, 0, RECORDED);
  row<F::FillBuffer>("clCommandFillBufferKHR", elsewhere, to, none, nullptr, buffer_, host_, 4, 0,
                     64, RECORDED);
  row<F::FillImage>("clCommandFillImageKHR", elsewhere, to, none, nullptr, image_, host_, origin_,
                    region_, RECORDED);
  row<F::Launch>("clCommandNDRangeKernelKHR", elsewhere, to, none, nullptr, kernel_, 1, nullptr,
                 items_, nullptr, RECORDED);
  How shared = elsewhere;
  shared.sizes_are_believed = true;
  row<F::SvmCopy>("clCommandSVMMemcpyKHR", shared, to, none, nullptr, svm_,
                  static_cast<char *>(svm_) + 2048, 64, RECORDED);
  row<F::SvmFill>("clCommandSVMMemFillKHR", shared, to, none, nullptr, svm_, host_, 4, 64,
                  RECORDED);
#undef RECORDED
  EXTENSION_ROW(clFinalizeCommandBufferKHR, {.vary = false}, commands_.get());
  EXTENSION_ROW(clEnqueueCommandBufferKHR, {.vary = false, .left_alone = {0}}, 0, nullptr,
                commands_.get(), WAITING);
  EXTENSION_ROW(clRetainCommandBufferKHR, {.vary = false}, to);
  EXTENSION_ROW(clReleaseCommandBufferKHR, {.vary = false}, to);
  EXTENSION_ROW(clGetCommandBufferInfoKHR, {}, to, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof host_,
                host_, &size_);
  row<F::Update>("clUpdateMutableCommandsKHR", {.vary = false}, commands_.get(), 0, nullptr,
                 nullptr);
  EXTENSION_ROW(clGetMutableCommandInfoKHR, {}, command_, CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR,
                sizeof host_, host_, &size_);
  row<F::Remap>("clRemapCommandBufferKHR", {.vary = false, .left_alone = {4}}, commands_.get(),
                CL_FALSE, 1, queues, 1, commands, remapped, &status_);
}

TEST_F(EveryEntryPoint, Semaphores) {
  const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                0};
  cl_semaphore_khr list[1] = {semaphore_};
  EXTENSION_ROW(clCreateSemaphoreWithPropertiesKHR, {}, context_, binary, &status_);
  EXTENSION_ROW(clEnqueueSignalSemaphoresKHR, {.vary = false}, queue_, 1, list, nullptr, WAITING);
  EXTENSION_ROW(clEnqueueWaitSemaphoresKHR, {.vary = false}, queue_, 1, list, nullptr, WAITING);
  EXTENSION_ROW(clGetSemaphoreInfoKHR, {}, semaphore_, CL_SEMAPHORE_TYPE_KHR, sizeof host_, host_,
                &size_);
  EXTENSION_ROW(clRetainSemaphoreKHR, {.vary = false}, semaphore_);
  EXTENSION_ROW(clReleaseSemaphoreKHR, {.vary = false}, semaphore_);
  EXTENSION_ROW(clGetSemaphoreHandleForTypeKHR, {.call = false}, semaphore_, device_, 0,
                sizeof host_, host_, &size_);
  row<ReImportSyncFile>("clReImportSemaphoreSyncFdKHR", How{.call = false}, semaphore_, nullptr,
                        -1);
}

TEST_F(EveryEntryPoint, ImageRequirements) {
  const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = desc.image_height = 4;
  EXTENSION_ROW(clGetImageRequirementsInfoEXT, {.flags = {2}}, context_, nullptr, 0, &format, &desc,
                CL_IMAGE_REQUIREMENTS_SIZE_EXT, sizeof host_, host_, &size_);
}

TEST_F(EveryEntryPoint, ExternalMemory) {
  cl_mem list[1] = {external_};
  EXTENSION_ROW(clEnqueueAcquireExternalMemObjectsKHR, {.vary = false}, queue_, 1, list, WAITING);
  EXTENSION_ROW(clEnqueueReleaseExternalMemObjectsKHR, {.vary = false}, queue_, 1, list, WAITING);
}

TEST_F(EveryEntryPoint, ThoseOfOpenGL) {
  const How absent{.call = false};
  cl_mem list[1] = {buffer_};
  ROW(clCreateFromGLBuffer, (absent), context_, 0, 1, nullptr);
  ROW(clCreateFromGLTexture, (absent), context_, 0, 0, 0, 1, nullptr);
  ROW(clCreateFromGLTexture2D, (absent), context_, 0, 0, 0, 1, nullptr);
  ROW(clCreateFromGLTexture3D, (absent), context_, 0, 0, 0, 1, nullptr);
  ROW(clCreateFromGLRenderbuffer, (absent), context_, 0, 1, nullptr);
  ROW(clGetGLObjectInfo, (absent), buffer_, nullptr, nullptr);
  ROW(clGetGLTextureInfo, (absent), buffer_, 0, sizeof host_, host_, &size_);
  ROW(clEnqueueAcquireGLObjects, (How{.call = false, .left_alone = {1, 3}}), queue_, 1, list,
      WAITING);
  ROW(clEnqueueReleaseGLObjects, (How{.call = false, .left_alone = {1, 3}}), queue_, 1, list,
      WAITING);
  row<clGetGLContextInfoKHR_fn>("clGetGLContextInfoKHR", absent, nullptr, 0, sizeof host_, host_,
                                &size_);
}

// This test runs last: every entry point of the list has been tested.
TEST(EveryEntryPointOfTheList, HasItsRow) {
  const auto *all = ::testing::UnitTest::GetInstance();
  if (all->test_to_run_count() != all->total_test_count())
    GTEST_SKIP() << "a part of the tests was asked for";
#define ENTRY_POINT(name) EXPECT_TRUE(tested.contains(#name)) << #name;
#define EXTENSION(name, type) ENTRY_POINT(name)
#define NO_ENTRY_POINT(name)
#include "api/opencl/entry_points.def"
}

} // namespace
} // namespace lockstep::test
