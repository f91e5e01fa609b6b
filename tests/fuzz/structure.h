// Structures and unions of the generated kernels, and the layout of their members.
//
// The layout is computed here from the rules of OpenCL C, not taken from a compiler. A scalar is
// aligned to its size, a vector to its own size (of three: as of four), and a structure to the
// alignment of its largest member, unless `packed` and `aligned` change that. Each printed program
// asserts sizes and offsets, so a compiler that disagrees rejects it.
//
// All members of a union have the same size and no padding, so that a value written through one may
// be read through another.
#pragma once

#include "value.h"

#include <vector>

namespace lockstep::fuzz {

struct Structure;
using Structures = std::vector<Structure>;

inline constexpr Type type_none{Elem::i8, 0}; // for something that is not a value

// A value, a structure, or an array of either.
struct DataType {
  Type type{};        // for a structure: type_none
  int structure = -1; // -1 for a value
  uint32_t count = 0; // 0: not an array
  bool operator==(const DataType &) const = default;
  bool is_structure() const { return structure >= 0; }
  DataType element() const { return {type, structure, 0}; }
};

struct Member {
  DataType data;
  unsigned aligned = 0;   // the attribute's number
  unsigned bit_width = 0; // of a bit-field, which begins `bit_offset` bits after `offset`
  size_t offset = 0;
  unsigned bit_offset = 0;
};

struct Structure {
  bool is_union = false, packed = false;
  unsigned aligned = 0;
  std::vector<Member> members;
  size_t size = 0, alignment = 1;
  std::vector<uint8_t> mask{}; // the bits that belong to values; the rest is padding
  bool has_padding() const;
};

// Computes offsets, size, alignment and mask of a structure. Its members are among `structures`.
void lay_out(Structure &structure, const Structures &structures);

size_t size_of(const DataType &data, const Structures &structures);
size_t alignment_of(const DataType &data, const Structures &structures);
std::string structure_name(int structure);
std::string member_name(size_t member);
std::string type_name(const DataType &data); // without the count

// The path from a structure to a part of it: members, each with an index where it is an array.
struct PathStep {
  uint8_t member;
  uint32_t index = 0;
};
using Path = std::vector<PathStep>;

// A part that is a value, with its position. For a union: only the parts of the first member.
struct Leaf {
  Path path;
  Type type;
  size_t offset;
  unsigned bit_offset = 0, bit_width = 0;
};
std::vector<Leaf> leaves(const DataType &data, const Structures &structures);

// Converts bits to a value, and back. Without a width: the value as stored in memory.
Value load_bits(Type type, const uint8_t *memory, unsigned bit_offset, unsigned bit_width);
void store_bits(const Value &value, uint8_t *memory, unsigned bit_offset, unsigned bit_width);

} // namespace lockstep::fuzz
