#include "value.h"

#include "conversions.h"

namespace lockstep::fuzz {

std::string name(Elem e) {
  static const char *const names[] = {"char", "uchar", "short", "ushort", "int", "uint",
                                      "long", "ulong", "float", "double", "half"};
  return names[int(e)];
}

double half_value(uint16_t half) {
  return double(to_float(half_to_float(half)));
}

uint16_t nearest_half(double d) {
  return to_half(Elem::f64, from_double(d), Rounding::rte);
}

std::string name(Type t) {
  return name(t.elem) + (t.lanes == 1 ? "" : std::to_string(t.lanes));
}

uint64_t convert(Elem from, Elem to, uint64_t v) {
  if (is_float(from) && is_float(to))
    return from_floating(to, floating(from, v));
  if (is_float(from))
    return wrap(to, uint64_t(int64_t(floating(from, v)))); // printed as a cast to int or long first
  if (!is_float(to))
    return wrap(to, uint64_t(signed_value(from, v)));
  // Rounds only once: not through double.
  if (to == Elem::f16)
    return convert_rounded(from, to, v, false, Rounding::rte);
  if (to == Elem::f32)
    return is_signed(from) ? from_float(float(signed_value(from, v))) : from_float(float(v));
  return is_signed(from) ? from_double(double(signed_value(from, v))) : from_double(double(v));
}

Value splat(Type type, uint32_t number) {
  Value v(type);
  for (unsigned i = 0; i < type.lanes; ++i)
    v.lane[i] = is_float(type.elem) ? from_floating(type.elem, number) : number;
  return v;
}

Value load(Type type, const uint8_t *memory) {
  Value value(type);
  const unsigned size = bits(type.elem) / 8;
  for (unsigned i = 0; i < type.lanes; ++i)
    std::memcpy(&value.lane[i], memory + i * size, size);
  return value;
}

void store(const Value &value, uint8_t *memory) {
  const unsigned size = bits(value.type.elem) / 8;
  for (unsigned i = 0; i < value.type.lanes; ++i)
    std::memcpy(memory + i * size, &value.lane[i], size);
}

} // namespace lockstep::fuzz
