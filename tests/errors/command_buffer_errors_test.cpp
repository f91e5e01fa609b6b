// Tests command buffers with one invalid argument or call each. The expected error codes are those
// of cl_khr_command_buffer and its two layered extensions.
#include "../programs/command_buffer_fixture.h"
#include "error_fixture.h"

namespace lockstep::test {
namespace {

namespace cb = command_buffers;

constexpr const char *source = R"(
kernel void store(global int *to, int value) { to[get_global_id(0)] = value; }
kernel void with_local(global int *to, local int *scratch) { to[0] = scratch[0]; }
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global int *to) { to[0] = 4; }
)";

class CommandBufferErrors : public ErrorTest {
protected:
  void SetUp() override {
    ErrorTest::SetUp();
    if (HasFatalFailure())
      return;
    data_ = make_buffer(1024);
    program_ = build(source);
    kernel_ = make_kernel(program_, "store");
    cl_mem data = data_;
    clSetKernelArg(kernel_, 0, sizeof data, &data);
    clSetKernelArg(kernel_, 1, sizeof value_, &value_);
    buffer_ = cb::make({queue_.get()});
    notifications_.sentences.clear();
  }

  cl_int launch(cl_kernel kernel, const cl_properties *properties = nullptr, size_t items = 4,
                const size_t *local = nullptr, cl_mutable_command_khr *handle = nullptr) {
    return f.launch(buffer_.get(), nullptr, properties, kernel, 1, nullptr, &items, local, 0,
                    nullptr, nullptr, handle);
  }
  cl_int fill(cl_command_buffer_khr buffer, cl_command_queue queue,
              const cl_properties *properties = nullptr, cl_uint count = 0,
              const cl_sync_point_khr *list = nullptr, cl_mutable_command_khr *handle = nullptr) {
    return f.fill(buffer, queue, properties, data_, &value_, sizeof value_, 0, 64, count, list,
                  nullptr, handle);
  }
  cl_command_buffer_khr no_command_buffer() {
    return reinterpret_cast<cl_command_buffer_khr>(context_.get());
  }
  // Returns the command of a finalized, mutable command buffer with one launch. `fields` 0 means
  // all updatable fields.
  cl_mutable_command_khr make_mutable(cl_bitfield fields = 0, const size_t *local = nullptr) {
    buffer_ = cb::make({queue_.get()}, CL_COMMAND_BUFFER_MUTABLE_KHR);
    const cl_properties properties[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, fields, 0};
    cl_mutable_command_khr command = nullptr;
    EXPECT_EQ(launch(kernel_, fields ? properties : nullptr, 16, local, &command), CL_SUCCESS);
    EXPECT_EQ(f.finalize(buffer_.get()), CL_SUCCESS);
    return command;
  }

  const cb::Functions &f = cb::functions();
  const int value_ = 5;
  Memory data_;
  Program program_;
  Kernel kernel_;
  cb::Owned buffer_;
};

TEST_F(CommandBufferErrors, Create) {
  cl_command_queue queue = queue_, none = no_queue();
  auto create = [&](cl_uint count, const cl_command_queue *queues,
                    const cl_properties *properties) {
    return [=, this](cl_int *status) { return f.create(count, queues, properties, status); };
  };
  expect_null(CL_INVALID_VALUE, create(0, &queue, nullptr));
  expect_null(CL_INVALID_VALUE, create(1, nullptr, nullptr));
  expect_null(CL_INVALID_COMMAND_QUEUE, create(1, &none, nullptr));
  cl_command_queue mixed[] = {queue_, other_queue_};
  expect_null(CL_INVALID_CONTEXT, create(2, mixed, nullptr), "queues[1]");
  const cl_properties unknown[] = {0x9999, 1, 0};
  expect_null(CL_INVALID_VALUE, create(1, &queue, unknown), "not a property");
  const cl_properties twice[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1, CL_COMMAND_BUFFER_FLAGS_KHR, 1, 0};
  expect_null(CL_INVALID_VALUE, create(1, &queue, twice), "twice");
  const cl_properties bits[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 9, 0};
  expect_null(CL_INVALID_VALUE, create(1, &queue, bits), "unknown bits");
  const cl_properties asserts[] = {cb::buffer_asserts, 2, 0};
  expect_null(CL_INVALID_VALUE, create(1, &queue, asserts), "unknown bits");
}

