// Tests kernels that enqueue blocks (OpenCL C 6.15.17): what a block sees, what it waits for, and
// when the enqueuing kernel is complete. The host computes the expected results.
#include "command_buffer_fixture.h"
#include "kernel_arguments.h"
#include "late_notifications.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

using namespace lockstep::test;

namespace {

class DeviceEnqueue : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (HasFatalFailure())
      return;
    queue_.reset();
    cl_int status = 1;
    context_ = Context(clCreateContext(nullptr, 1, &device_, LateNotifications::receive,
                                       notifications_.user_data(), &status));
    ASSERT_EQ(status, CL_SUCCESS);
    queue_ = make_queue(CL_QUEUE_PROFILING_ENABLE);
    default_queue_ = make_device_queue(CL_QUEUE_ON_DEVICE_DEFAULT);
  }
  void TearDown() override { // all messages have arrived by then
    if (queue_)
      EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  }

  Queue make_device_queue(cl_command_queue_properties more, cl_uint size = 0) {
    std::vector<cl_queue_properties> list = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | more};
    if (size)
      list.insert(list.end(), {CL_QUEUE_SIZE, size});
    list.push_back(0);
    cl_int status = 1;
    Queue queue(clCreateCommandQueueWithProperties(context_, device_, list.data(), &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return queue;
  }

  Program build_enqueuing(const std::string &source, const char *options = "-cl-std=CL3.0") {
    return build(source.c_str(), options);
  }

  template <class... Arguments>
  Event enqueue(cl_program program, const char *name, size_t global, size_t local,
                const Arguments &...arguments) {
    return enqueue_kernel(queue_, make_kernel(program, name), global, local, arguments...);
  }
  // Returns the status of the launch, which includes everything that it has enqueued.
  template <class... Arguments>
  cl_int run(cl_program program, const char *name, size_t global, size_t local,
             const Arguments &...arguments) {
    Event event = enqueue(program, name, global, local, arguments...);
    cl_event handle = event;
    clWaitForEvents(1, &handle);
    return status_of(event);
  }
  bool was_reported(const char *words) { return notifications_.have(words); }

  LateNotifications notifications_;
  Queue default_queue_;
};

TEST_F(DeviceEnqueue, BlocksSeeWhatTheyCapture) {
  Program program = build_enqueuing(R"(
    typedef struct { char c; long l; } Pair;
    void write_one(global long *to, long value) { to[get_global_id(0)] += value; }
    kernel void k(global long *to, long n, constant int *table) {
      const size_t me = get_global_id(0);
      const int4 vector = (int4)((int)me, 2, 3, 4);
      const Pair pair = { 5, (long)me * 1000 };
      const double half_of = me * 0.5;
      global long *own = to + me * 4;
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4),
                     ^{ write_one(own, vector.x + vector.w + pair.c + pair.l + (long)(half_of * 2) + n + table[get_global_id(0)]); });
    })");
  constexpr size_t items = 200;
  const std::vector<cl_long> zeros(items * 4);
  const cl_int values[] = {7, 70, 700, 7000};
  Memory to = make_buffer(items * 4 * sizeof(cl_long)), table = make_buffer(sizeof values);
  write(table, std::vector<cl_int>(std::begin(values), std::end(values)));
  write(to, zeros);
  Kernel kernel = make_kernel(program, "k");
  const cl_long n = cl_long{1} << 40;
  set_arguments(kernel, to, n, table);
  for (size_t local : {1, 8, 40}) {
    write(to, zeros);
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    const auto got = read<cl_long>(to, items * 4);
    for (size_t i = 0; i < items * 4; ++i) {
      const cl_long me = cl_long(i / 4);
      ASSERT_EQ(got[i], me + 4 + 5 + me * 1000 + me + n + values[i % 4]) << i;
    }
  }
}

