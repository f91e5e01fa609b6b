// Kernels whose waits look like something else: plain flags, volatile structures, counts that do
// not reach their end, pipes, images, blocks that kernels enqueue. As in waiting_test.cpp, no
// work-item may hang, and none may continue too early.
#include "opencl_fixture.h"

using namespace lockstep::test;

namespace {

const char *const source = R"(
#define FENCE mem_fence(CLK_GLOBAL_MEM_FENCE)
#define SWAP(p, v) atomic_exchange_explicit((volatile global atomic_uint *)(p), v, memory_order_acq_rel, memory_scope_device)
#define LOCK while (SWAP(c, 1u)) {}
#define UNLOCK atomic_store_explicit((volatile global atomic_uint *)c, 0u, memory_order_release, memory_scope_device)

// One work-item sets a flag; all, itself among them, wait for it.
kernel void fence_behind(global uint *c, global uint *d, uint setter, uint one) {
  uint i = get_global_id(0);
  if (i == setter) { c[2] = 5; FENCE; c[1] = one; FENCE; }
  while (c[1] == 0) FENCE;
  FENCE;
  d[i] = c[2];
}
kernel void somewhere(global uint *c, global uint *d, uint setter, uint one) {
  uint i = get_global_id(0);
  if (i == setter) { c[2] = 5; FENCE; c[one] = one; }
  while (c[1] == 0) FENCE;
  FENCE;
  d[i] = c[2];
}
kernel void by_an_atomic(global uint *c, global uint *d, uint setter, uint one) {
  uint i = get_global_id(0);
  if (i == setter) { c[2] = 5; FENCE; atomic_xchg(c + 1, one); }
  while (c[1] == 0) FENCE;
  FENCE;
  d[i] = c[2];
}
kernel void by_an_update(global uint *c, global uint *d, uint setter, uint one) {
  uint i = get_global_id(0);
  if (i == setter) { c[2] = 5; FENCE; atomic_xchg(c + 1, one); }
  while (atomic_or(c + 1, 0) == 0) ;
  FENCE;
  d[i] = c[2];
}
kernel void by_an_equal_swap(global uint *c, global uint *d, uint setter, uint one) {
  uint i = get_global_id(0);
  if (i == setter) { c[2] = 5; FENCE; atomic_add(c + 1, one); }
  while (atomic_cmpxchg(c + 1, one, one) != one) ;
  FENCE;
  d[i] = c[2];
}
kernel void one_of_four(global uint *c, global uint *d, uint setter, uint one) {
  uint i = get_global_id(0);
  if (i == setter) { c[8] = 5; FENCE; for (uint k = 0; k < 4; ++k) c[k] = one; FENCE; }
  for (uint n = one; c[n % 4] == 0; ++n) FENCE;
  FENCE;
  d[i] = c[8];
}
void put(global uint *c, uint value) { for (uint k = 1; k < 8; ++k) c[k] = value; FENCE; }
kernel void by_a_function(global uint *c, global uint *d, uint setter, uint one) {
  uint i = get_global_id(0);
  if (i == setter) put(c, 5 * one);
  while (c[1] == 0) FENCE;
  FENCE;
  d[i] = c[1];
}
kernel void by_halves(global uint *c, global uint *d, uint setter, uint one) {
  uint i = get_global_id(0);
  global half *h = (global half *)c;
  if (i == setter) { vstore_half(5.0f, 0, h); FENCE; vstore_half((float)one, 3, h); }
  while (vload_half(3, h) == 0.0f) FENCE;
  while (vload_half(0, h) == 0.0f) FENCE;
  d[i] = vload_half(0, h);
}
kernel void by_a_structure(global uint *c, global uint *d, uint setter, uint one) {
  struct record { uint of[20], flag, data; } t;
  volatile global struct record *r = (volatile global struct record *)c;
  uint i = get_global_id(0);
  if (i == setter) { r->data = 5; FENCE; r->flag = one; }
  do t = *r; while (t.flag == 0);
  FENCE;
  d[i] = r->data;
}

// Work-item 0 counts until the last one has gone.
kernel void end_that_moves(global uint *c, global uint *d, uint setter, uint one) {
  uint i = get_global_id(0);
  if (i == 0) { uint end = 10; for (uint n = 0; n < end; ++n) { LOCK end = c[1] ? 0 : n + 10; UNLOCK; } }
  else if (i == get_global_size(0) - 1) { LOCK c[1] = 1; UNLOCK; }
  d[i] = 5;
}
kernel void end_that_grows(global uint *c, global uint *d, uint setter, uint one) {
  uint i = get_global_id(0);
  if (i == 0) { uint end = 2; for (uint n = 0; n < end; ++n) { LOCK if (!c[1]) end += one; UNLOCK; } }
  else if (i == get_global_size(0) - 1) { LOCK c[1] = 1; UNLOCK; }
  d[i] = 5;
}
kernel void at_most_the_largest(global uint *c, global uint *d, uint setter, uint one) {
  uint i = get_global_id(0);
  if (i == 0) { uint end = ~0u; for (uint n = 0; n <= end; n += 2) { LOCK end = c[1] ? 0 : ~0u; UNLOCK; } }
  else if (i == get_global_size(0) - 1) { LOCK c[1] = 1; UNLOCK; }
  d[i] = 5;
}
kernel void in_sixteen_bits(global uint *c, global uint *d, uint setter, uint one) {
  uint i = get_global_id(0);
  if (i == 0) { uint end = 70000; for (ushort n = 0; n < end; ++n) { LOCK end = c[1] ? 0 : 70000; UNLOCK; } }
  else if (i == get_global_size(0) - 1) { LOCK c[1] = 1; UNLOCK; }
  d[i] = 5;
}
kernel void for_years(global uint *c, global uint *d, uint setter, uint one) {
  uint i = get_global_id(0);
  if (i == 0) { for (ulong n = 0; n < ~0ul - one; ++n) { uint s; LOCK s = c[1]; UNLOCK; if (s) break; } }
  else if (i == get_global_size(0) - 1) { LOCK c[1] = 1; UNLOCK; }
  d[i] = 5;
}

kernel void produce(write_only pipe uint p, uint count) {
  for (uint n = 0; n < count; ++n) { uint packet = 1; while (write_pipe(p, &packet) != 0) ; }
}
kernel void consume(read_only pipe uint p, global uint *sum, uint count) {
  for (uint n = 0; n < count; ++n) { uint packet; while (read_pipe(p, &packet) != 0) ; atomic_add(sum, packet); }
}

#define NOW get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT
#define LOAD(p) atomic_load_explicit((volatile global atomic_uint *)(p), memory_order_acquire, memory_scope_device)
#define ADD(p) atomic_fetch_add_explicit((volatile global atomic_uint *)(p), 1u, memory_order_acq_rel, memory_scope_device)
// The first work-item and its block wait for each other, the others for the block.
kernel void parent_and_child(global uint *c, global uint *d, uint asked) {
  uint i = get_global_id(0);
  if (i == 0) {
    enqueue_kernel(NOW, ndrange_1D(8), ^{ while (LOAD(c) < asked) ; ADD(c + 1); });
    ADD(c);
  }
  while (LOAD(c + 1) < 8) ;
  d[i] = 5;
}
// All blocks wait for all.
kernel void siblings(global uint *c, global uint *d, uint missing) {
  uint i = get_global_id(0), all = 4 * get_global_size(0) + missing;
  enqueue_kernel(NOW, ndrange_1D(4), ^{ ADD(c); while (LOAD(c) < all) ; d[i] = 5; });
}

kernel void texel(read_write image2d_t image, global uint *d, uint setter, uint value) {
  uint i = get_global_id(0), seen;
  if (i == setter) write_imageui(image, (int2)(1, 2), (uint4)(value));
  do {
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acquire, memory_scope_device);
    seen = read_imageui(image, (int2)(1, 2)).x;
  } while (seen != 5);
  d[i] = seen;
}
)";

