// Functions of maths by the GPU's special function unit, in place of libclc's. Compiled for spir64, as
// the rest of the device library; primitives.c defines the functions of instructions.
//
// Logarithms stay libclc's unless the program asks for relaxed ones: near 1, `lg2.approx` has only a
// bound of its absolute error.
#define BUILTIN __attribute__((overloadable))
#define PURE __attribute__((const))

PURE float lockstep_nvidia_ex2(float x);
PURE float lockstep_nvidia_lg2(float x);
PURE float lockstep_nvidia_fma_saturated(float a, float b, float c);
PURE float lockstep_nvidia_fma_down(float a, float b, float c);

// Within 2 ulp. x = n log(2) + t with |t| <= log(2) / 2, if the result is neither subnormal nor
// infinite: n + 127 is between 1 and 253. Beyond, t is larger, and the product has the right result.
static float exp_of(float x) {
  const float part = lockstep_nvidia_fma_saturated(x, 0.00572498118f, 0.5f); // log2(e) / 252
  const float biased =
      lockstep_nvidia_fma_down(part, 252.0f, 12582913.0f); // n + 127 in the low bits
  const float n = biased - 12583039.0f;
  const float t = fma(x, 1.92596303e-8f, fma(x, 1.44269502f, -n));
  return lockstep_nvidia_ex2(t) * as_float(as_uint(biased) << 23);
}
static float relaxed_exp_of(float x) {
  return lockstep_nvidia_ex2(x * 1.44269504f);
}
static float relaxed_log_of(float x) {
  return lockstep_nvidia_lg2(x) * 0.693147181f;
}

#define EVERY_WIDTH(name, scalar)                                                                  \
  BUILTIN PURE float name(float x) {                                                               \
    return scalar(x);                                                                              \
  }                                                                                                \
  BUILTIN PURE float2 name(float2 x) {                                                             \
    return (float2)(scalar(x.x), scalar(x.y));                                                     \
  }                                                                                                \
  BUILTIN PURE float3 name(float3 x) {                                                             \
    return (float3)(name(x.xy), scalar(x.z));                                                      \
  }                                                                                                \
  BUILTIN PURE float4 name(float4 x) {                                                             \
    return (float4)(name(x.lo), name(x.hi));                                                       \
  }                                                                                                \
  BUILTIN PURE float8 name(float8 x) {                                                             \
    return (float8)(name(x.lo), name(x.hi));                                                       \
  }                                                                                                \
  BUILTIN PURE float16 name(float16 x) {                                                           \
    return (float16)(name(x.lo), name(x.hi));                                                      \
  }
EVERY_WIDTH(exp, exp_of)
EVERY_WIDTH(lockstep_nvidia_relaxed_exp, relaxed_exp_of)
EVERY_WIDTH(lockstep_nvidia_relaxed_log, relaxed_log_of)