// Blocks capture images, samplers and pipes like other values.
TEST_F(DeviceEnqueue, BlocksReadImagesAndPipes) {
  Program program = build_enqueuing(R"(
    kernel void k(read_only image2d_t image, write_only image2d_t copy, write_only pipe int in) {
      const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
      const int x = (int)get_global_id(0);
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), ^{
        const int2 at = (int2)(x, get_global_id(0));
        const uint4 texel = read_imageui(image, nearest, at);
        write_imageui(copy, at, texel + (uint4)(1, 2, 3, 4));
        int packet = x * 8 + at.y;
        write_pipe(in, &packet);
      });
    }
    kernel void drain(read_only pipe int out, global int *packets) {
      for (int i = 0; i < 32; ++i)
        if (read_pipe(out, packets + i)) packets[i] = -1;
    })");
  constexpr size_t width = 4, height = 8;
  const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT32};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = width;
  description.image_height = height;
  std::vector<cl_uint> texels(width * height * 4);
  std::iota(texels.begin(), texels.end(), 100u);
  auto make_image = [&](cl_mem_flags flags, void *host) {
    cl_int status = 1;
    Memory image(clCreateImage(context_, flags, &format, &description, host, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return image;
  };
  Memory image = make_image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, texels.data());
  Memory copy = make_image(CL_MEM_READ_WRITE, nullptr), packets = make_buffer(width * height * 4);
  cl_int status = 1;
  Memory pipe(clCreatePipe(context_, 0, sizeof(cl_int), width * height, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(run(program, "k", width, 1, image, copy, pipe), CL_COMPLETE);
  std::vector<cl_uint> got(texels.size());
  const size_t origin[3] = {}, region[3] = {width, height, 1};
  ASSERT_EQ(clEnqueueReadImage(queue_, copy, CL_TRUE, origin, region, 0, 0, got.data(), 0, nullptr,
                               nullptr),
            CL_SUCCESS);
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], texels[i] + 1 + i % 4) << i;
  ASSERT_EQ(run(program, "drain", 1, 1, pipe, packets), CL_COMPLETE);
  auto numbers = read<cl_int>(packets, width * height);
  std::ranges::sort(numbers);
  for (size_t i = 0; i < numbers.size(); ++i)
    ASSERT_EQ(numbers[i], cl_int(i));
}

TEST_F(DeviceEnqueue, RangesOfAllDimensions) {
  Program program = build_enqueuing(R"(
    kernel void k(global uint *to, global const ulong *numbers, int how) {
      const size_t offset[3] = {numbers[0], numbers[1], numbers[2]};
      const size_t size[3] = {numbers[3], numbers[4], numbers[5]};
      const size_t local_size[3] = {numbers[6], numbers[7], numbers[8]};
      ndrange_t range;
      switch (how) {
      case 10: range = ndrange_1D(size[0]); break;
      case 11: range = ndrange_1D(size[0], local_size[0]); break;
      case 12: range = ndrange_1D(offset[0], size[0], local_size[0]); break;
      case 20: { const size_t s[2] = {size[0], size[1]}; range = ndrange_2D(s); break; }
      case 21: { const size_t s[2] = {size[0], size[1]}, l[2] = {local_size[0], local_size[1]};
                 range = ndrange_2D(s, l); break; }
      case 22: { const size_t o[2] = {offset[0], offset[1]}, s[2] = {size[0], size[1]}, l[2] = {local_size[0], local_size[1]};
                 range = ndrange_2D(o, s, l); break; }
      case 30: range = ndrange_3D(size); break;
      case 31: range = ndrange_3D(size, local_size); break;
      default: range = ndrange_3D(offset, size, local_size); break;
      }
      to[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, range, ^{
        const size_t at = 1 + (get_global_id(0) - get_global_offset(0)) +
          get_global_size(0) * (get_global_id(1) - get_global_offset(1) + get_global_size(1) * (get_global_id(2) - get_global_offset(2)));
        to[at] += 1 + get_global_offset(0) * 3 + get_global_offset(1) * 5 + get_global_offset(2) * 7
                 + (get_work_dim() << 20) + ((uint)get_enqueued_local_size(0) << 24) * (how % 10 != 0);
      });
    })");
  constexpr size_t most = 9 * 9 * 9;
  Memory to = make_buffer((1 + most) * sizeof(cl_uint)),
         numbers = make_buffer(9 * sizeof(cl_ulong));
  std::mt19937 random(7);
  for (int how : {10, 11, 12, 20, 21, 22, 30, 31, 32})
    for (int round = 0; round < 6; ++round) {
      SCOPED_TRACE(how);
      const cl_uint dimensions = cl_uint(how / 10);
      std::vector<cl_ulong> given(9);
      for (cl_uint d = 0; d < 3; ++d) {
        given[d] = random() % 100;
        given[3 + d] = 1 + random() % 9;
        given[6 + d] = 1 + random() % given[3 + d];
      }
      write(numbers, given);
      write(to, std::vector<cl_uint>(1 + most));
      ASSERT_EQ(run(program, "k", 1, 1, to, numbers, how), CL_COMPLETE);
      const auto got = read<cl_uint>(to, 1 + most);
      ASSERT_EQ(got[0], 0u);
      size_t items = 1;
      cl_uint expected = 1 + (dimensions << 20);
      for (cl_uint d = 0; d < dimensions; ++d) {
        items *= given[3 + d];
        if (how % 10 == 2)
          expected += cl_uint(given[d]) * std::array{3u, 5u, 7u}[d];
      }
      if (how % 10)
        expected += cl_uint(given[6]) << 24;
      for (size_t i = 0; i < most; ++i)
        ASSERT_EQ(got[1 + i], i < items ? expected : 0u) << i;
    }
}

