// Tests pipes: each packet is read once, in order where the specification guarantees an order, and
// a full pipe accepts no packet. Work-items, groups and sub-groups access pipes, with and without
// reservations. A queue in the host is the model.
#include "kernel_arguments.h"

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <random>

using namespace lockstep::test;

namespace {

class Pipe : public DeviceTest {
protected:
  Memory make_pipe(cl_uint packet_size, cl_uint max_packets, cl_mem_flags flags = 0) {
    cl_int status = 1;
    Memory pipe(clCreatePipe(context_, flags, packet_size, max_packets, nullptr, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return pipe;
  }
  Program build_pipes(const std::string &source) { return build(source.c_str(), "-cl-std=CL3.0"); }

  // Waits for the kernel, as reads do.
  template <class... Arguments>
  void run(cl_program program, const char *name, size_t global, size_t local,
           const Arguments &...arguments) {
    enqueue_kernel(queue_, make_kernel(program, name), global, local, arguments...);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  }
};

TEST_F(Pipe, OneWorkItemSeesAQueueOfLimitedLength) {
  Program program = build_pipes(R"(
    kernel void put(write_only pipe int p, global int *result, int first, int count) {
      for (int i = 0; i < count; ++i) {
        int packet = first + i;
        result[i] = write_pipe(p, &packet);
      }
      result[count] = get_pipe_num_packets(p);
      result[count + 1] = get_pipe_max_packets(p);
    }
    kernel void take(read_only pipe int p, global int *result, int count) {
      for (int i = 0; i < count; ++i) {
        int packet = -7;
        int failed = read_pipe(p, &packet);
        result[i] = failed < 0 ? -1 : packet;
      }
      result[count] = get_pipe_num_packets(p);
      result[count + 1] = get_pipe_max_packets(p);
    })");
  Memory result = make_buffer(100 * sizeof(cl_int));
  std::mt19937 random(1);
  for (cl_uint capacity : {1u, 2u, 3u, 5u, 8u, 13u}) {
    Memory pipe = make_pipe(sizeof(cl_int), capacity);
    std::deque<cl_int> model;
    for (int round = 0, next = 0; round < 40; ++round) {
      int count = int(random() % (capacity + 3));
      run(program, "put", 1, 1, pipe, result, next, count);
      std::vector<cl_int> got = read<cl_int>(result, count + 2);
      for (int i = 0; i < count; ++i) {
        const bool fits = model.size() < capacity;
        EXPECT_EQ(got[i] == 0, fits);
        EXPECT_LE(got[i], 0);
        if (fits)
          model.push_back(next + i);
      }
      EXPECT_EQ(got[count], cl_int(model.size()));
      EXPECT_EQ(got[count + 1], cl_int(capacity));
      next += count;
      count = int(random() % (capacity + 3));
      run(program, "take", 1, 1, pipe, result, count);
      got = read<cl_int>(result, count + 2);
      for (int i = 0; i < count; ++i) {
        EXPECT_EQ(got[i], model.empty() ? -1 : model.front());
        if (!model.empty())
          model.pop_front();
      }
      EXPECT_EQ(got[count], cl_int(model.size()));
      EXPECT_EQ(got[count + 1], cl_int(capacity));
    }
  }
}

// Tests packets of every size. A packet holds its work-item's number, spread over all bytes.
TEST_F(Pipe, EveryPacketComesOutOnce) {
  struct Type {
    const char *definition;
    cl_uint size;
  };
  const Type types[] = {{"typedef uchar T;", 1},
                        {"typedef ushort T;", 2},
                        {"typedef float T;", 4},
                        {"typedef int3 T;", 16},
                        {"typedef struct { int a; char b[8]; } T;", 12},
                        {"typedef double8 T;", 64},
                        {"typedef struct { int a[256]; } T;", 1024}};
  constexpr size_t items = 1000;
  for (const Type &type : types) {
    SCOPED_TRACE(type.definition);
    Program program = build_pipes(std::string(type.definition) + R"(
      kernel void put(write_only pipe T p, global const uchar *bytes, global int *failed) {
        T packet;
        for (uint i = 0; i < sizeof(T); ++i)
          ((uchar *)&packet)[i] = bytes[get_global_id(0) * sizeof(T) + i];
        failed[get_global_id(0)] = write_pipe(p, &packet);
      }
      kernel void take(read_only pipe T p, global uchar *bytes, global int *failed) {
        T packet;
        failed[get_global_id(0)] = read_pipe(p, &packet);
        for (uint i = 0; i < sizeof(T); ++i)
          bytes[get_global_id(0) * sizeof(T) + i] = ((uchar *)&packet)[i];
      })");
    std::vector<std::vector<cl_uchar>> packets(items, std::vector<cl_uchar>(type.size));
    std::mt19937 random(2);
    std::vector<cl_uchar> in;
    for (auto &packet : packets) {
      for (cl_uchar &byte : packet)
        byte = cl_uchar(random());
      in.insert(in.end(), packet.begin(), packet.end());
    }
    Memory from = make_buffer(in.size()), to = make_buffer(in.size()),
           failed = make_buffer(items * sizeof(cl_int)), pipe = make_pipe(type.size, items);
    write(from, in);
    const std::vector<cl_int> none(items, 0);
    run(program, "put", items, 0, pipe, from, failed);
    EXPECT_EQ(read<cl_int>(failed, items), none);
    run(program, "take", items, 0, pipe, to, failed);
    EXPECT_EQ(read<cl_int>(failed, items), none);
    const std::vector<cl_uchar> out = read<cl_uchar>(to, in.size());
    std::vector<std::vector<cl_uchar>> got;
    for (size_t i = 0; i < items; ++i)
      got.emplace_back(&out[i * type.size], &out[i * type.size] + type.size);
    std::ranges::sort(packets);
    std::ranges::sort(got);
    EXPECT_EQ(got, packets);
  }
}

TEST_F(Pipe, AFullPipeTakesWhatFitsFromManyWorkItems) {
  Program program = build_pipes(R"(
    kernel void put(write_only pipe int p, global int *failed) {
      int packet = get_global_id(0);
      failed[packet] = write_pipe(p, &packet);
    }
    kernel void take(read_only pipe int p, global int *out) {
      int packet;
      if (read_pipe(p, &packet) == 0)
        atomic_inc(&out[packet]);
    })");
  constexpr size_t items = 5000;
  constexpr cl_uint capacity = 1234;
  Memory pipe = make_pipe(4, capacity), failed = make_buffer(items * 4),
         out = make_buffer(items * 4);
  for (int round = 0; round < 5; ++round) { // the ring buffer wraps around
    run(program, "put", items, 0, pipe, failed);
    const std::vector<cl_int> has_failed = read<cl_int>(failed, items);
    EXPECT_EQ(std::ranges::count(has_failed, 0), capacity);
    write(out, std::vector<cl_int>(items, 0));
    run(program, "take", items, 0, pipe, out);
    const std::vector<cl_int> times = read<cl_int>(out, items);
    for (size_t i = 0; i < items; ++i)
      ASSERT_EQ(times[i], has_failed[i] == 0) << i;
  }
}

// Reservations of 3 packets each: the packets of one are adjacent, or the reservation fails.
TEST_F(Pipe, ReservationsOfWorkItemsAreContiguous) {
  Program program = build_pipes(R"(
    kernel void put(write_only pipe int2 p, global int *valid) {
      int me = get_global_id(0);
      reserve_id_t id = reserve_write_pipe(p, 3);
      valid[me] = is_valid_reserve_id(id);
      if (is_valid_reserve_id(id)) {
        for (int i = 2; i >= 0; --i) {
          int2 packet = (int2)(me, i);
          if (write_pipe(p, id, i, &packet) != 0)
            valid[me] = -1;
        }
        int2 beyond = (int2)(me, 99);
        if (write_pipe(p, id, 3, &beyond) >= 0)
          valid[me] = -2;
        commit_write_pipe(p, id);
      }
    }
    kernel void take(read_only pipe int2 p, global int2 *out, global int *valid) {
      int me = get_global_id(0);
      reserve_id_t id = reserve_read_pipe(p, 6);
      valid[me] = is_valid_reserve_id(id);
      if (is_valid_reserve_id(id)) {
        for (int i = 0; i < 6; ++i)
          if (read_pipe(p, id, i, &out[6 * me + i]) != 0)
            valid[me] = -1;
        int2 beyond;
        if (read_pipe(p, id, 6, &beyond) >= 0)
          valid[me] = -2;
        commit_read_pipe(p, id);
      }
    })");
  constexpr size_t items = 600;
  constexpr cl_uint capacity = 1000; // 333 write reservations, 166 read reservations
  Memory valid = make_buffer(items * 4), out = make_buffer(6 * items * sizeof(cl_int2));
  Memory pipe = make_pipe(sizeof(cl_int2), capacity);
  for (int round = 0; round < 3; ++round) {
    run(program, "put", items, 0, pipe, valid);
    std::vector<cl_int> wrote = read<cl_int>(valid, items);
    // The previous iteration left 3 packets.
    EXPECT_EQ(std::ranges::count(wrote, 1), round == 0 ? 333 : 332);
    EXPECT_EQ(std::ranges::count(wrote, 0), cl_int(items) - (round == 0 ? 333 : 332));
    run(program, "take", items, 0, pipe, out, valid);
    const std::vector<cl_int> got = read<cl_int>(valid, items);
    EXPECT_EQ(std::ranges::count(got, 1), 166);
    EXPECT_EQ(std::ranges::count(got, 0), cl_int(items) - 166);
    const auto packets = read<cl_int2>(out, 6 * items);
    for (size_t me = 0; me < items; ++me)
      for (size_t i = 0; got[me] == 1 && i < 6; ++i) {
        ASSERT_EQ(packets[6 * me + i].s[1], cl_int(i % 3));
        ASSERT_EQ(packets[6 * me + i].s[0], packets[6 * me + i / 3 * 3].s[0]);
      }
  }
}

TEST_F(Pipe, WhatIsReservedIsNotThereBeforeTheCommit) {
  Program program = build_pipes(R"(
    kernel void put(write_only pipe int p, global int *seen) {
      reserve_id_t first = reserve_write_pipe(p, 2), second = reserve_write_pipe(p, 1);
      seen[0] = get_pipe_num_packets(p);
      int packet = 30;
      write_pipe(p, second, 0, &packet);
      commit_write_pipe(p, second);
      seen[1] = get_pipe_num_packets(p);
      packet = 10; write_pipe(p, first, 0, &packet);
      packet = 20; write_pipe(p, first, 1, &packet);
      packet = 11; write_pipe(p, first, 0, &packet);
      commit_write_pipe(p, first);
      seen[2] = get_pipe_num_packets(p);
      seen[3] = is_valid_reserve_id(reserve_write_pipe(p, 2));
      seen[4] = is_valid_reserve_id(reserve_write_pipe(p, 0xffffffffu));
    }
    kernel void take(read_only pipe int p, global int *seen) {
      reserve_id_t first = reserve_read_pipe(p, 2), second = reserve_read_pipe(p, 1);
      seen[0] = get_pipe_num_packets(p);
      read_pipe(p, second, 0, &seen[1]);
      commit_read_pipe(p, second);
      seen[2] = get_pipe_num_packets(p);
      read_pipe(p, first, 0, &seen[3]);
      read_pipe(p, first, 1, &seen[4]);
      read_pipe(p, first, 0, &seen[5]);
      commit_read_pipe(p, first);
      seen[6] = get_pipe_num_packets(p);
      seen[7] = is_valid_reserve_id(reserve_read_pipe(p, 1));
    })");
  Memory pipe = make_pipe(4, 4), seen = make_buffer(8 * 4);
  run(program, "put", 1, 1, pipe, seen);
  EXPECT_EQ(read<cl_int>(seen, 5), (std::vector<cl_int>{0, 1, 3, 0, 0}));
  run(program, "take", 1, 1, pipe, seen);
  EXPECT_EQ(read<cl_int>(seen, 8), (std::vector<cl_int>{3, 30, 2, 11, 20, 11, 0, 0}));
}

// Each group reserves as a whole: its packets are adjacent, ordered by their indices.
TEST_F(Pipe, ReservationsOfWorkGroups) {
  Program program = build_pipes(R"(
    kernel void put(write_only pipe int2 p, global int *valid) {
      size_t group = get_group_id(0), items = get_local_size(0);
      local reserve_id_t kept[2];
      for (int round = 0; round < 2; ++round) {
        reserve_id_t id = work_group_reserve_write_pipe(p, items);
        kept[round] = id;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (is_valid_reserve_id(kept[round])) {
          int2 packet = (int2)(2 * group + round, get_local_id(0));
          write_pipe(p, kept[round], items - 1 - get_local_id(0), &packet);
          work_group_commit_write_pipe(p, kept[round]);
        }
        valid[get_global_id(0)] = is_valid_reserve_id(id);
      }
    }
    kernel void take(read_only pipe int2 p, global int2 *out, global int *valid) {
      size_t items = get_local_size(0);
      reserve_id_t id = work_group_reserve_read_pipe(p, items);
      valid[get_global_id(0)] = is_valid_reserve_id(id);
      if (is_valid_reserve_id(id)) {
        read_pipe(p, id, get_local_id(0), &out[get_global_id(0)]);
        work_group_commit_read_pipe(p, id);
      }
    })");
  for (size_t local : {1u, 5u, 16u, 63u, 200u}) {
    SCOPED_TRACE(local);
    constexpr size_t groups = 30;
    const size_t items = groups * local;
    Memory pipe = make_pipe(sizeof(cl_int2), cl_uint(2 * items)), valid = make_buffer(items * 4),
           out = make_buffer(items * sizeof(cl_int2));
    run(program, "put", items, local, pipe, valid);
    EXPECT_EQ(read<cl_int>(valid, items), std::vector<cl_int>(items, 1));
    std::vector<int> times(2 * groups);
    for (int round = 0; round < 3; ++round) {
      run(program, "take", items, local, pipe, out, valid);
      ASSERT_EQ(read<cl_int>(valid, items), std::vector<cl_int>(items, round < 2));
      if (round == 2)
        break; // the pipe is empty
      const auto got = read<cl_int2>(out, items);
      for (size_t i = 0; i < items; ++i) {
        ASSERT_EQ(got[i].s[0], got[i / local * local].s[0]);
        ASSERT_EQ(got[i].s[1], cl_int(local - 1 - i % local));
        times[got[i].s[0]] += i % local == 0;
      }
    }
    EXPECT_EQ(times, std::vector<int>(2 * groups, 1));
  }
}

// Every other sub-group writes: full sub-groups, and the last one, which is smaller.
TEST_F(Pipe, ReservationsOfSubGroups) {
  for (size_t width : sub_group_sizes()) {
    SCOPED_TRACE(width);
    Program program = build_pipes("#define WIDTH __attribute__((intel_reqd_sub_group_size(" +
                                  std::to_string(width) + R"()))
      WIDTH kernel void put(write_only pipe int4 p, global int *valid) {
        int me = get_global_id(0);
        valid[me] = 2;
        if (get_sub_group_id() % 2 == 0) {
          reserve_id_t id = sub_group_reserve_write_pipe(p, get_sub_group_size());
          valid[me] = is_valid_reserve_id(id);
          int4 packet = (int4)(get_group_id(0), get_sub_group_id(), get_sub_group_local_id(), 0);
          if (is_valid_reserve_id(id)) {
            write_pipe(p, id, get_sub_group_local_id(), &packet);
            sub_group_commit_write_pipe(p, id);
          }
        }
      }
      WIDTH kernel void take(read_only pipe int4 p, global int4 *out, global int *valid) {
        reserve_id_t id = sub_group_reserve_read_pipe(p, 1);
        valid[get_global_id(0)] = is_valid_reserve_id(id);
        if (is_valid_reserve_id(id)) {
          read_pipe(p, id, 0, &out[get_global_id(0)]);
          sub_group_commit_read_pipe(p, id);
        }
      })");
    constexpr size_t groups = 7, local = 75;
    std::vector<cl_int> writes;
    for (size_t i = 0; i < local; ++i)
      writes.push_back(i / width % 2 == 0 ? 1 : 2);
    const auto writers = size_t(std::ranges::count(writes, 1));
    Memory pipe = make_pipe(sizeof(cl_int4), cl_uint(groups * writers)),
           valid = make_buffer(groups * local * 4);
    run(program, "put", groups * local, local, pipe, valid);
    const std::vector<cl_int> got = read<cl_int>(valid, groups * local);
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], writes[i % local]);
    // One work-group with as many sub-groups as packets; each sub-group reads one packet.
    const size_t count = groups * writers;
    Memory out = make_buffer(count * sizeof(cl_int4)), read_valid = make_buffer(count * 4);
    run(program, "take", count, 1, pipe, out, read_valid);
    EXPECT_EQ(read<cl_int>(read_valid, count), std::vector<cl_int>(count, 1));
    std::vector<std::array<cl_int, 3>> seen, wanted;
    for (const cl_int4 &packet : read<cl_int4>(out, count))
      seen.push_back({packet.s[0], packet.s[1], packet.s[2]});
    for (size_t group = 0; group < groups; ++group)
      for (size_t i = 0; i < local; ++i)
        if (writes[i] == 1)
          wanted.push_back({cl_int(group), cl_int(i / width), cl_int(i % width)});
    std::ranges::sort(seen);
    EXPECT_EQ(seen, wanted);
  }
}

// Reservations as values: in arrays and structures, through functions with pipe parameters, across
// a barrier.
TEST_F(Pipe, ReservationsAndPipesInPrograms) {
  Program program = build_pipes(R"(
    typedef struct { int index; reserve_id_t ids[2]; } Kept;
    __attribute__((noinline)) void put_one(write_only pipe int to, Kept *kept, int value) {
      write_pipe(to, kept->ids[kept->index], 0, &value);
      commit_write_pipe(to, kept->ids[kept->index]);
    }
    kernel void put(write_only pipe int p, write_only pipe int q, global int *out) {
      Kept kept;
      kept.ids[0] = reserve_write_pipe(p, 1);
      kept.ids[1] = reserve_write_pipe(q, 1);
      barrier(CLK_GLOBAL_MEM_FENCE);
      int me = get_global_id(0);
      kept.index = 0;
      put_one(p, &kept, me);
      kept.index = 1;
      put_one(q, &kept, me + 1000);
      out[me] = sizeof(kept.ids[0]);
    }
    kernel void take(read_only pipe int p, read_only pipe int q, global int *out) {
      int a = 0, b = 0;
      read_pipe(p, &a);
      read_pipe(q, &b);
      atomic_add(&out[a], 1);
      atomic_add(&out[b], 1);
    })");
  constexpr size_t items = 256;
  Memory p = make_pipe(4, items), q = make_pipe(4, items), out = make_buffer(2000 * 4);
  run(program, "put", items, 32, p, q, out);
  write(out, std::vector<cl_int>(2000, 0));
  run(program, "take", items, 32, p, q, out);
  std::vector<cl_int> wanted(2000, 0);
  for (size_t i = 0; i < items; ++i)
    wanted[i] = wanted[1000 + i] = 1;
  EXPECT_EQ(read<cl_int>(out, 2000), wanted);
}

// The specification does not define concurrent kernels that share a pipe; Lockstep supports them.
TEST_F(Pipe, ConsumersMayWaitForProducersOfAnotherQueue) {
  Program program = build_pipes(R"(
    kernel void put(write_only pipe int p) {
      for (int i = 0; i < 20; ++i) {
        int packet = 20 * get_global_id(0) + i;
        while (write_pipe(p, &packet) != 0);
      }
    }
    kernel void take(read_only pipe int p, global int *times) {
      for (int i = 0; i < 20; ++i) {
        int packet;
        while (read_pipe(p, &packet) != 0);
        atomic_inc(&times[packet]);
      }
    })");
  constexpr size_t items = 64, local = 8;
  Memory pipe = make_pipe(4, 37), times = make_buffer(items * 20 * 4);
  write(times, std::vector<cl_int>(items * 20, 0));
  Queue other = make_queue(0);
  Kernel put = make_kernel(program, "put"), take = make_kernel(program, "take");
  set_arguments(put, pipe);
  set_arguments(take, pipe, times);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, take, 1, nullptr, &items, &local, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clFlush(queue_), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(other, put, 1, nullptr, &items, &local, 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clFinish(other), CL_SUCCESS);
  EXPECT_EQ(read<cl_int>(times, items * 20), std::vector<cl_int>(items * 20, 1));
}

TEST_F(Pipe, Queries) {
  EXPECT_EQ(device_info<cl_bool>(CL_DEVICE_PIPE_SUPPORT), CL_TRUE);
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_MAX_PIPE_ARGS), 16u);
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS), 1u);
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_PIPE_MAX_PACKET_SIZE), 1024u);
  Memory pipe = make_pipe(24, 100);
  cl_uint value = 0;
  size_t size = 77;
  EXPECT_EQ(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof value, &value, &size), CL_SUCCESS);
  EXPECT_EQ(value, 24u);
  EXPECT_EQ(size, sizeof value);
  EXPECT_EQ(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof value, &value, nullptr), CL_SUCCESS);
  EXPECT_EQ(value, 100u);
  EXPECT_EQ(clGetPipeInfo(pipe, CL_PIPE_PROPERTIES, 0, nullptr, &size), CL_SUCCESS);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(memory_info<cl_mem_object_type>(pipe, CL_MEM_TYPE),
            cl_mem_object_type(CL_MEM_OBJECT_PIPE));
  EXPECT_EQ(memory_info<cl_mem_flags>(pipe, CL_MEM_FLAGS),
            cl_mem_flags(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS));
  EXPECT_GE(memory_info<size_t>(pipe, CL_MEM_SIZE), 2400u);
  EXPECT_EQ(memory_info<cl_mem_flags>(make_pipe(4, 4, CL_MEM_READ_WRITE), CL_MEM_FLAGS),
            cl_mem_flags(CL_MEM_READ_WRITE));
}

TEST_F(Pipe, ArgumentsAreTold) {
  Program program = build("kernel void k(read_only pipe int4 from, write_only pipe uint to) {}",
                          "-cl-std=CL3.0 -cl-kernel-arg-info");
  Kernel kernel = make_kernel(program, "k");
  for (cl_uint index : {0u, 1u}) {
    cl_kernel_arg_type_qualifier qualifier = 0;
    EXPECT_EQ(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier,
                                 &qualifier, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(qualifier, cl_kernel_arg_type_qualifier(CL_KERNEL_ARG_TYPE_PIPE));
    cl_kernel_arg_access_qualifier access = 0;
    EXPECT_EQ(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access,
                                 &access, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(access, cl_kernel_arg_access_qualifier(index == 0 ? CL_KERNEL_ARG_ACCESS_READ_ONLY
                                                                : CL_KERNEL_ARG_ACCESS_WRITE_ONLY));
    char name[16];
    EXPECT_EQ(
        clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, nullptr),
        CL_SUCCESS);
    EXPECT_STREQ(name, index == 0 ? "int4" : "uint");
  }
}

} // namespace