TEST_F(CommandBufferErrors, LifeTime) {
  cl_command_buffer_khr none = no_command_buffer();
  expect(CL_INVALID_COMMAND_BUFFER_KHR, f.retain(none));
  expect(CL_INVALID_COMMAND_BUFFER_KHR, f.release(none));
  expect(CL_INVALID_COMMAND_BUFFER_KHR, f.release(nullptr));
  expect(CL_INVALID_COMMAND_BUFFER_KHR, f.finalize(none));
  cl_command_buffer_khr released = nullptr;
  {
    const auto made = cb::make({queue_.get()});
    released = made.get();
  }
  expect(CL_INVALID_COMMAND_BUFFER_KHR, f.finalize(released));
  ASSERT_EQ(f.finalize(buffer_.get()), CL_SUCCESS);
  expect(CL_INVALID_OPERATION, f.finalize(buffer_.get()), "finalized");
}

TEST_F(CommandBufferErrors, Recording) {
  cl_command_buffer_khr buffer = buffer_.get();
  expect(CL_INVALID_COMMAND_BUFFER_KHR, fill(no_command_buffer(), nullptr));
  expect(CL_INVALID_COMMAND_BUFFER_KHR, fill(nullptr, nullptr));
  expect(CL_INVALID_COMMAND_QUEUE, fill(buffer, no_queue()), "command_queue");
  expect(CL_INVALID_CONTEXT, fill(buffer, other_queue_), "command_queue");
  Queue stranger = make_queue(0);
  expect(CL_INVALID_COMMAND_QUEUE, fill(buffer, stranger), "none of those");
  cb::Owned several = cb::make({queue_.get(), stranger.get()});
  expect(CL_INVALID_COMMAND_QUEUE, fill(several.get(), nullptr), "2 queues");
  const cl_properties property[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 1, 0};
  expect(CL_INVALID_VALUE, fill(buffer, nullptr, property), "not a property");
  cl_mutable_command_khr handle = nullptr;
  expect(CL_INVALID_VALUE, fill(buffer, nullptr, nullptr, 0, nullptr, &handle), "mutable_handle");
  const cl_sync_point_khr points[] = {1};
  expect(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, fill(buffer, nullptr, nullptr, 1, nullptr), "null");
  expect(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, fill(buffer, nullptr, nullptr, 0, points), "is 0");
  expect(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, fill(buffer, nullptr, nullptr, 1, points),
         "[0] is 1");
  EXPECT_EQ(f.finalize(buffer), CL_SUCCESS);
  expect(CL_INVALID_OPERATION, fill(buffer, nullptr), "finalized");
}

TEST_F(CommandBufferErrors, Barrier) {
  cl_mutable_command_khr handle = nullptr;
  const cl_properties property[] = {1, 1, 0};
  const cl_sync_point_khr point = 0;
  auto barrier = [&](const cl_properties *properties, cl_uint count, const cl_sync_point_khr *list,
                     cl_mutable_command_khr *to) {
    return f.barrier(buffer_.get(), nullptr, properties, count, list, nullptr, to);
  };
  expect(CL_INVALID_COMMAND_BUFFER_KHR,
         f.barrier(nullptr, nullptr, nullptr, 0, nullptr, nullptr, nullptr));
  expect(CL_INVALID_VALUE, barrier(property, 0, nullptr, nullptr), "not a property");
  expect(CL_INVALID_VALUE, barrier(nullptr, 0, nullptr, &handle), "mutable_handle");
  expect(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, barrier(nullptr, 1, nullptr, nullptr), "null");
  expect(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, barrier(nullptr, 1, &point, nullptr), "[0] is 0");
  EXPECT_EQ(f.finalize(buffer_.get()), CL_SUCCESS);
  expect(CL_INVALID_OPERATION, barrier(nullptr, 0, nullptr, nullptr), "finalized");
}