// A child that waits for the kernel sees all writes of the kernel; a child that waits for the group
// sees the group's writes.
TEST_F(DeviceEnqueue, FlagsSayWhatIsWaitedFor) {
  Program program = build_enqueuing(R"(
    kernel void whole(global uint *data, global ulong *sum, uint n) {
      if (get_global_id(0) == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
          ulong s = 0;
          for (uint i = 0; i < n; ++i) s += data[i];
          *sum = s;
        });
      data[get_global_id(0)] = get_global_id(0) * 3 + 1;
    }
    kernel void groups(global uint *data, global ulong *sums, uint n) {
      const size_t group = get_group_id(0), size = get_local_size(0);
      if (get_local_id(0) == size - 1)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{
          ulong s = 0;
          for (uint i = 0; i < size; ++i) s += data[group * size + i];
          sums[group] = s;
        });
      data[get_global_id(0)] = get_global_id(0) * 3 + 1;
    })");
  constexpr size_t items = 64 * 64;
  Memory data = make_buffer(items * sizeof(cl_uint)), sums = make_buffer(64 * sizeof(cl_ulong));
  auto expected = [](size_t first, size_t count) {
    cl_ulong sum = 0;
    for (size_t i = first; i < first + count; ++i)
      sum += i * 3 + 1;
    return sum;
  };
  for (int round = 0; round < 20; ++round) {
    write(data, std::vector<cl_uint>(items));
    ASSERT_EQ(run(program, "whole", items, 64, data, sums, cl_int(items)), CL_COMPLETE);
    ASSERT_EQ(read<cl_ulong>(sums, 1)[0], expected(0, items));
    write(data, std::vector<cl_uint>(items));
    ASSERT_EQ(run(program, "groups", items, 64, data, sums, cl_int(items)), CL_COMPLETE);
    const auto got = read<cl_ulong>(sums, 64);
    for (size_t group = 0; group < 64; ++group)
      ASSERT_EQ(got[group], expected(group * 64, 64)) << group;
  }
}

TEST_F(DeviceEnqueue, LocalMemory) {
  Program program = build_enqueuing(R"(
    kernel void k(global int *to, int n) {
      to[2 * n] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(n, n),
        ^(local void *a, local void *b) {
          local int *const first = a, *const second = b;
          const int me = get_local_id(0);
          first[me] = me * me;
          second[n - 1 - me] = me + 1000;
          barrier(CLK_LOCAL_MEM_FENCE);
          to[me] = first[n - 1 - me];
          to[n + me] = second[me];
        }, (uint)(n * sizeof(int)), (uint)(n * sizeof(int)));
    })");
  for (int n : {1, 5, 64, 300}) {
    Memory to = make_buffer((2 * n + 1) * sizeof(cl_int));
    ASSERT_EQ(run(program, "k", 1, 1, to, n), CL_COMPLETE);
    const auto got = read<cl_int>(to, 2 * n + 1);
    EXPECT_EQ(got[2 * n], 0);
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(got[i], (n - 1 - i) * (n - 1 - i));
      ASSERT_EQ(got[n + i], n - 1 - i + 1000);
    }
  }
}

// Each block waits for some earlier ones, as the host specifies. It takes a ticket at its begin and
// at its end.
TEST_F(DeviceEnqueue, EventsOrderAnyGraph) {
  Program program = build_enqueuing(R"(
    enum { nodes = 40, most = 4 };
    kernel void k(global const int *edges, global int *begins, global int *ends, global atomic_int *clock) {
      clk_event_t events[nodes];
      for (int i = 0; i < nodes; ++i) {
        clk_event_t list[most];
        int count = 0;
        for (int j = 0; j < most; ++j)
          if (edges[i * most + j] >= 0) list[count++] = events[edges[i * most + j]];
        int failed;
        void (^node)(void) = ^{
          begins[i] = atomic_fetch_add_explicit(clock, 1, memory_order_relaxed, memory_scope_device);
          for (volatile int wait = 0; wait < 200; ++wait);
          ends[i] = atomic_fetch_add_explicit(clock, 1, memory_order_relaxed, memory_scope_device);
        };
        if (i % 5 == 4) // a marker between
          failed = enqueue_marker(get_default_queue(), count, count ? list : 0, &events[i]);
        else
          failed = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), count, count ? list : 0, &events[i], node);
        if (failed) begins[i] = failed;
      }
      for (int i = 0; i < nodes; ++i) release_event(events[i]);
    })");
  constexpr int nodes = 40, most = 4;
  Memory edges = make_buffer(nodes * most * sizeof(cl_int)), begins = make_buffer(nodes * 4),
         ends = make_buffer(nodes * 4), clock = make_buffer(4);
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<cl_int> graph(nodes * most, -1);
    for (int i = 1; i < nodes; ++i)
      for (int j = 0; j < most; ++j)
        if (random() % 3)
          graph[i * most + j] = int(random() % unsigned(i));
    write(edges, graph);
    write(clock, std::vector<cl_int>{1});
    ASSERT_EQ(run(program, "k", 1, 1, edges, begins, ends, clock), CL_COMPLETE);
    const auto begin = read<cl_int>(begins, nodes), end = read<cl_int>(ends, nodes);
    for (int i = 0; i < nodes; ++i) {
      if (i % 5 == 4)
        continue;
      std::vector<int> open(graph.begin() + i * most, graph.begin() + (i + 1) * most);
      while (!open.empty()) { // follows markers, too
        const int before = open.back();
        open.pop_back();
        if (before >= 0 && before % 5 == 4)
          open.insert(open.end(), graph.begin() + before * most,
                      graph.begin() + (before + 1) * most);
        else if (before >= 0)
          ASSERT_LT(end[before], begin[i]) << before << " " << i;
      }
    }
  }
}

