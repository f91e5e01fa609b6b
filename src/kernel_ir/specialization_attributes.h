// The specialization of a kernel as function attributes, so that every pass can run alone.
//
// names.def lists the attributes. Each function below shows the form of its attribute's value.
#pragma once

#include "abi/row_of_groups.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>

namespace llvm {
class Function;
}

namespace lockstep::compiler {

// "lockstep-local-size"="64,1,1"; absent, and 0,0,0 here: any local size.
std::array<uint32_t, 3> specialized_local_size(const llvm::Function &function);
void set_specialized_local_size(llvm::Function &function, std::array<uint32_t, 3> size);

// The local size that the kernel observes: that of one work-group, also if several are coalesced.
std::array<uint32_t, 3> own_local_size(const llvm::Function &function);

// "lockstep-neighbor-groups"="1,8,1": by dimension, how many consecutive work-groups one call may
// run; absent: one.
std::array<uint32_t, 3> neighbor_groups(const llvm::Function &function);
void set_neighbor_groups(llvm::Function &function, std::array<uint32_t, 3> most);

// "lockstep-lane-dimension"="1": dimensions 0 and 1 of the launch have changed places in the code.
// Absent: 0, and none has.
uint32_t lane_dimension(const llvm::Function &function);
void set_lane_dimension(llvm::Function &function, uint32_t dimension);
// The dimension of the launch that is `dimension` of the code.
uint32_t launch_dimension(const llvm::Function &function, uint32_t dimension);
// Exchanges dimension 0 and `other` in sizes and numbers of groups.
void rename_dimensions_of_attributes(llvm::Function &function, uint32_t other);

// "lockstep-first-dimension"="1": traversal order; consecutive groups of this dimension run one after
// the other. Absent: 0.
uint32_t first_dimension(const llvm::Function &function);
void set_first_dimension(llvm::Function &function, uint32_t dimension);

// "lockstep-suits-squares": accesses to memory are contiguous in square groups, but not in rows.
bool suits_squares(const llvm::Function &function);
void set_suits_squares(llvm::Function &function);

// "lockstep-image-arguments"="0,46546,17": by argument, the format of an image or a sampler
// (image_descriptor.h); 0: neither, or not known. Empty: no argument is known.
llvm::SmallVector<uint32_t> image_arguments(const llvm::Function &function);
void set_image_arguments(llvm::Function &function, llvm::ArrayRef<uint32_t> arguments);

// "lockstep-coalesced-groups"="1,8,1": one call runs 8 consecutive groups of dimension 1, and the
// local size counts them in dimension 1. Three more numbers follow if it runs groups of two
// dimensions.
struct CoalescedGroups {
  uint32_t dimension = 0, count = 1;
  // The local id of this dimension says to which group a work-item belongs.
  uint32_t local_dimension = 0;
};
llvm::SmallVector<CoalescedGroups, 2> coalesced_groups(const llvm::Function &function);
void add_coalesced_groups(llvm::Function &function, CoalescedGroups groups);

// "lockstep-calls-per-group"="1,4,1": a call runs one row of a group, and `__lockstep_group_id` counts
// the rows of all groups in dimension 1. Absent, and 1,1,1: a call runs whole groups.
std::array<uint32_t, 3> calls_per_group(const llvm::Function &function);
void set_calls_per_group(llvm::Function &function, std::array<uint32_t, 3> calls);

// "lockstep-row-of-groups"="64,1,0,0,4": the product of the arguments by 64, and whether it must be
// exact; then for each argument its number, the offset and the size. Absent: there are no rows.
RowOfGroups row_of_groups(const llvm::Function &function);
void set_row_of_groups(llvm::Function &function, const RowOfGroups &row);
// The launch numbers the groups of dimension 0 in rows.
inline constexpr char groups_in_rows[] = "lockstep-groups-in-rows";

// The launch makes additions to a counter in batches, if the kernel gets the coroutine form for it.
inline constexpr char batched_updates[] = "lockstep-batched-updates";
// The kernel would get that form.
inline constexpr char adds_to_counter[] = "lockstep-adds-to-counter";
// Metadata of an atomic addition that the launch may make in a batch.
inline constexpr char batched_update_metadata[] = "lockstep.batched";

// "lockstep-sub-group-size"="1"; absent: 1.
uint32_t sub_group_size(const llvm::Function &function);
void set_sub_group_size(llvm::Function &function, uint32_t size);

// Neither the kernel nor its work-items can observe the sub-group size.
inline constexpr char size_is_free[] = "lockstep-size-is-free";
inline constexpr char local_memory_bytes[] = "lockstep-local-memory";

// The local size is not known, and each sub-group has work-items of one row. Those behind the row's
// end return at once.
inline constexpr char rows_are_padded[] = "lockstep-padded-rows";

// "1,4": one run executes 4 consecutive sub-groups of dimension 1. Absent: one sub-group.
struct Interleaving {
  uint32_t dimension = 0, count = 1;
};
Interleaving interleaving(const llvm::Function &function);
void set_interleaving(llvm::Function &function, Interleaving interleaving);

} // namespace lockstep::compiler