// Recording a command checks the same preconditions as enqueuing it.
TEST_F(CommandBufferErrors, CommandsAreCheckedWhenTheyAreRecorded) {
  cl_command_buffer_khr b = buffer_.get();
  cl_mem data = data_;
  auto copy = [&](cl_mem from, cl_mem to, size_t size, size_t at = 0) {
    return f.copy(b, nullptr, nullptr, from, to, 0, at, size, 0, nullptr, nullptr, nullptr);
  };
  expect(CL_INVALID_MEM_OBJECT, copy(no_buffer(), data, 4), "src_buffer");
  expect(CL_INVALID_CONTEXT, copy(data, other_buffer_, 4), "dst_buffer");
  expect(CL_INVALID_VALUE, copy(data, data, 2048), "inside");
  expect(CL_MEM_COPY_OVERLAP, copy(data, data, 64, 32), "overlap");
  const size_t origin[3] = {}, region[3] = {8, 1, 1}, flat[3] = {8, 0, 1};
  auto rect = [&](const size_t *size) {
    return f.copy_rect(b, nullptr, nullptr, data, data, origin, origin, size, 0, 0, 0, 0, 0,
                       nullptr, nullptr, nullptr);
  };
  expect(CL_INVALID_VALUE, rect(flat), "region");
  expect(CL_MEM_COPY_OVERLAP, rect(region), "overlap");
  expect(CL_INVALID_VALUE,
         f.fill(b, nullptr, nullptr, data, &value_, 3, 0, 9, 0, nullptr, nullptr, nullptr),
         "pattern_size");
  const cl_uint color[4] = {};
  expect(
      CL_INVALID_MEM_OBJECT,
      f.fill_image(b, nullptr, nullptr, data, color, origin, region, 0, nullptr, nullptr, nullptr),
      "image");
  expect(CL_INVALID_MEM_OBJECT,
         f.copy_image(b, nullptr, nullptr, data, data, origin, origin, region, 0, nullptr, nullptr,
                      nullptr),
         "src_image");
  expect(CL_INVALID_MEM_OBJECT,
         f.copy_to_image(b, nullptr, nullptr, data, data, 0, origin, region, 0, nullptr, nullptr,
                         nullptr),
         "dst_image");
  expect(CL_INVALID_MEM_OBJECT,
         f.copy_from_image(b, nullptr, nullptr, data, data, origin, region, 0, 0, nullptr, nullptr,
                           nullptr),
         "src_image");
  int one = 0, two = 0;
  expect(CL_INVALID_VALUE,
         f.svm_copy(b, nullptr, nullptr, &one, nullptr, 4, 0, nullptr, nullptr, nullptr), "null");
  expect(CL_MEM_COPY_OVERLAP,
         f.svm_copy(b, nullptr, nullptr, &one, &one, 4, 0, nullptr, nullptr, nullptr), "apart");
  expect(CL_INVALID_VALUE,
         f.svm_fill(b, nullptr, nullptr, &two, &one, 3, 3, 0, nullptr, nullptr, nullptr),
         "pattern_size");
}

TEST_F(CommandBufferErrors, Launch) {
  expect(CL_INVALID_KERNEL, launch(reinterpret_cast<cl_kernel>(context_.get())), "kernel");
  Kernel unset = make_kernel(program_, "store");
  expect(CL_INVALID_KERNEL_ARGS, launch(unset), "argument 0");
  const size_t three = 3;
  Kernel four = make_kernel(program_, "four");
  cl_mem data = data_;
  clSetKernelArg(four, 0, sizeof data, &data);
  expect(CL_INVALID_WORK_GROUP_SIZE, launch(four, nullptr, 12, &three), "requires");
  const cl_properties unknown[] = {0x9999, 1, 0};
  expect(CL_INVALID_VALUE, launch(kernel_, unknown), "not a property");
  const cl_properties bits[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 1 << 9, 0};
  expect(CL_INVALID_VALUE, launch(kernel_, bits), "unknown bits");
  const cl_properties twice[] = {cb::dispatch_asserts, 0, cb::dispatch_asserts, 0, 0};
  expect(CL_INVALID_VALUE, launch(kernel_, twice), "twice");
  const cl_properties asserts[] = {cb::dispatch_asserts, cb::assert_no_additional_work_groups, 0};
  expect(CL_INVALID_VALUE, launch(kernel_, asserts), "local_work_size");
  EXPECT_EQ(launch(kernel_, asserts, 12, &three), CL_SUCCESS);
  // A recorded launch may lack arguments only if an update can supply them.
  const cl_properties arguments[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                     CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0};
  expect(CL_INVALID_KERNEL_ARGS, launch(unset, arguments), "argument 0");
  buffer_ = cb::make({queue_.get()}, CL_COMMAND_BUFFER_MUTABLE_KHR);
  expect(CL_INVALID_KERNEL_ARGS, launch(unset), "argument 0");
  EXPECT_EQ(launch(unset, arguments), CL_SUCCESS);
  const cl_properties all[] = {cb::buffer_asserts, cb::assert_no_additional_work_groups, 0};
  cl_command_queue queue = queue_;
  buffer_.reset(f.create(1, &queue, all, nullptr));
  expect(CL_INVALID_VALUE, launch(kernel_), "local_work_size");
}