TEST_F(DeviceEnqueue, UserEventsHoldBack) {
  Program program = build_enqueuing(R"(
    kernel void k(global int *seen) {
      clk_event_t user = create_user_event(), child;
      seen[0] = is_valid_event(user);
      seen[1] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, &child, ^{ seen[4] = seen[5]; });
      seen[2] = is_valid_event(child) && child != user && user != CLK_NULL_EVENT;
      retain_event(user);
      release_event(user);
      for (volatile int wait = 0; wait < 100000; ++wait);
      seen[5] = 42; // the child comes after this
      set_user_event_status(user, CL_COMPLETE);
      release_event(user);
      release_event(child);
      seen[3] = is_valid_event(user) || is_valid_event(child) || is_valid_event(CLK_NULL_EVENT);
    })");
  Memory seen = make_buffer(6 * sizeof(cl_int));
  for (int round = 0; round < 20; ++round) {
    write(seen, std::vector<cl_int>(6, -1));
    ASSERT_EQ(run(program, "k", 1, 1, seen), CL_COMPLETE);
    EXPECT_EQ(read<cl_int>(seen, 5), (std::vector<cl_int>{1, 0, 1, 0, 42}));
  }
}

TEST_F(DeviceEnqueue, WhoEnqueuesIsCompleteWhenAllOfItIs) {
  Program program = build_enqueuing(R"(
    void next(global atomic_int *count, int left) {
      atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_device);
      if (left)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ next(count, left - 1); });
    }
    kernel void chain(global atomic_int *count, int left) { next(count, left); }
    void branch(global atomic_int *count, int depth) {
      atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_device);
      clk_event_t event;
      if (depth) {
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2), 0, 0, &event, ^{ branch(count, depth - 1); });
        release_event(event);
      }
    }
    kernel void tree(global atomic_int *count, int depth) { branch(count, depth); }
    // Who waits for the event of a child finds all that the child has enqueued done.
    kernel void after(global atomic_int *count, global int *seen, int depth) {
      clk_event_t event;
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, 0, &event, ^{ branch(count, depth); });
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, 0,
                     ^{ *seen = atomic_load_explicit(count, memory_order_relaxed, memory_scope_device); });
      release_event(event);
    })");
  Memory count = make_buffer(4), seen = make_buffer(4);
  write(count, std::vector<cl_int>{0});
  ASSERT_EQ(run(program, "chain", 1, 1, count, 20'000), CL_COMPLETE);
  EXPECT_EQ(read<cl_int>(count, 1)[0], 20'001);
  for (int round = 0; round < 10; ++round) {
    write(count, std::vector<cl_int>{0});
    ASSERT_EQ(run(program, "tree", 3, 1, count, 7), CL_COMPLETE);
    ASSERT_EQ(read<cl_int>(count, 1)[0], 3 * 255);
    write(count, std::vector<cl_int>{0});
    ASSERT_EQ(run(program, "after", 1, 1, count, seen, 6), CL_COMPLETE);
    ASSERT_EQ(read<cl_int>(seen, 1)[0], 127);
  }
}

// The blocks that a replay enqueues belong to that replay, also while other replays run.
TEST_F(DeviceEnqueue, LaunchesInCommandBuffers) {
  namespace cb = command_buffers;
  Program program = build_enqueuing(R"(
    void branch(global atomic_int *count, int depth) {
      atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_device);
      if (depth)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2), ^{ branch(count, depth - 1); });
    }
    kernel void tree(global atomic_int *count, int depth) { branch(count, depth); }
    kernel void look(global int *count, global int *seen) { seen[++seen[0]] = *count; })");
  const auto &functions = cb::functions();
  const size_t items = 3, one = 1;
  for (const cl_bitfield flags : {cl_bitfield{0}, cl_bitfield{CL_COMMAND_BUFFER_MUTABLE_KHR}}) {
    Memory count = make_buffer(4), seen = make_buffer(400);
    write(count, std::vector<cl_int>{0});
    write(seen, std::vector<cl_int>{0});
    cb::Owned buffer = cb::make({queue_}, flags | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    Kernel tree = make_kernel(program, "tree"), look = make_kernel(program, "look");
    set_arguments(tree, count, 7);
    set_arguments(look, count, seen);
    cl_mutable_command_khr command = nullptr;
    ASSERT_EQ(functions.launch(buffer.get(), nullptr, nullptr, tree, 1, nullptr, &items, nullptr, 0,
                               nullptr, nullptr, &command),
              CL_SUCCESS);
    ASSERT_EQ(functions.launch(buffer.get(), nullptr, nullptr, look, 1, nullptr, &one, nullptr, 0,
                               nullptr, nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(functions.finalize(buffer.get()), CL_SUCCESS);
    int runs = 0;
    std::vector<cl_int> expected = {0};
    const auto replay = [&](cl_command_buffer_khr replayed, int times, int depth) {
      for (int i = 0; i < times; ++i, ++runs) {
        ASSERT_EQ(functions.enqueue(0, nullptr, replayed, 0, nullptr, nullptr), CL_SUCCESS);
        expected.push_back((runs ? expected.back() : 0) + 3 * ((1 << (depth + 1)) - 1));
      }
    };
    replay(buffer.get(), 20, 7);
    cl_int status = 1;
    const cl_command_queue queues[] = {queue_};
    cb::Owned copy(
        functions.remap(buffer.get(), CL_FALSE, 1, queues, 0, nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    replay(copy.get(), 5, 7);
    if (flags) {
      const cl_int depth = 2;
      const cl_mutable_dispatch_arg_khr argument{1, sizeof depth, &depth};
      cb::DispatchConfig config{.command = command};
      config.num_args = 1;
      config.arg_list = &argument;
      ASSERT_EQ(functions.update_one(buffer.get(), config), CL_SUCCESS);
      replay(buffer.get(), 5, 2);
    }
    count.reset(); // the command buffer retains the memory
    replay(buffer.get(), 3, flags ? 2 : 7);
    buffer.reset(); // the running replays do not need it
    copy.reset();
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
    expected[0] = runs;
    EXPECT_EQ(read<cl_int>(seen, expected.size()), expected);
  }
}

TEST_F(DeviceEnqueue, TimesOfParentAndChild) {
  Program program = build_enqueuing(R"(
    void take_long(global int *to) {
      int x = 1;
      for (volatile int i = 0; i < 2000000; ++i) x += i;
      *to = x;
    }
    kernel void k(global int *to, global ulong *times) {
      clk_event_t event;
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 0, 0, &event, ^{
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ take_long(to); });
      });
      capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, times);
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, 0,
                     ^{ times[2] = times[0]; times[3] = times[1]; });
      release_event(event);
    })");
  Memory to = make_buffer(4), times = make_buffer(4 * sizeof(cl_ulong));
  write(times, std::vector<cl_ulong>(4));
  Event event = enqueue(program, "k", 1, 1, to, times);
  cl_event handle = event;
  ASSERT_EQ(clWaitForEvents(1, &handle), CL_SUCCESS);
  const auto got = read<cl_ulong>(times, 4);
  EXPECT_GT(got[0], 0u);
  EXPECT_GE(got[1], got[0] + 100'000); // the grandchild takes milliseconds
  EXPECT_EQ(got[2], got[0]);           // commands after the event see the times
  EXPECT_EQ(got[3], got[1]);
  auto time = [&](cl_profiling_info name) {
    cl_ulong value = 0;
    EXPECT_EQ(clGetEventProfilingInfo(event, name, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  };
  EXPECT_GE(time(CL_PROFILING_COMMAND_COMPLETE), time(CL_PROFILING_COMMAND_END) + 100'000);
  EXPECT_GE(time(CL_PROFILING_COMMAND_END), time(CL_PROFILING_COMMAND_START));
}

TEST_F(DeviceEnqueue, QueuesOfTheDevice) {
  Program program = build_enqueuing(R"(
    kernel void k(queue_t given, global int *seen) {
      queue_t usual = get_default_queue(), none = CLK_NULL_QUEUE;
      seen[0] = usual != CLK_NULL_QUEUE;
      seen[1] = given == usual;
      seen[2] = enqueue_kernel(given, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        enqueue_kernel(given, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ seen[4] = 42; });
      });
      seen[3] = enqueue_kernel(none, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ seen[4] = 43; });
    })");
  Queue other = make_device_queue(0, 1 << 20);
  EXPECT_EQ(queue_info<cl_uint>(other, CL_QUEUE_SIZE), 1u << 20);
  EXPECT_EQ(queue_info<cl_uint>(default_queue_, CL_QUEUE_SIZE),
            device_info<cl_uint>(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE));
  Queue again = make_device_queue(CL_QUEUE_ON_DEVICE_DEFAULT);
  EXPECT_EQ(again.get(), default_queue_.get());
  EXPECT_EQ(queue_info<cl_uint>(again, CL_QUEUE_REFERENCE_COUNT), 2u);
  Memory seen = make_buffer(5 * sizeof(cl_int));
  auto expect = [&](const Queue &given, cl_int is_default) {
    write(seen, std::vector<cl_int>(5, -1));
    ASSERT_EQ(run(program, "k", 1, 1, given, seen), CL_COMPLETE);
    EXPECT_EQ(read<cl_int>(seen, 5), (std::vector<cl_int>{1, is_default, 0, -101, 42}));
  };
  expect(default_queue_, 1);
  expect(other, 0);
  EXPECT_EQ(queue_info<cl_command_queue>(queue_, CL_QUEUE_DEVICE_DEFAULT), default_queue_.get());
  ASSERT_EQ(clSetDefaultDeviceCommandQueue(context_, device_, other), CL_SUCCESS);
  EXPECT_EQ(queue_info<cl_command_queue>(queue_, CL_QUEUE_DEVICE_DEFAULT), other.get());
  expect(other, 1);
  expect(default_queue_, 0);
  // A released queue does not exist, and a device without a default queue reports that.
  Kernel kernel = make_kernel(program, "k");
  set_arguments(kernel, other, seen);
  other.reset();
  EXPECT_EQ(queue_info<cl_command_queue>(queue_, CL_QUEUE_DEVICE_DEFAULT), nullptr);
  const size_t one = 1;
  write(seen, std::vector<cl_int>(5, -1));
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(read<cl_int>(seen, 5), (std::vector<cl_int>{0, 0, -101, -101, -1}));
}

