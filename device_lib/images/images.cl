// Image functions (OpenCL C 6.15.15) for each image type: they map the coordinates and call the
// functions of image_access.cl. OpImageWrite calls __spirv_write_image for integers whose sign the
// program does not give.
#include "device_lib/images/images.h"

#pragma OPENCL EXTENSION cl_khr_depth_images : enable
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// Samplers are numbers and images are addresses of descriptors; see lower-image-types.
PURE uint __lockstep_sampler(sampler_t sampler);
#define DESCRIPTOR(type, access, qualifier) PURE image_pointer __lockstep_descriptor_##type##_##access(qualifier type##_t image);

// The shape of each image type, and its x, y, z and layer coordinates.
#define SHAPE_image1d 1u
#define SHAPE_image1d_buffer 1u
#define SHAPE_image1d_array (1u | LAYERED)
#define SHAPE_image2d 2u
#define SHAPE_image2d_array (2u | LAYERED)
#define SHAPE_image2d_depth 2u
#define SHAPE_image2d_array_depth (2u | LAYERED)
#define SHAPE_image3d 3u
#define AT_image1d(c) (c), 0, 0, 0
#define AT_image1d_buffer(c) (c), 0, 0, 0
#define AT_image1d_array(c) (c).x, 0, 0, (c).y
#define AT_image2d(c) (c).x, (c).y, 0, 0
#define AT_image2d_array(c) (c).x, (c).y, 0, (c).z
#define AT_image2d_depth(c) (c).x, (c).y, 0, 0
#define AT_image2d_array_depth(c) (c).x, (c).y, 0, (c).z
#define AT_image3d(c) (c).x, (c).y, (c).z, 0

#define SAMPLE(type, n, name, result, suffix, part)                                                                    \
  BUILTIN result name(read_only type##_t image, sampler_t sampler, float##n at) {                                      \
    image_pointer i = __lockstep_descriptor_##type##_ro(image);                                                             \
    return __lockstep_image_sample_##suffix(i, __lockstep_image_format(i), __lockstep_sampler(sampler), SHAPE_##type,  \
                                            AT_##type(at)) part;                                                       \
  }                                                                                                                    \
  BUILTIN result name(read_only type##_t image, sampler_t sampler, int##n at) {                                        \
    image_pointer i = __lockstep_descriptor_##type##_ro(image);                                                             \
    return __lockstep_image_read_##suffix(i, __lockstep_image_format(i), __lockstep_sampler(sampler), SHAPE_##type,    \
                                          AT_##type(at)) part;                                                         \
  }
// Reads without a sampler behave like CLK_ADDRESS_NONE.
#define READ(type, n, access, qualifier, name, result, suffix, part)                                                   \
  BUILTIN result name(qualifier type##_t image, int##n at) {                                                           \
    image_pointer i = __lockstep_descriptor_##type##_##access(image);                                                       \
    return __lockstep_image_read_##suffix(i, __lockstep_image_format(i), 0, SHAPE_##type, AT_##type(at)) part;         \
  }
#define WRITE(type, n, access, qualifier, name, value_type, suffix, value)                                             \
  BUILTIN void name(qualifier type##_t image, int##n at, value_type color) {                                           \
    image_pointer i = __lockstep_descriptor_##type##_##access(image);                                                       \
    __lockstep_image_write_##suffix(i, __lockstep_image_format(i), SHAPE_##type, AT_##type(at), value);                \
  }

#define FOR_EACH_ACCESS(macro, type)                                                                                   \
  macro(type, ro, read_only) macro(type, wo, write_only) macro(type, rw, read_write)

#define SAMPLED(type, n)                                                                                               \
  SAMPLE(type, n, read_imagef, float4, f, )                                                                            \
  SAMPLE(type, n, read_imagei, int4, i, )                                                                              \
  SAMPLE(type, n, read_imageui, uint4, u, )
#define READABLE(type, n, access, qualifier)                                                                           \
  READ(type, n, access, qualifier, read_imagef, float4, f, )                                                           \
  READ(type, n, access, qualifier, read_imagei, int4, i, )                                                             \
  READ(type, n, access, qualifier, read_imageui, uint4, u, )
