// What is known of the code of a kernel: the back end writes it, the disk cache keeps it, a launch reads it.
//
// A new fact is a field and its name in visit_fields.
#pragma once

#include "abi/pointer_members.h"
#include "abi/privatized_reductions.h"
#include "abi/resumable_abi.h"
#include "abi/row_of_groups.h"
#include "support/fields.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::compiler {

struct KernelFacts {
  uint64_t stack_size = 0; // bytes of stack that the function may use
  uint32_t sub_group_size = 1;
  // Number of work-groups that a call runs; GroupInfo::group_id names the first.
  std::array<uint32_t, 3> groups_at_once{1, 1, 1};
  // Number of calls that each run a row of a group; group_id counts the rows.
  std::array<uint32_t, 3> calls_per_group{1, 1, 1};
  // Work-groups of dimension 0 of which another code runs several rows at once, if the launch
  // numbers them in rows (Specialization::groups_in_rows).
  RowOfGroups row_of_groups;
  // The work-groups add to one counter, and other code batches that (Specialization::batched_updates).
  bool adds_to_counter = false;
  // Traversal order: consecutive groups of this dimension run one after the other.
  uint32_t first_dimension = 0;
  // Rows of work-items in dimension 0 access memory in several places, and square groups less so. A
  // launch without a local size chooses them.
  bool suits_squares = false;
  uint64_t local_memory_size = 0; // bytes of the kernel's own variables, for all groups of a call
  bool has_coroutine = false;     // then the code has the functions of resumable_abi.h
  ResumableCode resumable; // its functions are no facts: they are known when the code is loaded
  std::vector<std::string> remarks;      // what the compiler did with the kernel
  std::vector<int64_t> assumption_words; // of checked code, for assumptions_of (abi/assumptions.h)
  // Pointers whose memory the launch may privatize: each worker updates its own copy, which is added
  // to the memory at the end.
  std::vector<PrivatizedReduction> privatized_reductions;
  PointerMembers pointer_members; // of code that tracks undefined values
};

void visit_fields(auto &visit, FieldsOf<SuspensionSite> auto &site) {
  visit(site.kind, site.file, site.line, site.column, site.is_pure, site.others,
        site.is_never_compared);
}
void visit_fields(auto &visit, FieldsOf<SeenAccess> auto &access) {
  visit(access.file, access.line, access.column);
}
void visit_fields(auto &visit, FieldsOf<ResumableCode> auto &code) {
  visit(code.frame_size, code.frame_alignment, code.is_of_group, code.may_batch_updates,
        code.stops_before_locks, code.sites, code.accesses);
}
void visit_fields(auto &visit, FieldsOf<PrivatizedReduction> auto &copy) {
  visit(copy.argument, copy.member, copy.operation, copy.element_size, copy.begin, copy.end,
        copy.is_hidden_from_host, copy.has_found_pointers);
}
void visit_fields(auto &visit, FieldsOf<PointerMembers> auto &members) {
  visit(members.only_read, members.written, members.writes_elsewhere);
}
void visit_fields(auto &visit, FieldsOf<KernelFacts> auto &facts) {
  visit(facts.stack_size, facts.sub_group_size, facts.groups_at_once, facts.calls_per_group,
        facts.row_of_groups, facts.adds_to_counter, facts.first_dimension, facts.suits_squares,
        facts.local_memory_size, facts.has_coroutine, facts.resumable, facts.remarks,
        facts.assumption_words, facts.privatized_reductions, facts.pointer_members);
}

} // namespace lockstep::compiler