TEST_F(CommandBufferErrors, Enqueue) {
  cl_command_buffer_khr buffer = buffer_.get();
  auto enqueue = [&](cl_uint count, cl_command_queue *queues) {
    return f.enqueue(count, queues, buffer, 0, nullptr, nullptr);
  };
  expect(CL_INVALID_COMMAND_BUFFER_KHR,
         f.enqueue(0, nullptr, no_command_buffer(), 0, nullptr, nullptr));
  expect(CL_INVALID_OPERATION, enqueue(0, nullptr), "not finalized");
  EXPECT_EQ(f.finalize(buffer), CL_SUCCESS);
  cl_command_queue queue = queue_, none = no_queue(), other = other_queue_;
  cl_command_queue two[] = {queue_, queue_};
  expect(CL_INVALID_VALUE, enqueue(1, nullptr), "queues is null");
  expect(CL_INVALID_VALUE, enqueue(0, &queue), "num_queues is 0");
  expect(CL_INVALID_VALUE, enqueue(2, two), "num_queues is 2");
  expect(CL_INVALID_COMMAND_QUEUE, enqueue(1, &none), "queues[0]");
  expect(CL_INVALID_CONTEXT, enqueue(1, &other), "queues[0]");
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return f.enqueue(0, nullptr, buffer, count, list, nullptr);
  });
}

TEST_F(CommandBufferErrors, EnqueueOnAnotherDevice) {
  ASSERT_GE(device_info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS), 2u) << "LOCKSTEP_THREADS=2 has them";
  const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                              CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id part = nullptr;
  ASSERT_EQ(clCreateSubDevices(device_, one, 1, &part, nullptr), CL_SUCCESS);
  const cl_device_id devices[] = {device_, part};
  cl_int status = 1;
  context_ = Context(
      clCreateContext(nullptr, 2, devices, Notifications::receive, &notifications_, &status));
  Queue queue(clCreateCommandQueueWithProperties(context_, device_, nullptr, &status));
  Queue on_part(clCreateCommandQueueWithProperties(context_, part, nullptr, &status));
  cb::Owned buffer = cb::make({queue.get()});
  EXPECT_EQ(f.finalize(buffer.get()), CL_SUCCESS);
  cl_command_queue replacement = on_part;
  expect(CL_INVALID_DEVICE, f.enqueue(1, &replacement, buffer.get(), 0, nullptr, nullptr),
         "another device");
  buffer.reset();
  on_part.reset();
  clReleaseDevice(part);
}

TEST_F(CommandBufferErrors, Info) {
  cl_uint value = 0;
  expect(CL_INVALID_COMMAND_BUFFER_KHR,
         f.info(nullptr, CL_COMMAND_BUFFER_STATE_KHR, sizeof value, &value, nullptr));
  expect(CL_INVALID_VALUE, f.info(buffer_.get(), 0x9999, sizeof value, &value, nullptr),
         "param_name");
  expect(CL_INVALID_VALUE, f.info(buffer_.get(), CL_COMMAND_BUFFER_STATE_KHR, 1, &value, nullptr),
         "param_value_size");
  cl_mutable_command_khr command = make_mutable();
  expect(CL_INVALID_MUTABLE_COMMAND_KHR, f.command_info(nullptr, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR,
                                                        sizeof value, &value, nullptr));
  expect(CL_INVALID_VALUE, f.command_info(command, 0x9999, sizeof value, &value, nullptr),
         "param_name");
  expect(CL_INVALID_VALUE,
         f.command_info(command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, 1, &value, nullptr),
         "param_value_size");
  buffer_.reset(); // the command buffer owns its commands
  expect(CL_INVALID_MUTABLE_COMMAND_KHR, f.command_info(command, CL_MUTABLE_DISPATCH_DIMENSIONS_KHR,
                                                        sizeof value, &value, nullptr));
}