// With -g the errors are specific.
TEST_F(DeviceEnqueue, ErrorsSayWhy) {
  const std::string source = R"(
    kernel void k(global int *codes, int n) {
      queue_t q = get_default_queue();
      clk_event_t null_event = CLK_NULL_EVENT, user = create_user_event(), *no_list = 0;
      void (^nothing)(void) = ^{ codes[100] = 1; };
      ndrange_t one = ndrange_1D(1), wrong = ndrange_1D(8, 4);
      codes[0] = enqueue_kernel(CLK_NULL_QUEUE, CLK_ENQUEUE_FLAGS_NO_WAIT, one, nothing);
      wrong.workDimension = 4;
      codes[1] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, wrong, nothing);
      codes[2] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1 << 20, 1 << 20), nothing);
      wrong = ndrange_1D(8, 4); wrong.workDimension = 2; wrong.globalWorkSize[1] = 4;
      codes[3] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, wrong, nothing);
      codes[4] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(~0ul, 8, 8), nothing);
      codes[5] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &null_event, no_list, nothing);
      codes[6] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 0, &user, no_list, nothing);
      codes[7] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, ^(local void *p) { codes[100] = 2; }, (uint)(n - n));
      codes[8] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, ^(local void *p) { codes[100] = 3; }, 1u << 30);
      codes[9] = enqueue_kernel(q, 17, one, nothing);
      codes[10] = enqueue_marker(CLK_NULL_QUEUE, 1, &user, no_list);
      codes[11] = enqueue_marker(q, 1, &null_event, no_list);
      set_user_event_status(user, CL_COMPLETE);
      codes[12] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &user, no_list, ^{ codes[101] = 1; });
      release_event(user);
      int enqueued = 0, failed = 0;
      while (enqueued < 100000 && !failed) {
        failed = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, one, ^{ atomic_inc(codes + 102); });
        enqueued += !failed;
      }
      codes[13] = failed;
      codes[14] = enqueued;
    })";
  default_queue_.reset();
  default_queue_ = make_device_queue(CL_QUEUE_ON_DEVICE_DEFAULT, 1 << 16);
  const std::vector<cl_int> why = {-102, -160, -160, -160, -160, -57, -57,
                                   -51,  -5,   -101, -102, -57,  0,   -161};
  for (bool with_g : {false, true}) {
    SCOPED_TRACE(with_g);
    Program program = build_enqueuing(source, with_g ? "-cl-std=CL3.0 -g" : "-cl-std=CL3.0");
    Memory codes = make_buffer(103 * sizeof(cl_int));
    write(codes, std::vector<cl_int>(103));
    ASSERT_EQ(run(program, "k", 1, 1, codes, 3), CL_COMPLETE);
    const auto got = read<cl_int>(codes, 103);
    for (size_t i = 0; i < why.size(); ++i)
      EXPECT_EQ(got[i], why[i] == 0 || with_g ? why[i] : -101) << i;
    EXPECT_EQ(got[100], 0);
    EXPECT_EQ(got[101], 1);
    EXPECT_GT(got[14], 10);
    EXPECT_LT(got[14], 1 << 16);
    EXPECT_EQ(got[102], got[14]) << "all that were taken have run";
  }
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_TRUE(was_reported("a kernel could not enqueue: queue is not a queue of the device"));
}