#define WRITABLE(type, n, access, qualifier)                                                                           \
  WRITE(type, n, access, qualifier, write_imagef, float4, f, color)                                                    \
  WRITE(type, n, access, qualifier, write_imagei, int4, i, color)                                                      \
  WRITE(type, n, access, qualifier, write_imageui, uint4, u, color)                                                    \
  WRITE(type, n, access, qualifier, __spirv_write_image, int4, any, color)
#define COLOR_IMAGE(type, n)                                                                                          \
  READABLE(type, n, ro, read_only)                                                                                     \
  READABLE(type, n, rw, read_write)                                                                                    \
  WRITABLE(type, n, wo, write_only)                                                                                    \
  WRITABLE(type, n, rw, read_write)
#define DEPTH_IMAGE(type, n)                                                                                           \
  SAMPLE(type, n, read_imagef, float, f, .x)                                                                           \
  READ(type, n, ro, read_only, read_imagef, float, f, .x)                                                              \
  READ(type, n, rw, read_write, read_imagef, float, f, .x)                                                             \
  WRITE(type, n, wo, write_only, write_imagef, float, f, (float4)(color, 0, 0, 0))                                     \
  WRITE(type, n, rw, read_write, write_imagef, float, f, (float4)(color, 0, 0, 0))

// Halves are the float results rounded once more: exact for half images, within one step for
// others.
#define HALF_SAMPLES(type, n)                                                                                          \
  BUILTIN half4 read_imageh(read_only type##_t image, sampler_t sampler, float##n at) {                                \
    return __builtin_convertvector(read_imagef(image, sampler, at), half4);                                            \
  }                                                                                                                    \
  BUILTIN half4 read_imageh(read_only type##_t image, sampler_t sampler, int##n at) {                                  \
    return __builtin_convertvector(read_imagef(image, sampler, at), half4);                                            \
  }
#define HALF_READ(type, n, qualifier)                                                                                  \
  BUILTIN half4 read_imageh(qualifier type##_t image, int##n at) {                                                     \
    return __builtin_convertvector(read_imagef(image, at), half4);                                                     \
  }
#define HALF_WRITE(type, n, qualifier)                                                                                 \
  BUILTIN void write_imageh(qualifier type##_t image, int##n at, half4 color) {                                        \
    write_imagef(image, at, __builtin_convertvector(color, float4));                                                   \
  }
#define HALF_IMAGE(type, n)                                                                                            \
  HALF_READ(type, n, read_only)                                                                                        \
  HALF_READ(type, n, read_write)                                                                                       \
  HALF_WRITE(type, n, write_only)                                                                                      \
  HALF_WRITE(type, n, read_write)

// ---- mipmaps

// Length of a gradient step in texels of the finest level. Of two gradients, the longer step
// counts.
#define LENGTH_image1d(image, g) fabs((g) * image->width)
#define LENGTH_image1d_array(image, g) LENGTH_image1d(image, g)
#define LENGTH_image2d(image, g) length((g) * (float2)(image->width, image->height))
#define LENGTH_image2d_array(image, g) LENGTH_image2d(image, g)
#define LENGTH_image2d_depth(image, g) LENGTH_image2d(image, g)
#define LENGTH_image2d_array_depth(image, g) LENGTH_image2d(image, g)
#define LENGTH_image3d(image, g) length((g).xyz * (float3)(image->width, image->height, image->depth))

