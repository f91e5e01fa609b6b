// Tests extensions of OpenCL C that add a few builtins each: bit-fields, dot products of bytes,
// copies of lines and planes, clocks. Also tests the hints for queues.
#include "opencl_fixture.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>

namespace lockstep::test {
namespace {

class SmallExtensions : public DeviceTest {
protected:
  // Runs kernel k of the source over `global` work-items in groups of `local`.
  template <class Out, class In>
  std::vector<Out> run(const std::string &source, const std::vector<In> &in, size_t out_count,
                       size_t global, size_t local = 0, const char *options = "-cl-std=CL3.0") {
    Program program = build(source.c_str(), options);
    Kernel kernel = make_kernel(program, "k");
    Memory from = make_buffer(in.size() * sizeof(In)), to = make_buffer(out_count * sizeof(Out));
    write(from, in);
    write(to, std::vector<Out>(out_count, Out(0x55)));
    cl_mem buffers[] = {from, to};
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffers[1]), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, local ? &local : nullptr,
                                     0, nullptr, nullptr),
              CL_SUCCESS);
    return read<Out>(to, out_count);
  }

  template <class T>
  void check_bit_fields(const std::string &type, const std::string &of_signed,
                        const std::string &of_unsigned);
};

// ---- cl_khr_extended_bit_ops: bit by bit, for every offset and count ----

template <class T> bool bit(T value, unsigned number) {
  return uint64_t(value) >> number & 1;
}

// The value whose bit `i` is bits(i).
template <class T, class Bits> T with_bits(const Bits &bits) {
  uint64_t value = 0;
  for (unsigned i = 0; i != sizeof(T) * 8; ++i)
    value |= uint64_t(bits(i)) << i;
  return T(value);
}

template <class T> T inserted(T base, T insert, unsigned offset, unsigned count) {
  return with_bits<T>([&](unsigned i) {
    return i >= offset && i < offset + count ? bit(insert, i - offset) : bit(base, i);
  });
}
template <class T> T extracted(T base, unsigned offset, unsigned count, bool with_sign) {
  const bool sign = with_sign && count != 0 && bit(base, offset + count - 1);
  return with_bits<T>([&](unsigned i) { return i < count ? bit(base, offset + i) : sign; });
}
template <class T> T reversed(T base) {
  return with_bits<T>([&](unsigned i) { return bit(base, sizeof(T) * 8 - 1 - i); });
}

// For each pair of offset and count: 16 elements of each of 4 results.
template <class T>
void SmallExtensions::check_bit_fields(const std::string &type, const std::string &of_signed,
                                       const std::string &of_unsigned) {
  constexpr unsigned width = sizeof(T) * 8, fields = (width + 1) * (width + 1);
  std::vector<T> in(32);
  std::mt19937_64 random(width);
  for (T &one : in)
    one = T(random());
  in[0] = std::numeric_limits<T>::min();
  in[1] = std::numeric_limits<T>::max();
  for (const char *n : {"", "2", "3", "4", "8", "16"}) {
    const unsigned elements = *n ? unsigned(std::atoi(n)) : 1;
    const std::string load = *n ? std::string("vload") + n + "(0, " : "*(", count = n;
    auto store = [&](const std::string &value, const std::string &result_type, int place) {
      const std::string to =
          "(global " + result_type + " *)out + i * 64 + " + std::to_string(place * 16);
      return *n ? "vstore" + count + "(" + value + ", 0, " + to + ");\n"
                : "*(" + to + ") = " + value + ";\n";
    };
    const std::string source =
        "kernel void k(global const " + type + " *in, global " + type + " *out) {\n" +
        "size_t i = get_global_id(0); uint offset = i / " + std::to_string(width + 1) +
        ", count = i % " + std::to_string(width + 1) + ";\n" + "if (offset + count > " +
        std::to_string(width) + ") return;\n" + type + count + " a = " + load + "in), b = " + load +
        "in + 16);\n" + of_signed + count + " s = bitfield_extract_signed(a, offset, count);\n" +
        of_unsigned + count + " u = bitfield_extract_unsigned(a, offset, count);\n" +
        store("bitfield_insert(a, b, offset, count)", type, 0) + store("s", of_signed, 1) +
        store("u", of_unsigned, 2) + store("bit_reverse(a)", type, 3) + "}";
    auto out = run<T>(source, in, fields * 64, fields);
    for (unsigned field = 0; field != fields; ++field) {
      const unsigned offset = field / (width + 1), bits = field % (width + 1);
      if (offset + bits > width)
        continue;
      for (unsigned i = 0; i != elements; ++i) {
        const T *results = &out[field * 64 + i];
        ASSERT_EQ(results[0], inserted(in[i], in[16 + i], offset, bits))
            << type << n << " " << i << ": " << offset << ", " << bits;
        ASSERT_EQ(results[16], extracted(in[i], offset, bits, true))
            << type << n << " " << i << ": " << offset << ", " << bits;
        ASSERT_EQ(results[32], extracted(in[i], offset, bits, false))
            << type << n << " " << i << ": " << offset << ", " << bits;
        ASSERT_EQ(results[48], reversed(in[i])) << type << n << " " << i;
      }
    }
  }
}

