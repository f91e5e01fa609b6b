#include "structure.h"

#include <algorithm>

namespace lockstep::fuzz {

namespace {

size_t rounded_up(size_t n, size_t to) {
  return (n + to - 1) / to * to;
}

// Follows the x86-64 ABI: from the lowest bit on, and never across a boundary of the declared type
// unless the structure is packed.
void place_bit_field(Member &m, size_t &bit, bool packed) {
  const size_t unit = size_of(m.data.type) * 8;
  if (!packed && bit / unit != (bit + m.bit_width - 1) / unit)
    bit = rounded_up(bit, unit);
  m.offset = bit / 8;
  m.bit_offset = unsigned(bit % 8);
  bit += m.bit_width;
}

void add_to_mask(Structure &s, const Member &m, const Structures &structures) {
  if (m.bit_width) {
    for (size_t bit = m.offset * 8 + m.bit_offset; bit < m.offset * 8 + m.bit_offset + m.bit_width;
         ++bit)
      s.mask[bit / 8] |= uint8_t(1 << bit % 8);
    return;
  }
  const DataType element = m.data.element();
  const size_t size = size_of(element, structures);
  for (uint32_t i = 0; i < std::max(1u, m.data.count); ++i) {
    uint8_t *at = &s.mask[m.offset + i * size];
    if (element.is_structure())
      std::ranges::copy(structures[element.structure].mask, at);
    else
      std::fill_n(at, element.type.lanes * (bits(element.type.elem) / 8), uint8_t(0xff));
  }
}

void add_leaves(const DataType &data, const Structures &structures, const Path &path, size_t offset,
                std::vector<Leaf> &out) {
  if (!data.is_structure()) {
    out.push_back({path, data.type, offset});
    return;
  }
  const Structure &s = structures[data.structure];
  for (size_t i = 0; i < (s.is_union ? 1 : s.members.size()); ++i) {
    const Member &m = s.members[i];
    const size_t size = size_of(m.data.element(), structures);
    for (uint32_t index = 0; index < std::max(1u, m.data.count); ++index) {
      Path inner = path;
      inner.push_back({uint8_t(i), index});
      if (m.bit_width)
        out.push_back({inner, m.data.type, offset + m.offset, m.bit_offset, m.bit_width});
      else
        add_leaves(m.data.element(), structures, inner, offset + m.offset + index * size, out);
    }
  }
}

} // namespace

bool Structure::has_padding() const {
  return std::ranges::any_of(mask, [](uint8_t m) { return m != 0xff; });
}

size_t size_of(const DataType &data, const Structures &structures) {
  const size_t one = data.is_structure() ? structures[data.structure].size : size_of(data.type);
  return one * std::max(1u, data.count);
}

size_t alignment_of(const DataType &data, const Structures &structures) {
  return data.is_structure() ? structures[data.structure].alignment : size_of(data.type);
}

void lay_out(Structure &s, const Structures &structures) {
  size_t bit = 0; // where the next member may begin
  size_t end = 0;
  s.alignment = 1;
  for (Member &m : s.members) {
    size_t alignment = s.packed ? 1 : alignment_of(m.data, structures);
    alignment = std::max<size_t>(alignment, m.aligned);
    s.alignment = std::max(s.alignment, alignment);
    if (m.bit_width) {
      place_bit_field(m, bit, s.packed);
    } else {
      m.offset = s.is_union ? 0 : rounded_up(rounded_up(bit, 8) / 8, alignment);
      bit = (m.offset + size_of(m.data, structures)) * 8;
    }
    end = std::max(end, rounded_up(bit, 8) / 8);
  }
  s.alignment = std::max<size_t>(s.alignment, s.aligned);
  s.size = rounded_up(end, s.alignment);
  s.mask.assign(s.size, 0);
  for (const Member &m : s.members)
    add_to_mask(s, m, structures);
}

std::string structure_name(int structure) {
  return "S" + std::to_string(structure);
}

std::string member_name(size_t member) {
  return "m" + std::to_string(member);
}

std::string type_name(const DataType &data) {
  return data.is_structure() ? structure_name(data.structure) : name(data.type);
}

std::vector<Leaf> leaves(const DataType &data, const Structures &structures) {
  std::vector<Leaf> list;
  add_leaves(data.element(), structures, {}, 0, list);
  return list;
}

Value load_bits(Type type, const uint8_t *memory, unsigned bit_offset, unsigned bit_width) {
  if (!bit_width)
    return load(type, memory);
  uint64_t v = 0;
  for (unsigned i = 0; i < bit_width; ++i)
    v |= uint64_t(memory[(bit_offset + i) / 8] >> (bit_offset + i) % 8 & 1) << i;
  if (is_signed(type.elem) && v >> (bit_width - 1) & 1)
    v |= ~uint64_t(0) << (bit_width - 1);
  return {type, wrap(type.elem, v)};
}

void store_bits(const Value &value, uint8_t *memory, unsigned bit_offset, unsigned bit_width) {
  if (!bit_width)
    return store(value, memory);
  for (unsigned i = 0; i < bit_width; ++i) {
    const uint8_t bit = uint8_t(1 << (bit_offset + i) % 8);
    uint8_t &byte = memory[(bit_offset + i) / 8];
    byte = uint8_t(value.lane[0] >> i & 1 ? byte | bit : byte & ~bit);
  }
}

} // namespace lockstep::fuzz
