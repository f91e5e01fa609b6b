// Tests structures as wholes: assigned, copied through all address spaces, passed by value,
// selected by branches. The same structures in C++ give the expected results.
//
// The compiler copies structures with memory intrinsics, which no other test uses: arithmetic on
// fields is done in registers.
#include "opencl_fixture.h"

#include <algorithm>
#include <array>
#include <functional>

using namespace lockstep::test;

namespace {

constexpr size_t group = 48,
                 items = 4 * group; // not a power of two: the last sub-group has inactive lanes

struct Ints {
  cl_int a, b, c, d;
};
struct Mixed {
  cl_char a;
  cl_double b;
  cl_short c;
  cl_float d;
  cl_uchar e[3];
};
struct Nested {
  cl_int a;
  struct {
    cl_float x, y[3];
  } inner[2];
  cl_ushort last;
};
struct Union {
  cl_int kind;
  union {
    cl_int number;
    cl_float real;
    cl_uchar bytes[12];
  } value;
};
#pragma pack(push, 1)
struct Packed {
  cl_char a;
  cl_int b;
  cl_short c;
  cl_long d;
};
#pragma pack(pop)
struct Longs {
  cl_long a, b, c;
};
struct Large { // too large for unrolled copies
  cl_int a[67];
  cl_uchar rest[5];
};
struct alignas(16) Vectors {
  cl_float4 a;
  cl_char2 b;
};

const char *definitions = R"(
typedef struct { int a, b, c, d; } Ints;
typedef struct { char a; double b; short c; float d; uchar e[3]; } Mixed;
typedef struct { int a; struct { float x, y[3]; } inner[2]; ushort last; } Nested;
typedef struct { int kind; union { int number; float real; uchar bytes[12]; } value; } Union;
typedef struct __attribute__((packed)) { char a; int b; short c; long d; } Packed;
typedef struct { long a, b, c; } Longs;
typedef struct { int a[67]; uchar rest[5]; } Large;
typedef struct { float4 a; char2 b; } Vectors;

// Counts in a byte that is no padding.
S stepped(S s, int by) { ((uchar *)&s)[0] += by; return s; }
S __attribute__((noinline)) chosen(S s, S t, int first) { if (first) return s; return t; }
S deep(S s, int times) {
  if (times == 0) return s;
  S t = stepped(s, times);
  if (times % 2 == 0) return t;
  t = stepped(t, 1);
  return t;
}

kernel void through_local(global const S *in, global S *out) {
  local S t[48];
  const int l = get_local_id(0), i = get_global_id(0);
  S s = in[i];
  t[l] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = t[47 - l];
}

kernel void through_private(global const S *in, global S *out) {
  const int i = get_global_id(0), n = get_global_size(0);
  S s[5];
  for (int j = 0; j < 5; ++j) s[j] = in[(i + j) % n];
  s[i % 5] = s[(i + 2) % 5];
  S *p = &s[(i + 4) % 5];
  *p = s[(i + 1) % 5];
  for (int j = 0; j < 5; ++j) out[i * 5 + j] = s[j];
}

kernel void through_functions(global const S *in, global S *out) {
  const int i = get_global_id(0), n = get_global_size(0);
  out[i] = chosen(stepped(in[i], 1), deep(in[n - 1 - i], i % 4), i % 3 == 0);
}

kernel void through_branches(global const S *in, global S *out) {
  local S t[48];
  const int l = get_local_id(0), i = get_global_id(0), n = get_global_size(0);
  if (l % 2 == 0) t[l] = in[i];
  else t[l] = stepped(in[i], 7);
  barrier(CLK_LOCAL_MEM_FENCE);
  S s, u = in[n - 1 - i];
  if (i % 3 == 0) s = t[(l + 5) % 48];
  else if (i % 3 == 1) s = in[i * 7 % n];
  else s = stepped(t[l], 3);
  for (int j = 0; j < i % 6; ++j) { S x = s; s = u; u = x; }
  switch (i % 4) {
  case 0: out[i] = s; break;
  case 1: u = stepped(u, 9); // fall through
  case 2: out[i] = u; break;
  default: { global const S *p = i % 8 == 3 ? in : in + i; out[i] = *p; }
  }
}

// Generic and volatile memory, arrays as wholes, and structures in constant memory.
typedef struct { S pair[2]; } Pair;
kernel void through_pointers(global const S *in, global Pair *out, constant S *table) {
  local Pair t[48];
  const int l = get_local_id(0), i = get_global_id(0), n = get_global_size(0);
  Pair mine;
  mine.pair[0] = in[i];
  mine.pair[1] = table[i % 3];
  local Pair *place = &t[l];
  *place = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  Pair other = t[(l + 1) % 48];
  Pair *chosen = i % 2 ? &other : &mine;
  out[i] = *chosen;
  volatile S slow = out[i].pair[1];
  out[i].pair[0] = slow;
}
)";