TEST_F(DeviceEnqueue, FailureOfAChildIsOneOfTheParent) {
  Program program = build_enqueuing(R"(
    kernel void faults(global int *to) {
      clk_event_t event;
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, 0, &event, ^{ *(global int *)16 = 1; });
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, 0, ^{ to[0] = 1; });
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ to[1] = 1; });
      release_event(event);
    }
    kernel void gives_up(global int *to) { // nobody can set it any more
      clk_event_t user = create_user_event();
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, 0, ^{ to[0] = 1; });
      release_event(user);
    }
    kernel void fails(global int *to) {
      clk_event_t user = create_user_event();
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &user, 0, ^{ to[0] = 1; });
      set_user_event_status(user, -7);
      release_event(user);
    })");
  Memory to = make_buffer(2 * sizeof(cl_int));
  write(to, std::vector<cl_int>(2));
  EXPECT_LT(run(program, "faults", 1, 1, to), 0);
  EXPECT_EQ(read<cl_int>(to, 2), (std::vector<cl_int>{0, 1}));
  EXPECT_LT(run(program, "gives_up", 1, 1, to), 0);
  EXPECT_LT(run(program, "fails", 1, 1, to), 0);
  EXPECT_EQ(read<cl_int>(to, 1)[0], 0);
  EXPECT_TRUE(was_reported("a kernel that it enqueued failed"));
}