TEST_F(CommandBufferErrors, Update) {
  cb::DispatchConfig config;
  expect(CL_INVALID_COMMAND_BUFFER_KHR, f.update_one(nullptr, config));
  expect(CL_INVALID_OPERATION, f.update_one(buffer_.get(), config), "not finalized");
  EXPECT_EQ(launch(kernel_), CL_SUCCESS);
  EXPECT_EQ(f.finalize(buffer_.get()), CL_SUCCESS);
  expect(CL_INVALID_OPERATION, f.update_one(buffer_.get(), config),
         "CL_COMMAND_BUFFER_MUTABLE_KHR");

  const size_t four = 4;
  cl_mutable_command_khr foreign = make_mutable();
  cb::Owned other = std::move(buffer_);
  config.command = make_mutable(0, &four);
  const cl_uint type = 0, wrong_type = 7;
  const void *configs[] = {&config}, *null[] = {nullptr};
  auto update = [&](cl_uint count, const cl_uint *types, const void **list) {
    return f.update(buffer_.get(), count, types, list);
  };
  EXPECT_EQ(update(0, nullptr, nullptr), CL_SUCCESS);
  expect(CL_INVALID_VALUE, update(1, nullptr, configs), "config_types");
  expect(CL_INVALID_VALUE, update(1, &type, nullptr), "configs");
  expect(CL_INVALID_VALUE, update(0, &type, configs), "num_configs");
  expect(CL_INVALID_VALUE, update(1, &wrong_type, configs), "config_types[0]");
  expect(CL_INVALID_VALUE, update(1, &type, null), "configs[0]");

  auto expect_config = [&](cl_int code, cb::DispatchConfig wrong, const char *word) {
    if (!wrong.command)
      wrong.command = config.command;
    expect(code, f.update_one(buffer_.get(), wrong), word);
  };
  expect_config(CL_INVALID_MUTABLE_COMMAND_KHR, {.command = foreign}, "command");
  expect_config(CL_INVALID_OPERATION, {.work_dim = 2}, "work_dim");
  const size_t five = 5, none = 0, huge = size_t(1) << 40;
  expect_config(CL_INVALID_OPERATION, {.local_work_size = &five}, "non-uniform");
  expect_config(CL_INVALID_OPERATION, {.global_work_size = &five}, "non-uniform");
  expect_config(CL_INVALID_WORK_GROUP_SIZE, {.global_work_size = &none, .local_work_size = &none},
                "local_work_size");
  expect_config(CL_INVALID_WORK_ITEM_SIZE, {.global_work_size = &huge, .local_work_size = &huge},
                "local_work_size");
  cl_mem data = data_;
  const cl_mutable_dispatch_arg_khr no_index{9, sizeof data, &data}, size{0, 3, &data},
      no_pointer{1, 0, &data};
  expect_config(CL_INVALID_ARG_INDEX, {.num_args = 1, .arg_list = &no_index}, "arg_index");
  expect_config(CL_INVALID_ARG_SIZE, {.num_args = 1, .arg_list = &size}, "arg_size");
  expect_config(CL_INVALID_ARG_INDEX, {.num_svm_args = 1, .arg_svm_list = &no_index}, "arg_index");
  expect_config(CL_INVALID_ARG_VALUE, {.num_svm_args = 1, .arg_svm_list = &no_pointer}, "pointer");
  expect_config(CL_INVALID_VALUE, {.num_args = 1}, "arg_list");
  expect_config(CL_INVALID_VALUE, {.arg_list = &size}, "arg_list");
  expect_config(CL_INVALID_VALUE, {.num_svm_args = 1}, "arg_svm_list");
  expect_config(CL_INVALID_VALUE, {.arg_svm_list = &size}, "arg_svm_list");
  const cl_mutable_dispatch_exec_info_khr exec{0x9999, 0, nullptr};
  expect_config(CL_INVALID_VALUE, {.num_exec_infos = 1}, "exec_info_list");
  expect_config(CL_INVALID_VALUE, {.exec_info_list = &exec}, "exec_info_list");
  expect_config(CL_INVALID_VALUE, {.num_exec_infos = 1, .exec_info_list = &exec}, "param_name");
}