TEST_F(SmallExtensions, BitFieldsOfBytes) {
  check_bit_fields<cl_char>("char", "char", "uchar");
  check_bit_fields<cl_uchar>("uchar", "char", "uchar");
}
TEST_F(SmallExtensions, BitFieldsOfShorts) {
  check_bit_fields<cl_short>("short", "short", "ushort");
  check_bit_fields<cl_ushort>("ushort", "short", "ushort");
}
TEST_F(SmallExtensions, BitFieldsOfIntegers) {
  check_bit_fields<cl_int>("int", "int", "uint");
  check_bit_fields<cl_uint>("uint", "int", "uint");
}
TEST_F(SmallExtensions, BitFieldsOfLongIntegers) {
  check_bit_fields<cl_long>("long", "long", "ulong");
  check_bit_fields<cl_ulong>("ulong", "long", "ulong");
}

// ---- cl_khr_integer_dot_product ----

int64_t byte_of(uint32_t packed, int number, bool is_signed) {
  const auto byte = uint8_t(packed >> 8 * number);
  return is_signed ? int64_t(int8_t(byte)) : byte;
}

// Returns the dot product plus the accumulator, computed without overflow and then saturated.
uint32_t dot_product(uint32_t a, uint32_t b, bool a_signed, bool b_signed, int64_t accumulator) {
  int64_t sum = accumulator;
  for (int i = 0; i != 4; ++i)
    sum += byte_of(a, i, a_signed) * byte_of(b, i, b_signed);
  if (!a_signed && !b_signed)
    return uint32_t(std::clamp<int64_t>(sum, 0, UINT32_MAX));
  return uint32_t(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
}

TEST_F(SmallExtensions, DotProductsOfBytes) {
  EXPECT_EQ(device_info<cl_device_integer_dot_product_capabilities_khr>(
                CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR),
            cl_bitfield(CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR |
                        CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR));
  for (cl_device_info query :
       {CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR}) {
    auto accelerated =
        device_info<cl_device_integer_dot_product_acceleration_properties_khr>(query);
    EXPECT_LE(accelerated.signed_accelerated, CL_TRUE);
    EXPECT_LE(accelerated.accumulating_saturating_mixed_signedness_accelerated, CL_TRUE);
  }

  constexpr size_t items = 4096;
  std::mt19937 random(2);
  std::vector<cl_uint> in;
  for (size_t i = 0; i != items * 3; ++i)
    in.push_back(uint32_t(random()));
  const cl_uint extremes[] = {0, 0x80808080, 0x7f7f7f7f, 0xffffffff, 0x7fffffff, 0x80000000};
  size_t place = 0;
  for (cl_uint a : extremes)
    for (cl_uint b : extremes)
      for (cl_uint c : extremes)
        for (cl_uint one : {a, b, c})
          in[place++] = one;
  const std::string kinds[] = {"uu", "ss", "us", "su"};
  std::string source = "#if !defined(cl_khr_integer_dot_product) || "
                       "!defined(__opencl_c_integer_dot_product_input_4x8bit) || "
                       "!defined(__opencl_c_integer_dot_product_input_4x8bit_packed)\n"
                       "#error a macro is missing\n#endif\n"
                       "kernel void k(global const uint *in, global uint *out) {\n"
                       "size_t i = get_global_id(0); uint a = in[i * 3], b = in[i * 3 + 1], "
                       "c = in[i * 3 + 2]; out += i * 16;\n";
  for (const std::string &kind : kinds) {
    const std::string result = kind == "uu" ? "uint" : "int",
                      first = kind[0] == 'u' ? "as_uchar4(a)" : "as_char4(a)",
                      second = kind[1] == 'u' ? "as_uchar4(b)" : "as_char4(b)";
    source += "{ " + result + " x = dot(" + first + ", " + second + "), y = dot_acc_sat(" + first +
              ", " + second + ", (" + result + ")c), z = dot_4x8packed_" + kind + "_" + result +
              "(a, b), w = dot_acc_sat_4x8packed_" + kind + "_" + result + "(a, b, (" + result +
              ")c); *out++ = x; *out++ = y; *out++ = z; *out++ = w; }\n";
  }
  for (const char *options : {"-cl-std=CL3.0", "-cl-std=CL1.2"}) {
    auto out = run<cl_uint>(source + "}", in, items * 16, items, 0, options);
    for (size_t i = 0; i != items; ++i)
      for (size_t kind = 0; kind != 4; ++kind) {
        const bool a_signed = kinds[kind][0] == 's', b_signed = kinds[kind][1] == 's';
        const cl_uint a = in[i * 3], b = in[i * 3 + 1], c = in[i * 3 + 2];
        const cl_uint without = dot_product(a, b, a_signed, b_signed, 0);
        const cl_uint with =
            dot_product(a, b, a_signed, b_signed, kind == 0 ? int64_t(c) : int64_t(cl_int(c)));
        const cl_uint *results = &out[i * 16 + kind * 4];
        ASSERT_EQ(results[0], without) << kinds[kind] << std::hex << " " << a << " " << b;
        ASSERT_EQ(results[1], with) << kinds[kind] << std::hex << " " << a << " " << b << " " << c;
        ASSERT_EQ(results[2], without) << kinds[kind] << std::hex << " " << a << " " << b;
        ASSERT_EQ(results[3], with) << kinds[kind] << std::hex << " " << a << " " << b << " " << c;
      }
  }
}

// ---- cl_khr_extended_async_copies, cl_khr_async_work_group_copy_fence ----

struct Box {
  size_t size, per_line, lines, planes; // size: bytes per element; then elements, lines, planes
  size_t offset, line, plane;           // of global memory, in elements
  size_t local_offset, local_line, local_plane;
};

// Copies a box of global memory to local memory, where all work-items change it, and back to the
// same position in another buffer. Local memory around the box keeps its values.
constexpr const char *box_source = R"(
kernel void k(global const uchar *in, global uchar *out) {
  local uchar tile[LOCAL_BYTES];
  for (uint i = get_local_id(0); i < LOCAL_BYTES; i += get_local_size(0)) tile[i] = 0xee;
  barrier(CLK_LOCAL_MEM_FENCE);
  const global uchar *own = in + get_group_id(0) * BYTES;
  event_t event = TO_LOCAL(tile, own);
  wait_group_events(1, &event);
  for (uint i = get_local_id(0); i < LOCAL_BYTES; i += get_local_size(0)) tile[i] ^= 0x11;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t back = TO_GLOBAL(out + get_group_id(0) * BYTES, tile, event);
  async_work_group_copy_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  // What is written now must not reach the copy before the fence.
  event_t after = async_work_group_copy(tile, (const global uchar *)own, LOCAL_BYTES < BYTES ? LOCAL_BYTES : BYTES, back);
  wait_group_events(1, &after);
  for (uint i = get_local_id(0); i < LOCAL_BYTES; i += get_local_size(0)) out[get_num_groups(0) * BYTES + get_group_id(0) * LOCAL_BYTES + i] = tile[i];
}
)";