class DisguisedWaits : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!device_)
      return;
    program_ = build(source, "-cl-std=CL3.0");
    flags_ = make_buffer(1 << 12);
    out_ = make_buffer(1 << 12);
  }
  template <class... Values>
  Event launch(const char *name, size_t items, size_t local, const Values &...values) {
    Kernel kernel = make_kernel(program_, name);
    cl_uint at = 0;
    (void)((clSetKernelArg(kernel, at++, sizeof values, &values) == CL_SUCCESS) && ...);
    queues_.push_back(make_queue(0));
    Event event;
    EXPECT_EQ(clEnqueueNDRangeKernel(queues_.back(), kernel, 1, nullptr, &items, &local, 0, nullptr,
                                     event.out()),
              CL_SUCCESS);
    EXPECT_EQ(clFlush(queues_.back()), CL_SUCCESS);
    return event;
  }
  cl_int end(const Event &event) {
    cl_event handle = event;
    clWaitForEvents(1, &handle);
    return event_info<cl_int>(event, CL_EVENT_COMMAND_EXECUTION_STATUS);
  }
  // Expects that each work-item has written 5.
  void expect_fives(const char *kernel) {
    const cl_uint one = 1;
    for (cl_uint setter : {0u, 40u, 127u})
      for (size_t local : {1, 16, 64, 128}) {
        write(flags_, std::vector<cl_uint>(1024));
        write(out_, std::vector<cl_uint>(128));
        const Event event = launch(kernel, 128, local, flags_.get(), out_.get(), setter, one);
        EXPECT_EQ(end(event), CL_COMPLETE) << kernel;
        EXPECT_EQ(read<cl_uint>(out_, 128), std::vector<cl_uint>(128, 5))
            << kernel << ", groups of " << local << ", set by " << setter;
      }
  }
  Program program_;
  Memory flags_, out_;
  std::vector<Queue> queues_;
};