// Copies with sizes known at run time, copies of overlapping memory, and fills.
const char *bytes_source = R"(
kernel void bytes(global const uchar *in, global uchar *out, global const uint *sizes) {
  const int i = get_global_id(0);
  uchar mine[64];
  uint words[24];
  __builtin_memset(mine, i, sizeof mine);
  __builtin_memcpy(mine + 5, in + 64 * i, sizes[i] % 50);
  __builtin_memmove(mine + i % 13, mine + 6, 40);
  __builtin_memmove(mine + 9, mine + i % 17, sizes[i] % 30);
  for (int j = 0; j < 24; ++j) words[j] = 0x01020304 * j + i;
  __builtin_memmove(words + 1 + i % 3, words + 2, 4 * (sizes[i] % 20));
  for (uint j = 0; j < sizes[i] % 24; ++j) words[j] = 0;
  uint sum = 0;
  for (int j = 0; j < 24; ++j) sum = sum * 31 + words[j];
  __builtin_memcpy(mine + 60, &sum, 4);
  for (int j = 0; j < 64; ++j) out[64 * i + j] = mine[j];
}
kernel void long_bytes(global const uchar *in, global uchar *out, local uchar *t) {
  const int i = get_global_id(0), l = get_local_id(0);
  uchar mine[300];
  __builtin_memset(mine, 3 * i, 299);
  mine[299] = 77;
  __builtin_memcpy(mine + 1, in + i, 277);
  __builtin_memmove(mine + (i % 2 ? 20 : 3), mine + 11, 270);
  __builtin_memcpy(t + l * 300, mine, 300);
  barrier(CLK_LOCAL_MEM_FENCE);
  __builtin_memcpy(out + i * 300, t + (47 - l) * 300, 300);
}
)";

template <class S> S stepped(S structure, int by) {
  unsigned char byte;
  std::memcpy(&byte, &structure, 1);
  byte = static_cast<unsigned char>(byte + by);
  std::memcpy(&structure, &byte, 1);
  return structure;
}

template <class S> S deep(S structure, int times) {
  constexpr int steps[] = {0, 2, 2, 4};
  return stepped(structure, steps[times]);
}

// Padding bytes are not compared: this overwrites them with the expected values.
template <class S> void forget_padding(S &, const S &) {}
void forget_padding(Mixed &got, const Mixed &expected) {
  Mixed clean = expected;
  clean.a = got.a, clean.b = got.b, clean.c = got.c, clean.d = got.d;
  std::copy(std::begin(got.e), std::end(got.e), clean.e);
  std::memcpy(&got, &clean, sizeof got);
}
void forget_padding(Nested &got, const Nested &expected) {
  std::memcpy(reinterpret_cast<char *>(&got) + offsetof(Nested, last) + 2,
              reinterpret_cast<const char *>(&expected) + offsetof(Nested, last) + 2,
              sizeof got - offsetof(Nested, last) - 2);
}
void forget_padding(Large &got, const Large &expected) {
  std::memcpy(reinterpret_cast<char *>(&got) + offsetof(Large, rest) + 5,
              reinterpret_cast<const char *>(&expected) + offsetof(Large, rest) + 5,
              sizeof got - offsetof(Large, rest) - 5);
}
void forget_padding(Vectors &got, const Vectors &expected) {
  std::memcpy(reinterpret_cast<char *>(&got) + offsetof(Vectors, b) + 2,
              reinterpret_cast<const char *>(&expected) + offsetof(Vectors, b) + 2,
              sizeof got - offsetof(Vectors, b) - 2);
}