TEST_F(SmallExtensions, BoxesOfMemoryAreCopied) {
  const Box boxes[] = {
      {4, 5, 7, 1, 3, 11, 0, 2, 6, 0},   {1, 16, 4, 1, 0, 16, 0, 0, 16, 0},
      {16, 3, 2, 1, 1, 3, 0, 1, 5, 0},   {12, 2, 3, 1, 2, 4, 0, 0, 2, 0},
      {4, 4, 3, 5, 7, 9, 31, 1, 4, 13},  {2, 1, 6, 2, 0, 8, 50, 3, 1, 6},
      {8, 0, 3, 2, 1, 4, 13, 0, 2, 7},   {4, 3, 0, 2, 1, 4, 13, 0, 3, 7},
      {1, 7, 3, 4, 13, 8, 25, 5, 7, 21}, {4, 3, 3, 0, 1, 4, 13, 0, 3, 9},
  };
  constexpr size_t groups = 5, items = 24;
  for (const Box &box : boxes)
    for (bool as_planes : {false, true}) {
      if (!as_planes && box.planes != 1)
        continue;
      const size_t elements = box.offset + box.planes * box.plane + box.lines * box.line +
                              box.per_line + 1,
                   local_elements = box.local_offset + box.planes * box.local_plane +
                                    box.lines * box.local_line + box.per_line + 1;
      const size_t bytes = elements * box.size, local_bytes = local_elements * box.size;
      auto text = [](size_t number) { return std::to_string(number); };
      auto macro = [&](const std::string &name, const std::string &to_offset,
                       const std::string &from_offset, bool from_global, const std::string &event) {
        const size_t from[] = {from_global ? box.line : box.local_line,
                               from_global ? box.plane : box.local_plane},
                     to[] = {from_global ? box.local_line : box.line,
                             from_global ? box.local_plane : box.plane};
        std::string call = as_planes ? "async_work_group_copy_3D3D" : "async_work_group_copy_2D2D";
        call += "(to, " + to_offset + ", from, " + from_offset + ", " + text(box.size) + ", " +
                text(box.per_line) + ", " + text(box.lines) + ", ";
        if (as_planes)
          call += text(box.planes) + ", " + text(from[0]) + ", " + text(from[1]) + ", " +
                  text(to[0]) + ", " + text(to[1]);
        else
          call += text(from[0]) + ", " + text(to[0]);
        return "#define " + name + " " + call + ", " + event + ")\n";
      };
      const std::string source =
          "#define BYTES " + text(bytes) + "\n#define LOCAL_BYTES " + text(local_bytes) + "\n" +
          macro("TO_LOCAL(to, from)", text(box.local_offset), text(box.offset), true, "0") +
          macro("TO_GLOBAL(to, from, event)", text(box.offset), text(box.local_offset), false,
                "event") +
          box_source;
      std::vector<uint8_t> in(groups * bytes);
      std::mt19937 random(7);
      for (uint8_t &byte : in)
        byte = uint8_t(random());

      std::vector<uint8_t> expected(groups * (bytes + local_bytes), 0x55);
      for (size_t group = 0; group != groups; ++group) {
        std::vector<uint8_t> tile(local_bytes, 0xee ^ 0x11);
        for (size_t plane = 0; plane != box.planes; ++plane)
          for (size_t line = 0; line != box.lines; ++line)
            for (size_t byte = 0; byte != box.per_line * box.size; ++byte) {
              const size_t from = (box.offset + plane * box.plane + line * box.line) * box.size,
                           to = (box.local_offset + plane * box.local_plane +
                                 line * box.local_line) *
                                box.size;
              const uint8_t value = in[group * bytes + from + byte] ^ 0x11;
              tile[to + byte] = value;
              expected[group * bytes + from + byte] = value;
            }
        std::copy_n(in.begin() + ptrdiff_t(group * bytes), std::min(bytes, local_bytes),
                    tile.begin());
        std::copy(tile.begin(), tile.end(),
                  expected.begin() + ptrdiff_t(groups * bytes + group * local_bytes));
      }
      auto out = run<uint8_t>(source, in, expected.size(), groups * items, items);
      EXPECT_EQ(out, expected) << "elements of " << box.size << ", " << box.per_line << " x "
                               << box.lines << " x " << box.planes;
    }
}