TEST_F(CommandBufferErrors, UpdateOfWhatWasNotToBeUpdated) {
  const size_t eight = 8;
  const int value = 1;
  const cl_mutable_dispatch_arg_khr argument{1, sizeof value, &value};
  void *none[] = {nullptr};
  const cl_mutable_dispatch_exec_info_khr exec{CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof none, none};
  struct Field {
    cl_bitfield bit;
    cb::DispatchConfig config;
  };
  const Field fields[] = {
      {CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR, {.global_work_offset = &eight}},
      {CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, {.global_work_size = &eight}},
      {CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR, {.local_work_size = &eight}},
      {CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, {.num_args = 1, .arg_list = &argument}},
      {CL_MUTABLE_DISPATCH_EXEC_INFO_KHR, {.num_exec_infos = 1, .exec_info_list = &exec}}};
  for (const Field &field : fields)
    for (const cl_bitfield updatable : {field.bit, 31 & ~field.bit}) {
      cb::DispatchConfig config = field.config;
      config.command = make_mutable(updatable);
      const bool is_allowed = updatable == field.bit;
      expect(is_allowed ? CL_SUCCESS : CL_INVALID_OPERATION, f.update_one(buffer_.get(), config),
             is_allowed ? "" : "UPDATABLE_FIELDS");
    }
}

// If one change of an update is invalid, the call makes none of them.
TEST_F(CommandBufferErrors, AnUpdateIsMadeAsAWholeOrNotAtAll) {
  write(data_, std::vector<int>(16));
  cb::DispatchConfig right{.command = make_mutable()}, wrong = right;
  const int value = 99;
  const cl_mutable_dispatch_arg_khr argument{1, sizeof value, &value}, no_index{9, 4, &value};
  right.num_args = wrong.num_args = 1;
  right.arg_list = &argument;
  wrong.arg_list = &no_index;
  const cl_uint types[] = {0, 0};
  const void *configs[] = {&right, &wrong};
  expect(CL_INVALID_ARG_INDEX, f.update(buffer_.get(), 2, types, configs), "arg_index");
  EXPECT_EQ(f.enqueue(0, nullptr, buffer_.get(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(read<int>(data_, 16), std::vector<int>(16, value_));
}

TEST_F(CommandBufferErrors, Remap) {
  cl_mutable_command_khr command = make_mutable(), copy = nullptr;
  cb::Owned other = cb::make({queue_.get()});
  cl_command_queue queue = queue_, none = no_queue(), foreign = other_queue_;
  auto remap = [&](cl_command_buffer_khr buffer, cl_bool automatic, cl_uint count,
                   const cl_command_queue *queues, cl_uint handles,
                   const cl_mutable_command_khr *given, cl_mutable_command_khr *copies) {
    return [=, this](cl_int *status) {
      return f.remap(buffer, automatic, count, queues, handles, given, copies, status);
    };
  };
  cl_command_buffer_khr b = buffer_.get();
  expect_null(CL_INVALID_COMMAND_BUFFER_KHR,
              remap(nullptr, CL_FALSE, 1, &queue, 0, nullptr, nullptr));
  expect_null(CL_INVALID_VALUE, remap(b, CL_FALSE, 0, &queue, 0, nullptr, nullptr), "num_queues");
  expect_null(CL_INVALID_VALUE, remap(b, CL_FALSE, 1, nullptr, 0, nullptr, nullptr), "queues");
  const cl_command_queue two[] = {queue, queue};
  expect_null(CL_INVALID_VALUE, remap(b, CL_FALSE, 2, two, 0, nullptr, nullptr), "num_queues");
  expect_null(CL_INVALID_VALUE, remap(b, CL_FALSE, 1, &queue, 1, nullptr, &copy), "handles");
  expect_null(CL_INVALID_VALUE, remap(b, CL_FALSE, 1, &queue, 1, &command, nullptr), "handles_ret");
  expect_null(CL_INVALID_VALUE, remap(b, CL_FALSE, 1, &queue, 0, &command, &copy), "num_handles");
  expect_null(CL_INVALID_VALUE, remap(other.get(), CL_FALSE, 1, &queue, 1, &command, &copy),
              "handles[0]");
  expect_null(CL_INVALID_COMMAND_QUEUE, remap(b, CL_FALSE, 1, &none, 0, nullptr, nullptr),
              "queues[0]");
  expect_null(CL_INVALID_CONTEXT, remap(b, CL_FALSE, 1, &foreign, 0, nullptr, nullptr),
              "queues[0]");
}

} // namespace
} // namespace lockstep::test