template <class S> class Structures : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    unsigned number = 1;
    in_.resize(items);
    auto *bytes = reinterpret_cast<unsigned char *>(in_.data());
    for (size_t i = 0; i != items * sizeof(S); ++i)
      bytes[i] =
          static_cast<unsigned char>((number = number * 1664525 + 1013904223) >> 25); // never a NaN
    program_ = build(definitions, ("-DS=" + std::string(name())).c_str());
  }

  static const char *name() {
    return std::is_same_v<S, Ints>     ? "Ints"
           : std::is_same_v<S, Mixed>  ? "Mixed"
           : std::is_same_v<S, Nested> ? "Nested"
           : std::is_same_v<S, Union>  ? "Union"
           : std::is_same_v<S, Packed> ? "Packed"
           : std::is_same_v<S, Longs>  ? "Longs"
           : std::is_same_v<S, Large>  ? "Large"
                                       : "Vectors";
  }

  // Each work-item writes `each` structures; structure `n` of item i should equal expected(i, n).
  void run(const char *kernel_name, size_t each, const std::function<S(size_t, size_t)> &expected) {
    Kernel kernel = make_kernel(program_, kernel_name);
    Memory from = make_buffer(items * sizeof(S)), to = make_buffer(items * each * sizeof(S));
    write(from, in_);
    cl_mem arguments[] = {from, to, from};
    cl_uint count = 0;
    clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
    for (cl_uint i = 0; i != count; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &arguments[i]), CL_SUCCESS);
    const size_t global = items, local = group;
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    std::vector<S> got = read<S>(to, items * each);
    size_t wrong = 0;
    for (size_t i = 0; i != items; ++i)
      for (size_t j = 0; j != each; ++j) {
        S one = got[i * each + j], right = expected(i, j);
        forget_padding(one, right);
        if (std::memcmp(&one, &right, sizeof(S)) != 0 && wrong++ < 5)
          ADD_FAILURE() << kernel_name << ": work-item " << i << ", structure " << j;
      }
    EXPECT_EQ(wrong, 0u) << "of " << items * each;
  }

  std::vector<S> in_;
  Program program_;
};

using Kinds = ::testing::Types<Ints, Mixed, Nested, Union, Packed, Longs, Large, Vectors>;
TYPED_TEST_SUITE(Structures, Kinds);

TYPED_TEST(Structures, ThroughLocalMemory) {
  this->run("through_local", 1,
            [&](size_t i, size_t) { return this->in_[i / group * group + group - 1 - i % group]; });
}

TYPED_TEST(Structures, ThroughPrivateArrays) {
  this->run("through_private", 5, [&](size_t i, size_t j) {
    std::array<TypeParam, 5> s;
    for (size_t k = 0; k != 5; ++k)
      s[k] = this->in_[(i + k) % items];
    s[i % 5] = s[(i + 2) % 5];
    s[(i + 4) % 5] = s[(i + 1) % 5];
    return s[j];
  });
}

TYPED_TEST(Structures, ThroughFunctions) {
  this->run("through_functions", 1, [&](size_t i, size_t) {
    return i % 3 == 0 ? stepped(this->in_[i], 1) : deep(this->in_[items - 1 - i], int(i % 4));
  });
}

TYPED_TEST(Structures, ThroughBranches) {
  auto shared = [&](size_t i) { return i % 2 == 0 ? this->in_[i] : stepped(this->in_[i], 7); };
  this->run("through_branches", 1, [&](size_t i, size_t) {
    size_t first = i / group * group;
    TypeParam u = this->in_[items - 1 - i];
    TypeParam s = i % 3 == 0   ? shared(first + (i - first + 5) % group)
                  : i % 3 == 1 ? this->in_[i * 7 % items]
                               : stepped(shared(i), 3);
    if (i % 6 % 2 == 1)
      std::swap(s, u);
    switch (i % 4) {
    case 0:
      return s;
    case 1:
      return stepped(u, 9);
    case 2:
      return u;
    default:
      return this->in_[i % 8 == 3 ? 0 : i];
    }
  });
}