// ---- cl_khr_kernel_clock ----

TEST_F(SmallExtensions, ClocksGoOn) {
  constexpr cl_device_info capabilities_query = 0x1076; // CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR
  EXPECT_EQ(device_info<cl_bitfield>(capabilities_query), 7u); // device, work-group, sub-group
  const std::string source = R"(
#if !defined(cl_khr_kernel_clock) || !defined(__opencl_c_kernel_clock_scope_device) || \
    !defined(__opencl_c_kernel_clock_scope_work_group) || !defined(__opencl_c_kernel_clock_scope_sub_group)
#error a macro is missing
#endif
ulong joined(uint2 hilo) { return (ulong)hilo.hi << 32 | hilo.lo; }
kernel void k(global const int *in, global ulong *out) {
  ulong times[6];
  times[0] = clock_read_device();
  times[1] = joined(clock_read_hilo_device());
  times[2] = clock_read_work_group();
  times[3] = joined(clock_read_hilo_work_group());
  times[4] = clock_read_sub_group();
  times[5] = joined(clock_read_hilo_sub_group());
  for (int i = 0; i < 6; ++i) out[get_global_id(0) * 8 + i] = times[i];
  // Ends only if reads are not one read, and is no wait for somebody else.
  ulong start = clock_read_device(), rounds = 0, end = start + 1000000 * (get_global_id(0) % 3);
  while (clock_read_device() < end) ++rounds;
  out[get_global_id(0) * 8 + 6] = start;
  out[get_global_id(0) * 8 + 7] = clock_read_device();
})";
  constexpr size_t items = 70;
  auto out = run<cl_ulong>(source, std::vector<cl_int>(1), items * 8, items, 35);
  for (size_t i = 0; i != items; ++i) {
    EXPECT_TRUE(std::is_sorted(&out[i * 8], &out[i * 8 + 8])) << "work-item " << i;
    EXPECT_GE(out[i * 8 + 7] - out[i * 8 + 6], 1000000u * (i % 3));
  }
  // The next kernel begins after this one has ended, and both read the device's clock.
  auto later = run<cl_ulong>(source, std::vector<cl_int>(1), items * 8, items, 35);
  for (size_t i = 0; i != items; ++i)
    for (size_t j = 0; j != items; ++j)
      EXPECT_GT(later[i * 8], out[j * 8 + 7]);
}

