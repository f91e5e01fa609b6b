// Kernels too large to inline everything. Functions of all kinds stay out of line, and give the
// results of the same source compiled as C++. LOCKSTEP_INLINE_LIMIT=0 (CMakeLists.txt) keeps small
// functions out of line, too, with every number of lanes, in loop form and in coroutine form.
#include "opencl_fixture.h"

#include <array>
#include <cmath>

// Source that is valid in both languages, as host functions here and as a string for the device.
#define BOTH(...)                                                                                  \
  __VA_ARGS__                                                                                      \
  constexpr char shared_text[] = #__VA_ARGS__;

namespace {

using uint = cl_uint;
using uchar = cl_uchar;

// clang-format off
BOTH(
typedef struct { uint h[8]; uint length; uchar last[5]; } State;

uint turned(uint x, uint n) { return (x << n) | (x >> (32u - n)); }

void compress(State *state, const uint *words, uint rounds) {
  uint a = state->h[0], b = state->h[1], c = state->h[2], d = state->h[3];
  for (uint r = 0; r < rounds; ++r) {
    uint f = (b & c) | (~b & d);
    uint t = d;
    d = c;
    c = b;
    b = b + turned(a + f + words[(r * 7 + a) & 7u] + r * 2654435769u, 3 + (r & 15u));
    a = t;
    state->h[4 + (b & 3u)] ^= a;
  }
  state->h[0] += a;
  state->h[1] += b;
  state->h[2] += c;
  state->h[3] += d;
  state->length += 64;
  state->last[b % 5u] = (uchar)(a >> 3);
}

State merged(State one, State other) {
  for (uint i = 0; i < 8; ++i)
    one.h[i] = turned(one.h[i], 5) ^ other.h[i];
  one.length += other.length;
  other.last[0] = one.last[4];
  one.last[1] = other.last[0];
  return one;
}

int steps_to_one(uint x, int most) {
  int steps = 0;
  while (x != 1) {
    if (x == 0)
      return -1;
    if (++steps >= most)
      return most;
    x = x & 1u ? 3 * x + 1 : x / 2;
  }
  return steps;
}

float smooth(float x, int n, float weight) {
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    if (x > 4.0f)
      x -= 2.5f * weight;
    else
      x += 1.25f;
    sum += x;
    if (sum > 60.0f)
      return sum - x;
  }
  return sum * weight;
}

uint quotient(uint a, uint b, int c, int d) { return a / b + (uint)(c % d); }

void in_order(uint *a, uint *b) {
  uint t = *a;
  if (t > *b) {
    *a = *b;
    *b = t + 1;
  }
}

void stir(uint *s, const uint *w, uint rounds) {
  for (uint r = 0; r < rounds; ++r) {
    s[r & 3u] += w[(r * 5 + s[0]) & 7u];
    in_order(&s[1], &s[r & 3u]);
    s[2] ^= s[3] >> 3;
  }
  in_order(s, s + 3);
}

uint stirred(uint seed) {
  uint s[4] = {seed, 2, 3, seed * 5};
  uint w[8];
  for (uint j = 0; j < 8; ++j)
    w[j] = seed * (j + 1);
  stir(s, w, seed & 15u);
  if (seed & 2u)
    stir(w + 4, w, 3);
  if (seed & 1u)
    stir(s, w, 5);
  uint sum = 0;
  for (uint j = 0; j < 8; ++j)
    sum = sum * 31 + w[j] + s[j & 3u];
  return sum;
}

uint whole(uint seed, const uint *words, int i) {
  State state = {{seed, 2, 3, 4, 5, 6, 7, 8}, 0, {1, 2, 3, 4, 5}};
  compress(&state, words, seed & 31u);
  if (seed & 4u) {
    State other = state;
    other.h[2] = seed;
    compress(&other, state.h[3] & 1u ? words : other.h, 8);
    state = merged(other, state);
  }
  uint sum = state.length;
  for (uint j = 0; j < 8; ++j)
    sum = sum * 31 + state.h[j];
  for (uint j = 0; j < 5; ++j)
    sum = sum * 31 + state.last[j];
  return sum + (uint)steps_to_one(seed & 1023u, 80 + (i & 1));
}
)
// clang-format on