TYPED_TEST(Structures, ThroughPointers) {
  this->run("through_pointers", 2, [&](size_t i, size_t) { // the second is volatile on both sides
    size_t first = i / group * group;
    return this->in_[(i % 2 ? first + (i - first + 1) % group : i) % 3];
  });
}

// Partial initializers, positional and designated, for structures in all address spaces that allow
// initializers.
const char *begun_source = R"(
typedef struct { int a, b; struct { short x[5]; char c; } in; union { float f; uint u; } un; long l; } Part;
constant Part table[3] = { { 1 }, { .b = 5, .in = { { [3] = 9 }, 3 } }, { .un.f = 1.5f, .l = 7 } };
uint sum(const Part *p) {
  ulong all = p->a + 3 * p->b + p->l + p->un.u;
  for (int i = 0; i < 5; ++i) all = all * 7 + p->in.x[i];
  return (uint)(all * 5 + p->in.c);
}
kernel void begun(global uint *out) {
  local Part t[48];
  const int i = get_global_id(0), l = get_local_id(0);
  Part mine = { i, .in.x[2] = (short)(i * 3) };
  Part row[3] = { [1] = { .a = i } };
  const uint few[7] = { 1, i };
  row[i % 3] = i % 2 ? mine : table[i / 2 % 3];
  t[l] = i % 5 ? row[(i + 1) % 3] : (Part){ .l = i, .in.c = 2 };
  barrier(CLK_LOCAL_MEM_FENCE);
  Part other = t[47 - l];
  out[i] = sum(&other) * 31 + sum(&row[i % 2]) + few[i % 7];
}
)";

struct Part {
  cl_int a = 0, b = 0;
  cl_short x[5] = {};
  cl_char c = 0;
  cl_uint u = 0;
  cl_long l = 0;
};

cl_uint sum(const Part &part) {
  auto all = cl_ulong(part.a + 3 * part.b + part.l + part.u);
  for (cl_short x : part.x)
    all = all * 7 + cl_ulong(x);
  return cl_uint(all * 5 + cl_ulong(part.c));
}

class Initializers : public DeviceTest {};

TEST_F(Initializers, ThatLeaveSomethingOut) {
  Part table[3];
  table[0].a = 1;
  table[1].b = 5, table[1].x[3] = 9, table[1].c = 3;
  table[2].u = 0x3fc00000, table[2].l = 7; // of 1.5f
  using Row = std::array<Part, 3>;
  auto row_of = [&](size_t i) {
    Row row;
    row[1].a = cl_int(i);
    Part mine;
    mine.a = cl_int(i), mine.x[2] = cl_short(i * 3);
    row[i % 3] = i % 2 ? mine : table[i / 2 % 3];
    return row;
  };
  auto shared = [&](size_t i) {
    Part other;
    other.l = cl_long(i), other.c = 2;
    return i % 5 ? row_of(i)[(i + 1) % 3] : other;
  };
  Program program = build(begun_source);
  Kernel kernel = make_kernel(program, "begun");
  Memory to = make_buffer(items * sizeof(cl_uint));
  cl_mem argument = to;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof argument, &argument), CL_SUCCESS);
  const size_t global = items, local = group;
  ASSERT_EQ(
      clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
      CL_SUCCESS);
  const std::vector<cl_uint> got = read<cl_uint>(to, items);
  for (size_t i = 0; i != items; ++i) {
    const cl_uint few = i % 7 == 0 ? 1 : i % 7 == 1 ? cl_uint(i) : 0;
    const size_t opposite = i / group * group + group - 1 - i % group;
    EXPECT_EQ(got[i], sum(shared(opposite)) * 31 + sum(row_of(i)[i % 2]) + few) << i;
  }
}