// n: number of coordinates, g: number of gradient components.
#define SAMPLE_LEVEL(type, n, g, access, qualifier, name, result, suffix, part)                                                        \
  BUILTIN result name(qualifier type##_t image, sampler_t sampler, float##n at, float lod) {                           \
    image_pointer i = __lockstep_descriptor_##type##_##access(image);                                                       \
    return __lockstep_image_sample_level_##suffix(i, __lockstep_image_format(i), __lockstep_sampler(sampler),          \
                                                  SHAPE_##type, AT_##type(at), lod) part;                              \
  }                                                                                                                    \
  BUILTIN result name(qualifier type##_t image, sampler_t sampler, float##n at, float##g dx, float##g dy) {            \
    image_pointer i = __lockstep_descriptor_##type##_##access(image);                                                       \
    float lod = log2(fmax(LENGTH_##type(i, dx), LENGTH_##type(i, dy)));                                                \
    return __lockstep_image_sample_level_##suffix(i, __lockstep_image_format(i), __lockstep_sampler(sampler),          \
                                                  SHAPE_##type, AT_##type(at), lod) part;                              \
  }
// If the level does not exist, the write goes to a coordinate outside of the image.
#define WRITE_LEVEL(type, n, access, qualifier, name, value_type, suffix, value)                                                          \
  BUILTIN void name(qualifier type##_t image, int##n at, int lod, value_type color) {                                  \
    image_pointer i = __lockstep_descriptor_##type##_##access(image);                                                       \
    bool is_there = (uint)lod < i->levels;                                                                             \
    at = is_there ? at : (int##n)(-1);                                                                                 \
    __lockstep_image_write_##suffix(i + (is_there ? lod : 0), __lockstep_image_format(i), SHAPE_##type, AT_##type(at), \
                                    value);                                                                            \
  }
#define SAMPLED_LEVELS(type, n, g, access, qualifier)                                                                  \
  SAMPLE_LEVEL(type, n, g, access, qualifier, read_imagef, float4, f, )                                                \
  SAMPLE_LEVEL(type, n, g, access, qualifier, read_imagei, int4, i, )                                                  \
  SAMPLE_LEVEL(type, n, g, access, qualifier, read_imageui, uint4, u, )
#define WRITABLE_LEVELS(type, n, access, qualifier)                                                                    \
  WRITE_LEVEL(type, n, access, qualifier, write_imagef, float4, f, color)                                              \
  WRITE_LEVEL(type, n, access, qualifier, write_imagei, int4, i, color)                                                \
  WRITE_LEVEL(type, n, access, qualifier, write_imageui, uint4, u, color)                                              \
  WRITE_LEVEL(type, n, access, qualifier, __spirv_write_image, int4, any, color)
#define MIPMAPPED(type, n, g)                                                                                          \
  SAMPLED_LEVELS(type, n, g, ro, read_only)                                                                            \
  SAMPLED_LEVELS(type, n, g, rw, read_write)                                                                           \
  WRITABLE_LEVELS(type, n, wo, write_only)                                                                             \
  WRITABLE_LEVELS(type, n, rw, read_write)
#define MIPMAPPED_DEPTH(type, n, g)                                                                                    \
  SAMPLE_LEVEL(type, n, g, ro, read_only, read_imagef, float, f, .x)                                                   \
  SAMPLE_LEVEL(type, n, g, rw, read_write, read_imagef, float, f, .x)                                                  \
  WRITE_LEVEL(type, n, wo, write_only, write_imagef, float, f, (float4)(color, 0, 0, 0))                               \
  WRITE_LEVEL(type, n, rw, read_write, write_imagef, float, f, (float4)(color, 0, 0, 0))

#define QUERY(type, access, qualifier, name, result, expression)                                                       \
  BUILTIN PURE result name(qualifier type##_t image) {                                                                 \
    image_pointer i = __lockstep_descriptor_##type##_##access(image);                                                       \
    return expression;                                                                                                 \
  }
// CLK_R and similar constants, which the header defines with the values of OpenCL's API.
#define EVERY_QUERY(type, access, qualifier)                                                                           \
  QUERY(type, access, qualifier, get_image_width, int, i->width)                                                       \
  QUERY(type, access, qualifier, get_image_channel_data_type, int,                                                     \
        CLK_SNORM_INT8 & ~0xff | DATA_TYPE(__lockstep_image_format(i)))                                                \
  QUERY(type, access, qualifier, get_image_channel_order, int,                                                         \
        CLK_R & ~0xff | CHANNEL_ORDER(__lockstep_image_format(i)))
#define HEIGHT_QUERY(type, access, qualifier)                                                                          \
  QUERY(type, access, qualifier, get_image_height, int, i->height)                                                     \
  /* Types with a height but without a depth. */
#define PLANE_QUERY(type, access, qualifier)                                                                           \
  HEIGHT_QUERY(type, access, qualifier)                                                                                \
  QUERY(type, access, qualifier, get_image_dim, int2, (int2)(i->width, i->height))
#define VOLUME_QUERY(type, access, qualifier)                                                                          \
  HEIGHT_QUERY(type, access, qualifier)                                                                                \
  QUERY(type, access, qualifier, get_image_depth, int, i->depth)                                                       \
  QUERY(type, access, qualifier, get_image_dim, int4, (int4)(i->width, i->height, i->depth, 0))
#define LEVEL_QUERY(type, access, qualifier) QUERY(type, access, qualifier, get_image_num_mip_levels, int, i->levels)
#define LAYER_QUERY(type, access, qualifier) QUERY(type, access, qualifier, get_image_array_size, size_t, i->layers)

#define EVERY_TYPE(macro)                                                                                              \
  macro(image1d) macro(image1d_buffer) macro(image1d_array) macro(image2d) macro(image2d_array) macro(image2d_depth)   \
      macro(image2d_array_depth) macro(image3d)
#define DECLARE(type) FOR_EACH_ACCESS(DESCRIPTOR, type)
#define ASK(type) FOR_EACH_ACCESS(EVERY_QUERY, type)

EVERY_TYPE(DECLARE)
EVERY_TYPE(ASK)
FOR_EACH_ACCESS(PLANE_QUERY, image2d)
FOR_EACH_ACCESS(PLANE_QUERY, image2d_array)
FOR_EACH_ACCESS(PLANE_QUERY, image2d_depth)
FOR_EACH_ACCESS(PLANE_QUERY, image2d_array_depth)
FOR_EACH_ACCESS(VOLUME_QUERY, image3d)
FOR_EACH_ACCESS(LAYER_QUERY, image1d_array)
FOR_EACH_ACCESS(LAYER_QUERY, image2d_array)
FOR_EACH_ACCESS(LAYER_QUERY, image2d_array_depth)

SAMPLED(image1d, )
SAMPLED(image1d_array, 2)
SAMPLED(image2d, 2)
SAMPLED(image2d_array, 4)
SAMPLED(image3d, 4)
COLOR_IMAGE(image1d, )
COLOR_IMAGE(image1d_buffer, )
COLOR_IMAGE(image1d_array, 2)
COLOR_IMAGE(image2d, 2)
COLOR_IMAGE(image2d_array, 4)
COLOR_IMAGE(image3d, 4)
DEPTH_IMAGE(image2d_depth, 2)
DEPTH_IMAGE(image2d_array_depth, 4)
HALF_SAMPLES(image1d, )
HALF_SAMPLES(image1d_array, 2)
HALF_SAMPLES(image2d, 2)
HALF_SAMPLES(image2d_array, 4)
HALF_SAMPLES(image3d, 4)
HALF_IMAGE(image1d, )
HALF_IMAGE(image1d_buffer, )
HALF_IMAGE(image1d_array, 2)
HALF_IMAGE(image2d, 2)
HALF_IMAGE(image2d_array, 4)
HALF_IMAGE(image3d, 4)

MIPMAPPED(image1d, , )
MIPMAPPED(image1d_array, 2, )
MIPMAPPED(image2d, 2, 2)
MIPMAPPED(image2d_array, 4, 2)
MIPMAPPED(image3d, 4, 4)
MIPMAPPED_DEPTH(image2d_depth, 2, 2)
MIPMAPPED_DEPTH(image2d_array_depth, 4, 2)
FOR_EACH_ACCESS(LEVEL_QUERY, image1d)
FOR_EACH_ACCESS(LEVEL_QUERY, image1d_array)
FOR_EACH_ACCESS(LEVEL_QUERY, image2d)
FOR_EACH_ACCESS(LEVEL_QUERY, image2d_array)
FOR_EACH_ACCESS(LEVEL_QUERY, image2d_depth)
FOR_EACH_ACCESS(LEVEL_QUERY, image2d_array_depth)
FOR_EACH_ACCESS(LEVEL_QUERY, image3d)
