// ISPC's volume renderer and ray tracer: a work-item for each pixel, and a sub-group for a tile of 4 x 4 of them.

// Where the pixel of this work-item lies; `width` is a multiple of 4.
int2 pixel_of_tile(int width) {
  const int tile = get_global_id(0) / 16, in_tile = get_global_id(0) % 16, tiles = width / 4;
  return (int2)(tile % tiles * 4 + in_tile % 4, tile / tiles * 4 + in_tile / 4);
}

// Of a camera at its origin: matrices of 4 x 4, row by row.
float3 direction(constant float *camera, constant float *world, float x, float y) {
  const float3 at = (float3)(camera[0] * x + camera[1] * y + camera[3], camera[4] * x + camera[5] * y + camera[7], camera[11]) / camera[15];
  return (float3)(world[0] * at.x + world[1] * at.y + world[2] * at.z, world[4] * at.x + world[5] * at.y + world[6] * at.z,
                  world[8] * at.x + world[9] * at.y + world[10] * at.z);
}

float3 origin_of(constant float *world) {
  return (float3)(world[3], world[7], world[11]) / world[15];
}

// ---- the volume

constant float3 low = (float3)(0.3f, -0.2f, 0.3f), high = (float3)(1.8f, 2.3f, 1.8f), light = (float3)(-1.0f, 4.0f, 1.5f);

// Where the ray enters the volume and leaves it.
bool meets(float3 origin, float3 ray, float *enters, float *leaves) {
  const float3 a = (low - origin) / ray, b = (high - origin) / ray, near = min(a, b), far = max(a, b);
  *enters = max(max(near.x, near.y), max(near.z, -1e30f));
  *leaves = min(min(far.x, far.y), min(far.z, 1e30f));
  return *enters <= *leaves;
}

float voxel(global const float *densities, int3 size, int x, int y, int z) {
  x = clamp(x, 0, size.x - 1);
  y = clamp(y, 0, size.y - 1);
  z = clamp(z, 0, size.z - 1);
  return densities[z * size.x * size.y + y * size.x + x];
}

float between(float t, float a, float b) {
  return (1.0f - t) * a + t * b;
}

float density(global const float *densities, int3 size, float3 at) {
  if (!(at.x >= low.x && at.x <= high.x && at.y >= low.y && at.y <= high.y && at.z >= low.z && at.z <= high.z))
    return 0.0f;
  const float3 place = (at - low) / (high - low) * convert_float3(size) - 0.5f;
  const int x = (int)place.x, y = (int)place.y, z = (int)place.z;
  const float dx = place.x - x, dy = place.y - y, dz = place.z - z;
#define ROW(y, z) between(dx, voxel(densities, size, x, y, z), voxel(densities, size, x + 1, y, z))
  return between(dz, between(dy, ROW(y, z), ROW(y + 1, z)), between(dy, ROW(y, z + 1), ROW(y + 1, z + 1)));
}

// How much light comes from `at` to the lamp.
float transmittance(global const float *densities, int3 size, float3 at, float absorbed) {
  const float3 ray = light - at;
  float enters, leaves;
  if (!meets(at, ray, &enters, &leaves))
    return 1.0f;
  enters = max(enters, 0.0f);
  const float step = 0.2f, part = step / sqrt(ray.x * ray.x + ray.y * ray.y + ray.z * ray.z);
  float tau = 0.0f;
  float3 place = at + ray * enters;
  for (float t = enters; t < leaves; t += part) {
    tau += step * absorbed * density(densities, size, place);
    place += ray * part;
  }
  return exp(-tau);
}

