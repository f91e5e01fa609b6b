// What a kernel function is specialised for travels on it as function attributes, so that every
// pass can run alone:
//   "lockstep-local-size"="64,1,1"     absent: any local size
//   "lockstep-sub-group-size"="1"      set by the lanes stage; absent: 1
//   "lockstep-size-is-free"            nobody sees how many lanes a sub-group has: not the kernel, which asks for no size,
//                                      nor its work-items; set by the lanes stage
//   "lockstep-jam"="1,4"               one run does 4 sub-groups that follow each other in
//                                      dimension 1; set by jam-sub-groups; absent: one sub-group
//   "lockstep-neighbour-groups"="1,8,1"  in each dimension, how many work-groups that follow each
//                                      other one call may run; absent: one
//   "lockstep-first-dimension"="1"     in which groups that follow each other should run one after the other; set by
//                                      order-work-groups; absent: 0
//   "lockstep-image-arguments"="0,46546,17"  by argument: the format of an image, or a sampler
//                                      (image_descriptor.h); 0: neither, or not known
//   "lockstep-joined-groups"="1,8,1"   one call runs 8 that follow each other in dimension 1, and
//                                      the local size counts them, in dimension 1; set by join-work-groups
//                                      and, "0,4,0", widen-work-groups
//   "lockstep-calls-per-group"="1,4,1"  a call runs a row of a group, `__lockstep_group_id` counts the rows of all
//                                      groups in dimension 1; set by widen-work-groups; absent: 1,1,1
//   "lockstep-local-memory"="4096"     bytes of local variables; set by place-local-memory
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>

namespace llvm {
class Function;
}

namespace lockstep::compiler {

std::array<uint32_t, 3> specialised_local_size(const llvm::Function &function); // 0,0,0: not known
void set_specialised_local_size(llvm::Function &function, std::array<uint32_t, 3> size);

// As the kernel knows it: of one work-group, also where several are joined.
std::array<uint32_t, 3> own_local_size(const llvm::Function &function);

std::array<uint32_t, 3> neighbour_groups(const llvm::Function &function);
void set_neighbour_groups(llvm::Function &function, std::array<uint32_t, 3> most);

uint32_t first_dimension(const llvm::Function &function);
void set_first_dimension(llvm::Function &function, uint32_t dimension);

llvm::SmallVector<uint32_t>
image_arguments(const llvm::Function &function); // empty: nothing is known
void set_image_arguments(llvm::Function &function, llvm::ArrayRef<uint32_t> arguments);

struct JoinedGroups {
  uint32_t dimension = 0, count = 1;
  uint32_t local_dimension = 0; // which of them a work-item belongs to is its local id there
};
JoinedGroups joined_groups(const llvm::Function &function);
void set_joined_groups(llvm::Function &function, JoinedGroups joined);

// Each a row of a group; 1,1,1: a call runs whole groups.
std::array<uint32_t, 3> calls_per_group(const llvm::Function &function);
void set_calls_per_group(llvm::Function &function, std::array<uint32_t, 3> calls);

uint32_t sub_group_size(const llvm::Function &function);
void set_sub_group_size(llvm::Function &function, uint32_t size);

inline constexpr char size_is_free[] = "lockstep-size-is-free";
inline constexpr char local_memory_bytes[] = "lockstep-local-memory";

struct Jam {
  uint32_t dimension = 0, count = 1;
};
Jam jam(const llvm::Function &function);
void set_jam(llvm::Function &function, Jam jam);

} // namespace lockstep::compiler
