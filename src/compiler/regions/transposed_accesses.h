// Combines accesses that form a tile with those of the next sub-groups, or of the next iterations
// of a loop (transpose_columns.cpp).
//
// In `to[x * n + y] = v` each lane has an address of its own, n elements after its neighbor's: a
// scatter to 16 cache lines for 16 elements. In the next row of work-items (y + 1) all addresses
// are one element further. So the sub-groups of 16 rows write one row of the tile for each lane. If
// interleave-sub-groups runs them at once, the vectors are transposed in registers, and each lane's
// row is one store. Column reads are handled in the same way.
//
// The cache lines are then written whole and once. The scatters touch each line in each row. If
// rows are a power of two apart, the lines compete for a few ways of the cache and are evicted
// before they are full.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class BasicBlock;
class FixedVectorType;
class Function;
class IntrinsicInst;
class Value;
} // namespace llvm

namespace lockstep::compiler {

class CopyDistances;

// Whether the access is an unmasked gather or scatter whose addresses in the next sub-group are
// each one element further. `distances` are those of addresses between sub-groups.
bool makes_tile(const llvm::IntrinsicInst &access, CopyDistances &distances);

// Whether it is an unmasked gather or scatter of numbers that rows of lanes may replace.
bool is_column(const llvm::IntrinsicInst &access);

// For such an access:
llvm::Value *address_of_rows(const llvm::IntrinsicInst &access); // one pointer for each lane
llvm::FixedVectorType *type_of_columns(const llvm::IntrinsicInst &access);
unsigned size_of_element(const llvm::IntrinsicInst &access); // in bytes

// Replaces the accesses of one block to consecutive elements, in the order of addresses, by loads
// at the first of them, or stores at the last. Their number is a power of two, at most that of the
// lanes.
void transpose_columns(llvm::ArrayRef<llvm::IntrinsicInst *> accesses);

// Marks accesses before they are repeated, so that their copies can be found.
void mark_tiles(llvm::ArrayRef<llvm::IntrinsicInst *> accesses);
void forget_tiles(llvm::BasicBlock &block);

// Replaces the `count` consecutive copies of each marked access by loads or stores of rows. `count`
// is a power of two, at most the number of lanes. Returns the number of tiles.
unsigned transpose_tiles(llvm::Function &function, unsigned count);

} // namespace lockstep::compiler
