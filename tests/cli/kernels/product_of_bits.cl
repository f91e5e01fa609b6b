// With 8 lanes and AVX-512F, but not VL, LLVM 22's code generator ends with "Cannot select" (llvm22/hide_float_bits.cpp).
kernel void product_of_bits(global const float *in, global uint *out, uint factor) {
  const uint bits = as_uint(in[get_global_id(0)] + 1.0f);
  const uint above = (uint)((ulong)bits * factor >> 32);
  out[get_global_id(0)] = sub_group_broadcast(min(above, 51u), 0) * 100 + get_sub_group_size();
}