// A kernel may wait for a block that it enqueues, and a group for another group's child.
TEST_F(DeviceEnqueue, ParentsMayWaitForChildren) {
  Program program = build_enqueuing(R"(
    kernel void waits(global atomic_int *flags) {
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        atomic_store_explicit(flags, 7, memory_order_release, memory_scope_device); });
      while (atomic_load_explicit(flags, memory_order_acquire, memory_scope_device) != 7);
      atomic_store_explicit(flags + 1, 8, memory_order_relaxed, memory_scope_device);
    }
    kernel void waits_for_group(global atomic_int *flags) {
      if (get_group_id(0) == 0)
        while (atomic_load_explicit(flags, memory_order_acquire, memory_scope_device) != 7);
      else if (get_group_id(0) == 1)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{
          atomic_store_explicit(flags, 7, memory_order_release, memory_scope_device); });
    }
    kernel void waits_in_vain(global atomic_int *flags) {
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
        atomic_store_explicit(flags, 7, memory_order_release, memory_scope_device); });
      while (atomic_load_explicit(flags, memory_order_acquire, memory_scope_device) != 7);
    })");
  Memory flags = make_buffer(2 * sizeof(cl_int));
  for (int round = 0; round < 20; ++round) {
    write(flags, std::vector<cl_int>(2));
    ASSERT_EQ(run(program, "waits", 1, 1, flags), CL_COMPLETE);
    ASSERT_EQ(read<cl_int>(flags, 2), (std::vector<cl_int>{7, 8}));
    write(flags, std::vector<cl_int>(2));
    ASSERT_EQ(run(program, "waits_for_group", 2, 1, flags), CL_COMPLETE);
  }
  write(flags, std::vector<cl_int>(2));
  EXPECT_EQ(run(program, "waits_in_vain", 1, 1, flags), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(was_reported("is deadlocked"));
}