constexpr char kernels[] = R"(
float4 halved(float4 v, int n) {
  for (int i = 0; i < n; ++i)
    v = v.yzwx * 0.5f + (float4)(i);
  return v;
}
uint place(void) { return get_global_id(0) * 1000 + get_local_id(0) * 10 + get_group_id(0) + get_local_size(0); }
void exchange(local uint *memory, uint value, uint at) { memory[at] = value * 3; }
uint counted(volatile global uint *counter, uint by) {
  atomic_add(counter, by);
  return by + 1;
}
uint mixed(global const uint *in, uint i) {
  uint words[16];
  for (uint j = 0; j < 16; ++j)
    words[j] = in[i * 17 + 1 + j];
  return whole(in[i * 17], words, i);
}
kernel void all(global const uint *in, global uint *out, global uint *counter, float weight) {
  local uint shared[64];
  uint i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
  uint seed = in[i * 17];
  uint result = place();
  if (seed % 3 != 0)
    result += mixed(in, i);
  else if (seed & 8)
    result ^= (uint)(smooth((float)(seed & 7), seed & 31, weight) * 16.0f);
  if (seed & 16)
    result += stirred(seed);
  exchange(shared, result, l);
  barrier(CLK_LOCAL_MEM_FENCE);
  result += shared[n - 1 - l];
  float4 v = halved((float4)(seed & 15, l, 3, 4), seed & 3);
  result += (uint)(v.x * 8 + v.y + v.z + v.w);
  if (l & 1)
    result += counted(counter, seed & 7) + quotient(seed, (i & 3) + 1, (int)seed, (int)(l & 2) - 1);
  out[i] = result;
}
)";

constexpr size_t group = 40, items = 5 * group, words_each = 17;
constexpr float weight = 0.75f;

uint own_result(const std::vector<uint> &in, size_t i) {
  const uint seed = in[i * words_each];
  uint result = static_cast<uint>(i * 1000 + i % group * 10 + i / group + group);
  std::array<uint, 16> words;
  std::copy_n(in.begin() + static_cast<ptrdiff_t>(i * words_each) + 1, 16, words.begin());
  if (seed % 3 != 0)
    result += whole(seed, words.data(), static_cast<int>(i));
  else if (seed & 8)
    result ^= static_cast<uint>(
        smooth(static_cast<float>(seed & 7), static_cast<int>(seed & 31), weight) * 16.0f);
  if (seed & 16)
    result += stirred(seed);
  return result;
}

class KeptFunctions : public lockstep::test::DeviceTest {};

TEST_F(KeptFunctions, GiveWhatPlainCodeGives) {
  std::vector<uint> in(items * words_each);
  uint number = 7;
  for (uint &word : in)
    word = (number = number * 1664525 + 1013904223) >> 7;
  auto program = build((std::string(shared_text) + kernels).c_str());
  auto kernel = make_kernel(program, "all");
  auto from = make_buffer(in.size() * 4), to = make_buffer(items * 4), counter = make_buffer(4);
  write(from, in);
  write(counter, std::vector<uint>{0});
  cl_mem buffers[] = {from, to, counter};
  for (cl_uint i = 0; i != 3; ++i)
    ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 3, sizeof weight, &weight), CL_SUCCESS);
  const size_t global = items, local = group;
  ASSERT_EQ(
      clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
      CL_SUCCESS);
  std::vector<uint> got = read<uint>(to, items);
  uint count = 0;
  for (size_t i = 0; i != items; ++i) {
    const size_t l = i % group, partner = i - l + group - 1 - l;
    const uint seed = in[i * words_each];
    uint right = own_result(in, i) + 3 * own_result(in, partner);
    std::array<float, 4> v = {static_cast<float>(seed & 15), static_cast<float>(l), 3, 4};
    for (uint step = 0; step != (seed & 3); ++step) {
      std::rotate(v.begin(), v.begin() + 1, v.end());
      for (float &element : v)
        element = element * 0.5f + static_cast<float>(step);
    }
    right += static_cast<uint>(v[0] * 8 + v[1] + v[2] + v[3]);
    if (l & 1) {
      right += (seed & 7) + 1 +
               quotient(seed, (i & 3) + 1, static_cast<int>(seed), static_cast<int>(l & 2) - 1);
      count += seed & 7;
    }
    ASSERT_EQ(got[i], right) << "work-item " << i;
  }
  EXPECT_EQ(read<uint>(counter, 1)[0], count);
}