class MemoryFunctions : public DeviceTest {
protected:
  void run(const char *name, size_t each, std::vector<cl_uchar> in, std::vector<cl_uint> sizes,
           const std::vector<cl_uchar> &expected) {
    Program program = build(bytes_source);
    Kernel kernel = make_kernel(program, name);
    Memory from = make_buffer(in.size()), to = make_buffer(items * each);
    write(from, in);
    cl_mem source = from, target = to;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &source), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), &target), CL_SUCCESS);
    Memory third = make_buffer(items * sizeof(cl_uint));
    if (sizes.empty()) {
      ASSERT_EQ(clSetKernelArg(kernel, 2, group * each, nullptr), CL_SUCCESS);
    } else {
      write(third, sizes);
      cl_mem numbers = third;
      ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof(cl_mem), &numbers), CL_SUCCESS);
    }
    const size_t global = items, local = group;
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(read<cl_uchar>(to, items * each), expected);
  }

  static std::vector<cl_uchar> random_bytes(size_t count) {
    unsigned number = 7;
    std::vector<cl_uchar> bytes(count);
    for (cl_uchar &byte : bytes)
      byte = static_cast<cl_uchar>((number = number * 1664525 + 1013904223) >> 24);
    return bytes;
  }
};

TEST_F(MemoryFunctions, SizesThatDifferBetweenWorkItems) {
  std::vector<cl_uchar> in = random_bytes(items * 64), expected;
  std::vector<cl_uint> sizes(items);
  for (size_t i = 0; i != items; ++i)
    sizes[i] = cl_uint(i * 37 % 101);
  for (size_t i = 0; i != items; ++i) {
    cl_uchar mine[64];
    cl_uint words[24], sum = 0;
    std::memset(mine, int(i), sizeof mine);
    std::memcpy(mine + 5, in.data() + 64 * i, sizes[i] % 50);
    std::memmove(mine + i % 13, mine + 6, 40);
    std::memmove(mine + 9, mine + i % 17, sizes[i] % 30);
    for (cl_uint j = 0; j < 24; ++j)
      words[j] = 0x01020304 * j + cl_uint(i);
    std::memmove(words + 1 + i % 3, words + 2, 4 * (sizes[i] % 20));
    std::fill(words, words + sizes[i] % 24, 0);
    for (cl_uint word : words)
      sum = sum * 31 + word;
    std::memcpy(mine + 60, &sum, 4);
    expected.insert(expected.end(), mine, mine + 64);
  }
  run("bytes", 64, in, sizes, expected);
}

TEST_F(MemoryFunctions, SizesBeyondAFewWords) {
  std::vector<cl_uchar> in = random_bytes(items + 300), expected(items * 300);
  for (size_t i = 0; i != items; ++i) {
    cl_uchar mine[300];
    std::memset(mine, int(3 * i), 299);
    mine[299] = 77;
    std::memcpy(mine + 1, in.data() + i, 277);
    std::memmove(mine + (i % 2 ? 20 : 3), mine + 11, 270);
    size_t reader = i / group * group + group - 1 - i % group;
    std::memcpy(expected.data() + reader * 300, mine, 300);
  }
  run("long_bytes", 300, in, {}, expected);
}

