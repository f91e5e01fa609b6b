// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Texel access of image accessors: kernels call the functions that implement OpenCL C's images; the
// host calls the library's versions, which are compiled from the same source
// (device_lib/images/image_access.cl).
#pragma once

#include "sycl/detail/library.hpp"
#include "sycl/half.hpp"
#include "sycl/vec.hpp"

namespace sycl::detail {

// The coordinate type: one number, or a vec of two or four.
template <class T, int Dimensions> struct image_place_of {
  using type = vec<T, Dimensions == 2 ? 2 : 4>;
};
template <class T> struct image_place_of<T, 1> {
  using type = T;
};
template <class T, int Dimensions> using image_place = typename image_place_of<T, Dimensions>::type;

// Returns x, y or z, or 0 if that dimension does not exist.
template <int At, class T> T coordinate(const T &place) {
  return At == 0 ? place : T(0);
}
template <int At, class T, int Size> T coordinate(const vec<T, Size> &place) {
  if constexpr (At < Size && At < 3)
    return place.template swizzle<At>();
  else
    return T(0);
}

// Texel functions for floats or 32-bit integers.
template <texel_type Type> struct texel_functions;

#ifdef __SYCL_DEVICE_ONLY__

// The accessor stores the address as a number. The functions take a pointer to constant memory, for
// which clang has no keyword here.
using descriptor_pointer = const __attribute__((address_space(2))) void *;
template <class T> using texel_register = T __attribute__((ext_vector_type(4)));

// Their `shape` argument is the number of dimensions.
#define LOCKSTEP_TEXELS(suffix, which, element)                                                    \
  texel_register<element> sample_##suffix(                                                         \
      descriptor_pointer, std::uint32_t format, std::uint32_t sampler, std::uint32_t shape,        \
      float x, float y, float z, float layer) __asm__("__lockstep_image_sample_" #suffix);         \
  texel_register<element> read_##suffix(                                                           \
      descriptor_pointer, std::uint32_t format, std::uint32_t sampler, std::uint32_t shape, int x, \
      int y, int z, int layer) __asm__("__lockstep_image_read_" #suffix);                          \
  void write_##suffix(descriptor_pointer, std::uint32_t format, std::uint32_t shape, int x, int y, \
                      int z, int layer,                                                            \
                      texel_register<element>) __asm__("__lockstep_image_write_" #suffix);         \
  template <> struct texel_functions<texel_type::which> {                                          \
    using texel = vec<element, 4>;                                                                 \
    template <int Dimensions> static texel get(const image_words &image, const float (&at)[3]) {   \
      return made(sample_##suffix(descriptor(image), std::uint32_t(image.kind),                    \
                                  std::uint32_t(image.kind >> 32), Dimensions, at[0], at[1],       \
                                  at[2], 0));                                                      \
    }                                                                                              \
    template <int Dimensions> static texel get(const image_words &image, const int (&at)[3]) {     \
      return made(read_##suffix(descriptor(image), std::uint32_t(image.kind),                      \
                                std::uint32_t(image.kind >> 32), Dimensions, at[0], at[1], at[2],  \
                                0));                                                               \
    }                                                                                              \
    template <int Dimensions>                                                                      \
    static void put(const image_words &image, const int (&at)[3], const texel &value) {            \
      write_##suffix(descriptor(image), std::uint32_t(image.kind), Dimensions, at[0], at[1],       \
                     at[2], 0,                                                                     \
                     texel_register<element>{value.x(), value.y(), value.z(), value.w()});         \
    }                                                                                              \
    static descriptor_pointer descriptor(const image_words &image) {                               \
      return reinterpret_cast<descriptor_pointer>(image.descriptor);                               \
    }                                                                                              \
    static texel made(texel_register<element> from) {                                              \
      return {from[0], from[1], from[2], from[3]};                                                 \
    }                                                                                              \
  };

#else

#define LOCKSTEP_TEXELS(suffix, which, element)                                                    \
  template <> struct texel_functions<texel_type::which> {                                          \
    using texel = vec<element, 4>;                                                                 \
    template <int Dimensions> static texel get(const image_words &image, const float (&at)[3]) {   \
      texel value;                                                                                 \
      lockstep_sycl_library().images().sample(image, texel_type::which, Dimensions, at, &value);   \
      return value;                                                                                \
    }                                                                                              \
    template <int Dimensions> static texel get(const image_words &image, const int (&at)[3]) {     \
      texel value;                                                                                 \
      lockstep_sycl_library().images().read(image, texel_type::which, Dimensions, at, &value);     \
      return value;                                                                                \
    }                                                                                              \
    template <int Dimensions>                                                                      \
    static void put(const image_words &image, const int (&at)[3], const texel &value) {            \
      lockstep_sycl_library().images().write(image, texel_type::which, Dimensions, at, &value);    \
    }                                                                                              \
  };

#endif

LOCKSTEP_TEXELS(f, floating, float)
LOCKSTEP_TEXELS(i, signed_integer, std::int32_t)
LOCKSTEP_TEXELS(u, unsigned_integer, std::uint32_t)
#undef LOCKSTEP_TEXELS

// Maps the program's texel type to the type of the texel functions.
template <class Texel> struct texels_as {
  static_assert(
      !std::is_same_v<Texel, Texel>,
      "the texels of an image accessor are int4, uint4, float4 or half4 (SYCL 2020 section "
      "4.7.6.12)");
};
template <> struct texels_as<vec<float, 4>> : texel_functions<texel_type::floating> {};
template <> struct texels_as<vec<half, 4>> : texel_functions<texel_type::floating> {};
template <> struct texels_as<vec<std::int32_t, 4>> : texel_functions<texel_type::signed_integer> {};
template <>
struct texels_as<vec<std::uint32_t, 4>> : texel_functions<texel_type::unsigned_integer> {};

template <class To, class From> vec<To, 4> converted_texel(const vec<From, 4> &value) {
  return {To(value.x()), To(value.y()), To(value.z()), To(value.w())};
}

template <class Texel, int Dimensions, class T, class Place>
Texel get_texel(const image_words &image, const Place &place) {
  const T at[3] = {coordinate<0>(place), coordinate<1>(place), coordinate<2>(place)};
  return converted_texel<typename Texel::element_type>(
      texels_as<Texel>::template get<Dimensions>(image, at));
}
template <class Texel, int Dimensions, class Place>
void put_texel(const image_words &image, const Place &place, const Texel &value) {
  const int at[3] = {coordinate<0>(place), coordinate<1>(place), coordinate<2>(place)};
  texels_as<Texel>::template put<Dimensions>(
      image, at, converted_texel<typename texels_as<Texel>::texel::element_type>(value));
}

} // namespace sycl::detail