TEST_F(DisguisedWaits, PlainFlagsAreSetByTheSameGroup) {
  for (const char *kernel : {"fence_behind", "somewhere", "by_an_atomic", "by_an_update",
                             "by_an_equal_swap", "one_of_four", "by_a_function", "by_halves"})
    expect_fives(kernel);
}

TEST_F(DisguisedWaits, VolatileStructuresArePolled) {
  expect_fives("by_a_structure");
}

TEST_F(DisguisedWaits, CountsThatDoNotComeToTheirEnd) {
  for (const char *kernel :
       {"end_that_moves", "end_that_grows", "at_most_the_largest", "in_sixteen_bits", "for_years"})
    expect_fives(kernel);
}

TEST_F(DisguisedWaits, PipesThatAreFullOrEmpty) {
  cl_int status = 1;
  const Memory pipe(clCreatePipe(context_, 0, sizeof(cl_uint), 5, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  for (size_t local : {1, 5, 20}) {
    write(out_, std::vector<cl_uint>(1));
    const cl_uint count = 30;
    const Event consumers = launch("consume", 20, local, pipe.get(), out_.get(), count),
                producers = launch("produce", 20, local, pipe.get(), count);
    EXPECT_EQ(end(producers), CL_COMPLETE);
    EXPECT_EQ(end(consumers), CL_COMPLETE);
    EXPECT_EQ(read<cl_uint>(out_, 1)[0], 20 * count) << "groups of " << local;
  }
}

TEST_F(DisguisedWaits, APipeThatNobodyFillsIsADeadlock) {
  cl_int status = 1;
  const Memory pipe(clCreatePipe(context_, 0, sizeof(cl_uint), 5, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_LT(end(launch("consume", 20, 5, pipe.get(), out_.get(), cl_uint(1))), 0);
}

// No work-item can write a captured variable to end a wait, so a wait for one can be a deadlock.
TEST_F(DisguisedWaits, BlocksWaitForTheirParentsAndForEachOther) {
  const cl_queue_properties on_device[] = {
      CL_QUEUE_PROPERTIES,
      CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_int status = 1;
  const Queue queue(clCreateCommandQueueWithProperties(context_, device_, on_device, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  for (size_t local : {1, 8})
    for (const char *kernel : {"parent_and_child", "siblings"})
      for (bool is_dead : {false, true}) {
        write(flags_, std::vector<cl_uint>(1024));
        write(out_, std::vector<cl_uint>(32));
        const bool waits_for_one = kernel[0] == 'p';
        const Event event =
            launch(kernel, 32, local, flags_.get(), out_.get(), cl_uint(is_dead + waits_for_one));
        if (is_dead) {
          EXPECT_LT(end(event), 0) << kernel;
        } else {
          EXPECT_EQ(end(event), CL_COMPLETE) << kernel;
          EXPECT_EQ(read<cl_uint>(out_, 32), std::vector<cl_uint>(32, 5)) << kernel;
        }
      }
}

TEST_F(DisguisedWaits, TexelsAreFlags) {
  const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = shape.image_height = 8;
  for (size_t local : {1, 10, 40}) {
    std::vector<cl_uint> texels(64);
    cl_int status = 1;
    const Memory image(clCreateImage(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format,
                                     &shape, texels.data(), &status));
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(end(launch("texel", 40, local, image.get(), out_.get(), cl_uint(33), cl_uint(5))),
              CL_COMPLETE);
    EXPECT_EQ(read<cl_uint>(out_, 40), std::vector<cl_uint>(40, 5)) << "groups of " << local;
    EXPECT_LT(end(launch("texel", 40, local, image.get(), out_.get(), cl_uint(33), cl_uint(4))), 0)
        << "a deadlock, groups of " << local;
  }
}

} // namespace