// A wait with a timeout is not a deadlock.
TEST_F(SmallExtensions, WaitsMayEndByTheClock) {
  const std::string source = R"(
kernel void k(global const int *in, global int *out) {
  ulong end = clock_read_device() + 200000000;
  int found = 0;
  while (!(found = atomic_load_explicit((volatile global atomic_int *)out, memory_order_relaxed) == 1) &&
         clock_read_device() < end) ;
  out[1 + get_global_id(0)] = found;
})";
  auto out = run<cl_int>(source, std::vector<cl_int>(1), 9, 8, 4);
  EXPECT_EQ(out, (std::vector<cl_int>{0x55, 0, 0, 0, 0, 0, 0, 0, 0}));
}

// ---- cl_khr_expect_assume: the OpenCL C examples of the extension's text

TEST_F(SmallExtensions, ExpectationsAndAssumptions) {
  const std::string source = R"(
#if !__has_builtin(__builtin_expect) || !__has_builtin(__builtin_assume)
#error they are missing
#endif
kernel void k(global const int *in, global int *out) {
  int value = in[get_global_id(0)];
  value = __builtin_expect(value, 0);
  __builtin_assume(value >= 0);
  out[get_global_id(0)] = value % 4;
})";
  std::vector<cl_int> in = {0, 1, 2, 3, 4, 5, 1000003, 2147483647}, expected;
  for (cl_int one : in)
    expected.push_back(one % 4);
  EXPECT_EQ(run<cl_int>(source, in, in.size(), in.size()), expected);
}

// ---- cl_khr_priority_hints, cl_khr_throttle_hints ----

TEST_F(SmallExtensions, QueuesTakeHints) {
  for (cl_queue_properties priority :
       {CL_QUEUE_PRIORITY_HIGH_KHR, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PRIORITY_LOW_KHR})
    for (cl_queue_properties throttle :
         {CL_QUEUE_THROTTLE_HIGH_KHR, CL_QUEUE_THROTTLE_MED_KHR, CL_QUEUE_THROTTLE_LOW_KHR}) {
      const std::vector<cl_queue_properties> list = {CL_QUEUE_PRIORITY_KHR,
                                                     priority,
                                                     CL_QUEUE_PROPERTIES,
                                                     CL_QUEUE_PROFILING_ENABLE,
                                                     CL_QUEUE_THROTTLE_KHR,
                                                     throttle,
                                                     0};
      cl_int status = 1;
      Queue queue(clCreateCommandQueueWithProperties(context_, device_, list.data(), &status));
      ASSERT_EQ(status, CL_SUCCESS);
      std::vector<cl_queue_properties> given(list.size());
      size_t bytes = 0;
      EXPECT_EQ(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY,
                                      given.size() * sizeof given[0], given.data(), &bytes),
                CL_SUCCESS);
      EXPECT_EQ(given, list);
      EXPECT_EQ(bytes, list.size() * sizeof list[0]);
      EXPECT_EQ(queue_info<cl_command_queue_properties>(queue, CL_QUEUE_PROPERTIES),
                cl_command_queue_properties(CL_QUEUE_PROFILING_ENABLE));
      Memory buffer = make_buffer(4);
      const cl_int one = 1;
      EXPECT_EQ(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, &one, 0, nullptr, nullptr),
                CL_SUCCESS);
    }
}

TEST_F(SmallExtensions, HintsThatAreNone) {
  auto status_of_list = [&](std::vector<cl_queue_properties> list) {
    cl_int status = 1;
    Queue queue(clCreateCommandQueueWithProperties(context_, device_, list.data(), &status));
    EXPECT_EQ(queue.get() == nullptr, status != CL_SUCCESS);
    return status;
  };
  for (cl_queue_properties name : {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR}) {
    for (cl_queue_properties value : {0, 3, 5, 8, -1})
      EXPECT_EQ(status_of_list({name, value, 0}), CL_INVALID_VALUE) << value;
    EXPECT_EQ(status_of_list({name, 1, name, 1, 0}), CL_INVALID_VALUE);
    EXPECT_EQ(status_of_list({name, 1, CL_QUEUE_PROPERTIES,
                              CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0}),
              CL_INVALID_QUEUE_PROPERTIES);
  }
}

} // namespace
} // namespace lockstep::test