// The last group is smaller, so its code does not know the local size. The state of sub-groups that
// have ended is on the stack above the vectors passed to functions.
TEST_F(KeptFunctions, GetVectorsOnTheStackWhereSubGroupsEnd) {
  auto program = build(R"(
    ulong mixed(ulong a, ulong b, ulong c, ulong d) { return a * 3 + b * 5 + c * 7 + (d ^ a); }
    kernel void ends(global ulong *out, ulong n) {
      const ulong i = get_global_id(0), l = get_local_id(0);
      barrier(CLK_GLOBAL_MEM_FENCE);
      out[i] = mixed(i, l, i * l, i ^ n);
      if (i % 32 >= n)
        return;
      barrier(CLK_GLOBAL_MEM_FENCE);
      out[i] += mixed(l, i, n, i * l);
    }
  )",
                       "-cl-std=CL3.0");
  auto kernel = make_kernel(program, "ends");
  constexpr size_t count = 3 * group - 15, local = group;
  const cl_ulong n = 32;
  auto out = make_buffer(count * 8);
  const cl_mem buffer = out;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof n, &n), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &count, &local, 0, nullptr, nullptr),
            CL_SUCCESS);
  auto mixed = [](cl_ulong a, cl_ulong b, cl_ulong c, cl_ulong d) {
    return a * 3 + b * 5 + c * 7 + (d ^ a);
  };
  std::vector<cl_ulong> got = read<cl_ulong>(out, count);
  for (size_t i = 0; i != count; ++i) {
    const size_t l = i % group;
    EXPECT_EQ(got[i], mixed(i, l, i * l, i ^ n) + mixed(l, i, n, i * l)) << "work-item " << i;
  }
}

// The bits do not change: on the x87 stack a signaling NaN would become a quiet one.
TEST_F(KeptFunctions, ReturnEveryBitOfFourFloats) {
  auto program = build(R"(
    float4 chosen(float4 x, float4 y, int which) { return which > 3 ? x : y.wzyx; }
    kernel void four(global uint *bits) {
      const int i = get_global_id(0);
      const float4 x = as_float4(vload4(i, bits));
      vstore4(as_uint4(chosen(x, x, i)), i, bits);
    }
  )",
                       "-cl-std=CL3.0");
  constexpr size_t count = 8;
  auto kernel = make_kernel(program, "four");
  std::vector<uint> bits(count * 4);
  for (size_t i = 0; i != bits.size(); ++i)
    bits[i] = 0x7f800001u + static_cast<uint>(i);
  auto memory = make_buffer(bits.size() * sizeof(uint));
  write(memory, bits);
  const cl_mem buffer = memory;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
  ASSERT_EQ(
      clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr),
      CL_SUCCESS);
  std::vector<uint> got = read<uint>(memory, bits.size());
  for (size_t i = 0; i != got.size(); ++i)
    EXPECT_EQ(got[i], bits[i / 4 > 3 ? i : i / 4 * 4 + 3 - i % 4]) << "element " << i;
}

} // namespace