kernel void volume(global const float *densities, int4 size4, constant float *camera, constant float *world, int width,
                   global float *image) {
  const int2 pixel = pixel_of_tile(width);
  const int3 size = size4.xyz;
  const float3 origin = origin_of(world), ray = direction(camera, world, pixel.x, pixel.y);
  float radiance = 0.0f, enters, leaves;
  if (meets(origin, ray, &enters, &leaves)) {
    enters = max(enters, 0.0f);
    const float step = 0.025f, part = step / sqrt(ray.x * ray.x + ray.y * ray.y + ray.z * ray.z);
    float tau = 0.0f;
    float3 at = origin + ray * enters;
    for (float t = enters; t < leaves; t += part) {
      const float here = density(densities, size, at);
      const float left = exp(-tau);
      if (left < 0.005f)
        break;
      const float3 way = light - at;
      const float lit = 40.0f / (way.x * way.x + way.y * way.y + way.z * way.z) * transmittance(densities, size, at, 20.0f);
      radiance += step * left * here * 10.0f * (lit + 0.25f);
      tau += step * 20.0f * here;
      at += ray * part;
    }
    radiance = pow(radiance, 1.0f / 2.2f);
  }
  image[pixel.y * width + pixel.x] = radiance;
}

// ---- triangles in a tree of boxes, in which a sub-group goes together

struct Node {
  float low[3], high[3];
  uint offset; // of the first triangle, or of the second child; the first one follows
  uchar triangles, axis;
  ushort unused;
};

struct Triangle {
  float corners[3][4];
  int id, unused[3];
};

float3 corner(global const struct Triangle *triangle, int i) {
  return (float3)(triangle->corners[i][0], triangle->corners[i][1], triangle->corners[i][2]);
}

float product(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

float3 cross_product(float3 a, float3 b) {
  return (float3)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

bool meets_box(global const struct Node *node, float3 origin, float3 inverse, float farthest) {
  const float3 a = ((float3)(node->low[0], node->low[1], node->low[2]) - origin) * inverse,
               b = ((float3)(node->high[0], node->high[1], node->high[2]) - origin) * inverse;
  const float3 near = min(a, b), far = max(a, b);
  return max(max(near.x, near.y), max(near.z, 0.0f)) <= min(min(far.x, far.y), min(far.z, farthest));
}

kernel void rays(global const struct Node *nodes, global const struct Triangle *triangles, constant float *camera,
                 constant float *world, int width, float x_scale, float y_scale, global float *depths, global int *ids) {
  const int2 pixel = pixel_of_tile(width);
  const float3 origin = origin_of(world), ray = direction(camera, world, pixel.x * x_scale, pixel.y * y_scale), inverse = 1.0f / ray;
  const int is_negative = (sub_group_any(inverse.x < 0.0f) ? 1 : 0) | (sub_group_any(inverse.y < 0.0f) ? 2 : 0) |
                          (sub_group_any(inverse.z < 0.0f) ? 4 : 0);
  float depth = 1e30f;
  int id = 0;
  int open[64], count = 0, at = 0;
  for (;;) {
    global const struct Node *node = &nodes[at];
    if (sub_group_any(meets_box(node, origin, inverse, depth))) {
      if (node->triangles == 0) { // first the child that lies nearer
        const bool is_second = is_negative >> node->axis & 1;
        open[count++] = is_second ? at + 1 : (int)node->offset;
        at = is_second ? (int)node->offset : at + 1;
        continue;
      }
      for (uint i = 0; i < node->triangles; ++i) {
        global const struct Triangle *triangle = &triangles[node->offset + i];
        const float3 p = corner(triangle, 0), e1 = corner(triangle, 1) - p, e2 = corner(triangle, 2) - p;
        const float3 s1 = cross_product(ray, e2), d = origin - p, s2 = cross_product(d, e1);
        const float divisor = product(s1, e1), scale = 1.0f / divisor;
        const float b1 = product(d, s1) * scale, b2 = product(ray, s2) * scale, t = product(e2, s2) * scale;
        if (divisor != 0.0f && !(b1 < 0.0f || b1 > 1.0f) && !(b2 < 0.0f || b1 + b2 > 1.0f) && !(t < 0.0f || t > depth)) {
          depth = t;
          id = triangle->id;
        }
      }
    }
    if (count == 0)
      break;
    at = open[--count];
  }
  depths[pixel.y * width + pixel.x] = depth;
  ids[pixel.y * width + pixel.x] = id;
}