// Clang accesses a run of bit-fields as one integer, here of 192 bits. Tests variables with and
// without initial values, arrays, and constant addresses of members.
TEST_F(MemoryFunctions, BitFieldsOfMoreThan64Bits) {
  Program program = build(R"(
    #pragma OPENCL EXTENSION __cl_clang_bitfields : enable
    typedef struct __attribute__((packed)) {
      ulong a : 17; uint b : 9; uint c : 21; long d : 15; long e : 53; ulong f : 42; uint g : 28;
      ushort h[4];
    } Row;
    constant Row table[3] = {{5, 6, 7, -8, 9, 10, 11, {12, 13, 14, 15}},
                             {131071, 511, 2097151, -1, -1, 4398046511103, 268435455, {1, 2, 3, 4}},
                             {0, 0, 1, -3, -1234567890123, 3210987654321, 99999999, {9, 8, 7, 65535}}};
    constant ushort *constant place = &table[2].h[3];
    global Row counts[2] = {{1, 2, 3, -4, -5, 6, 7, {8, 9, 10, 11}}, {2, 4, 6, -8, -10, 12, 14, {16, 18, 20, 22}}};
    global Row empty[2];
    void put(global long *out, Row r) {
      out[0] = r.a; out[1] = r.b; out[2] = r.c; out[3] = r.d; out[4] = r.e; out[5] = r.f; out[6] = r.g;
      for (int i = 0; i < 4; ++i) out[7 + i] = r.h[i];
    }
    kernel void rows(global long *out, int first) {
      put(out, table[first]);
      put(out + 11, table[2]);
      put(out + 22, counts[1]);
      counts[first].e *= 3;
      counts[first].h[2] += 5;
      empty[1] = counts[first];
      empty[1].g += 100;
      put(out + 33, empty[1]);
      put(out + 44, empty[0]);
      out[55] = *place;
      out[56] = sizeof(Row);
    }
  )",
                          "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "rows");
  const std::array<cl_long, 11> rows[] = {
      {5, 6, 7, -8, 9, 10, 11, 12, 13, 14, 15},
      {0, 0, 1, -3, -1234567890123, 3210987654321, 99999999, 9, 8, 7, 65535},
      {2, 4, 6, -8, -10, 12, 14, 16, 18, 20, 22},
      {1, 2, 3, -4, -15, 6, 107, 8, 9, 15, 11},
      {}};
  std::vector<cl_long> expected;
  for (const std::array<cl_long, 11> &row : rows)
    expected.insert(expected.end(), row.begin(), row.end());
  expected.insert(expected.end(), {65535, 32});
  Memory out = make_buffer(expected.size() * sizeof(cl_long));
  cl_int first = 0;
  clSetKernelArg(kernel, 0, sizeof(cl_mem), &out);
  clSetKernelArg(kernel, 1, sizeof first, &first);
  size_t one = 1;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(read<cl_long>(out, expected.size()), expected);
}

// The fourth byte of a char3 is undefined; the optimizer moves all four as one word.
TEST_F(MemoryFunctions, VectorsOfThreeBytesAreMovedAsWords) {
  Program program = build(R"(
    typedef struct { ulong d; } Inner;
    typedef struct { int a[4]; char3 bytes; ulong b; Inner inner; short c; } __attribute__((packed, aligned(2))) S;
    kernel void words(global const ushort *in, global ulong *out, global const long4 *place) {
      const uint g = get_global_id(0);
      S s[3] = {((S){.a[2] = 1, .a[3] = 1, .bytes = (char3)(-8, 0, 5), .b = 1, .inner.d = 1}), ((S){0}), ((S){0})};
      s[1].a[(1u | convert_uint_sat_rte((float)place[1].s1)) % 4u] = 1;
      s[1] = upsample((short)in[0], in[g + 1])
                 ? ((S){.a[0] = 1, .a[2] = 1, .a[3] = 1, .bytes = (char3)(0, 0, 5) == s[0].bytes, .inner.d = 1})
                 : ((S){.a[0] = 1, .a[1] = 1, .a[3] = 1, .b = 1});
      out[g] = (1 + (ulong)s[1].bytes.s0) * 1000003 + (ulong)s[1].bytes.s2;
    }
  )",
                          "-cl-std=CL1.2");
  Kernel kernel = make_kernel(program, "words");
  constexpr size_t count = 50;
  std::vector<cl_ushort> in(count + 1);
  std::vector<cl_long> expected;
  for (size_t i = 0; i != count; ++i) {
    in[i + 1] = i % 3 == 0 ? 0 : static_cast<cl_ushort>(i);
    expected.push_back(i % 3 == 0 ? 1000003 : 1000002);
  }
  auto from = make_buffer(in.size() * 2), to = make_buffer(count * 8), place = make_buffer(64);
  write(from, in);
  write(place, std::vector<cl_long>(8));
  const cl_mem buffers[] = {from, to, place};
  for (cl_uint i = 0; i != 3; ++i)
    ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
  ASSERT_EQ(
      clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(read<cl_long>(to, count), expected);
}

} // namespace