TEST_F(DeviceEnqueue, QuestionsAboutBlocks) {
  Program program = build_enqueuing(R"(
    kernel void k(global uint *to) {
      void (^block)(void) = ^{ to[4] = 1; };
      to[0] = get_kernel_work_group_size(block);
      to[1] = get_kernel_preferred_work_group_size_multiple(block);
      to[2] = get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(100, 50), block);
      to[3] = get_kernel_sub_group_count_for_ndrange(ndrange_1D(100, 50), block);
      to[5] = get_kernel_work_group_size(^(local void *p) { *(local int *)p = to[4]; });
    })");
  Memory to = make_buffer(6 * sizeof(cl_uint));
  ASSERT_EQ(run(program, "k", 1, 1, to), CL_COMPLETE);
  const auto got = read<cl_uint>(to, 6);
  const size_t most = device_info<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  EXPECT_GT(got[0], 0u);
  EXPECT_LE(got[0], most);
  EXPECT_GT(got[1], 0u);
  EXPECT_EQ(got[0] % got[1], 0u);
  ASSERT_GT(got[2], 0u);
  EXPECT_LE(got[2], 50u);
  EXPECT_EQ(got[3], (50 + got[2] - 1) / got[2]);
  EXPECT_GT(got[5], 0u);
}

// Blocks are not kernels of the program, but its binaries contain them.
TEST_F(DeviceEnqueue, BlocksArePartOfTheProgram) {
  Program program = build_enqueuing(R"(
    static void helper(global int *to) {
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ *to = 42; });
    }
    kernel void k(global int *to) { helper(to); })");
  auto expect = [&](cl_program of) {
    size_t count = 0;
    char names[100] = "";
    EXPECT_EQ(clGetProgramInfo(of, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(clGetProgramInfo(of, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, nullptr),
              CL_SUCCESS);
    EXPECT_STREQ(names, "k");
    Memory to = make_buffer(4);
    write(to, std::vector<cl_int>{0});
    EXPECT_EQ(run(of, "k", 1, 1, to), CL_COMPLETE);
    EXPECT_EQ(read<cl_int>(to, 1)[0], 42);
  };
  expect(program);
  size_t size = 0;
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
            CL_SUCCESS);
  std::vector<unsigned char> binary(size);
  unsigned char *binaries[] = {binary.data()};
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, nullptr),
            CL_SUCCESS);
  const unsigned char *given[] = {binary.data()};
  cl_int status = 1;
  Program loaded(clCreateProgramWithBinary(context_, 1, &device_, &size, given, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(loaded, 1, &device_, "", nullptr, nullptr), CL_SUCCESS);
  expect(loaded);
  // Two objects whose blocks would have the same name.
  const char *const sources[] = {
      "static void f(global int *to) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ "
      "to[0] = 1; }); }"
      "void g(global int *to) { f(to); }",
      "static void f(global int *to) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ "
      "to[1] = 2; }); }"
      "void g(global int *to); kernel void both(global int *to) { f(to); g(to); }"};
  std::vector<Program> objects;
  std::vector<cl_program> handles;
  for (const char *source : sources) {
    objects.emplace_back(clCreateProgramWithSource(context_, 1, &source, nullptr, &status));
    ASSERT_EQ(clCompileProgram(objects.back(), 0, nullptr, "-cl-std=CL3.0", 0, nullptr, nullptr,
                               nullptr, nullptr),
              CL_SUCCESS);
    handles.push_back(objects.back());
  }
  Program linked(
      clLinkProgram(context_, 0, nullptr, "", 2, handles.data(), nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  Memory to = make_buffer(8);
  write(to, std::vector<cl_int>(2));
  ASSERT_EQ(run(linked, "both", 1, 1, to), CL_COMPLETE);
  EXPECT_EQ(read<cl_int>(to, 2), (std::vector<cl_int>{1, 2}));
}

TEST_F(DeviceEnqueue, QueriesSaySo) {
  EXPECT_EQ(
      device_info<cl_device_device_enqueue_capabilities>(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES),
      cl_device_device_enqueue_capabilities{CL_DEVICE_QUEUE_SUPPORTED |
                                            CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT});
  EXPECT_EQ(device_info<cl_command_queue_properties>(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES),
            cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                        CL_QUEUE_PROFILING_ENABLE});
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE), 16u << 10);
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE), 256u << 10);
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_MAX_ON_DEVICE_QUEUES), 1u);
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_MAX_ON_DEVICE_EVENTS), 1024u);
  // The device allows exactly as many queues as it reports.
  std::vector<Queue> queues;
  const cl_uint most = device_info<cl_uint>(CL_DEVICE_MAX_ON_DEVICE_QUEUES);
  while (queues.size() < most)
    queues.push_back(make_device_queue(0));
  const cl_queue_properties list[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_int status = 1;
  EXPECT_EQ(clCreateCommandQueueWithProperties(context_, device_, list, &status), nullptr);
  EXPECT_EQ(status, CL_OUT_OF_RESOURCES);
  queues.pop_back();
  make_device_queue(0);
}

} // namespace
