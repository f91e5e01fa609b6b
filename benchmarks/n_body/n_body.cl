// Accelerations of n bodies (x, y, z, mass) on each other; G = 1, softened.
kernel void accelerations(uint n, float softening, global const float4 *bodies, global float4 *result) {
  const float4 me = bodies[get_global_id(0)];
  float x = 0.0f, y = 0.0f, z = 0.0f;
  for (uint i = 0; i < n; ++i) {
    const float4 other = bodies[i];
    const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
    const float strength = other.w * inverse * inverse * inverse;
    x += strength * dx;
    y += strength * dy;
    z += strength * dz;
  }
  result[get_global_id(0)] = (float4)(x, y, z, 0.0f);
}
