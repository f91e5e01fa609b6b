// Structures and unions of the generated kernels, and where their members lie.
//
// The layout is computed here from the rules of OpenCL C, not asked of a compiler: a scalar lies at a
// multiple of its size, a vector at one of its own (of three: as of four), a structure at one of its
// largest member's, unless `packed` and `aligned` say otherwise. Each printed program asserts sizes
// and offsets, so a compiler that disagrees refuses it.
//
// All members of a union are of one size and have no padding, so that what is written through one
// may be read through another.
#pragma once

#include "value.h"

#include <vector>

namespace lockstep::fuzz {

struct Structure;
using Structures = std::vector<Structure>;

inline constexpr Type type_none{Elem::i8, 0}; // of what is no value

// A value, a structure, or an array of either.
struct DataType {
  Type type{};        // of a structure: type_none
  int structure = -1; // else of a value
  uint32_t count = 0; // 0: no array
  bool operator==(const DataType &) const = default;
  bool is_structure() const { return structure >= 0; }
  DataType element() const { return {type, structure, 0}; }
};

struct Member {
  DataType data;
  unsigned aligned = 0;   // the attribute's number
  unsigned bit_width = 0; // of a bit-field; it begins `bit_offset` bits after `offset`
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

// Computes offsets, size, alignment and mask of a structure whose parts are among `structures`.
void lay_out(Structure &structure, const Structures &structures);

size_t size_of(const DataType &data, const Structures &structures);
size_t alignment_of(const DataType &data, const Structures &structures);
std::string structure_name(int structure);
std::string member_name(size_t member);
std::string type_name(const DataType &data); // without the count

// The way from a structure to a part of it: members, each with an index where it is an array.
struct PathStep {
  uint8_t member;
  uint32_t index = 0;
};
using Path = std::vector<PathStep>;

// A part that is a value, with where it is. Of a union, only the first member's parts.
struct Leaf {
  Path path;
  Type type;
  size_t offset;
  unsigned bit_offset = 0, bit_width = 0;
};
std::vector<Leaf> leaves(const DataType &data, const Structures &structures);

// Some bits as a value, and back. Without a width: the value as it lies in memory.
Value load_bits(Type type, const uint8_t *memory, unsigned bit_offset, unsigned bit_width);
void store_bits(const Value &value, uint8_t *memory, unsigned bit_offset, unsigned bit_width);

} // namespace lockstep::fuzz
