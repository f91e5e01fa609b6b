// Types and values of the generated kernels, and the arithmetic of the reference interpreter.
//
// A value is stored as the bits of its lanes, each zero-extended to 64 bits; the type defines their
// meaning. All integer arithmetic wraps; the printer (print.cpp) prints it in a form that is
// defined in OpenCL C.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace lockstep::fuzz {

enum class Elem : uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f16 };
inline constexpr int elem_count = 11;

struct Type {
  Elem elem = Elem::i32;
  uint8_t lanes = 1; // 1, 2, 3, 4, 8, 16
  bool operator==(const Type &) const = default;
};

constexpr bool is_float(Elem e) {
  return e >= Elem::f32;
}
constexpr bool is_signed(Elem e) {
  return is_float(e) || int(e) % 2 == 0;
}
constexpr unsigned bits(Elem e) {
  return e == Elem::f16 ? 16 : e == Elem::f32 ? 32 : e == Elem::f64 ? 64 : 8u << (int(e) / 2);
}
constexpr Elem to_signed(Elem e) {
  return e == Elem::f16   ? Elem::i16
         : e == Elem::f32 ? Elem::i32
         : e == Elem::f64 ? Elem::i64
                          : Elem(int(e) & ~1);
}
constexpr Elem to_unsigned(Elem e) {
  return Elem(int(to_signed(e)) | 1);
}
// A vector of three takes the room of four.
constexpr size_t size_of(Type t) {
  return size_t(t.lanes == 3 ? 4 : t.lanes) * (bits(t.elem) / 8);
}

std::string name(Elem e);
std::string name(Type t); // "uint", "float4"

inline constexpr Type type_int{Elem::i32, 1};
inline constexpr Type type_uint{Elem::u32, 1};
inline constexpr Type type_ulong{Elem::u64, 1};

struct Value {
  Type type;
  uint64_t lane[16];

  Value() : type(type_int) { lane[0] = 0; }
  explicit Value(Type t) : type(t) { std::memset(lane, 0, t.lanes * sizeof *lane); }
  Value(Type t, uint64_t scalar) : type(t) { lane[0] = scalar; }
  Value(const Value &other) { *this = other; }
  Value &operator=(const Value &other) {
    type = other.type;
    std::memcpy(lane, other.lane, type.lanes * sizeof *lane);
    return *this;
  }
};

inline uint64_t wrap(Elem e, uint64_t v) {
  return bits(e) == 64 ? v : v & ((uint64_t(1) << bits(e)) - 1);
}
inline int64_t signed_value(Elem e, uint64_t v) {
  unsigned shift = 64 - bits(e);
  return is_signed(e) ? int64_t(v << shift) >> shift : int64_t(v);
}
inline float to_float(uint64_t v) {
  uint32_t bits_of_it = uint32_t(v);
  float f;
  std::memcpy(&f, &bits_of_it, 4);
  return f;
}
inline double to_double(uint64_t v) {
  double d;
  std::memcpy(&d, &v, 8);
  return d;
}
inline uint64_t from_float(float f) {
  uint32_t v;
  std::memcpy(&v, &f, 4);
  return v;
}
inline uint64_t from_double(double d) {
  uint64_t v;
  std::memcpy(&v, &d, 8);
  return v;
}
double half_value(uint16_t half);
uint16_t nearest_half(double d);
inline double floating(Elem e, uint64_t v) {
  return e == Elem::f32   ? double(to_float(v))
         : e == Elem::f64 ? to_double(v)
                          : half_value(uint16_t(v));
}
inline uint64_t from_floating(Elem e, double d) {
  return e == Elem::f32   ? from_float(float(d))
         : e == Elem::f64 ? from_double(d)
                          : uint64_t(nearest_half(d));
}

// The same small number in all lanes.
Value splat(Type type, uint32_t number);

// Converts like a cast. Floats must be cleaned (operations.h) before a conversion to integer.
uint64_t convert(Elem from, Elem to, uint64_t v);

// Reads a value from memory, little-endian.
Value load(Type type, const uint8_t *memory);
void store(const Value &value, uint8_t *memory);

} // namespace lockstep::fuzz
