// What a kernel function is specialised for travels on it as function attributes, so that every
// pass can run alone:
//   "lockstep-local-size"="64,1,1"     absent: any local size
//   "lockstep-sub-group-size"="1"      set by the lanes stage; absent: 1
//   "lockstep-jam"="1,4"               one run does 4 sub-groups that follow each other in
//   dimension
//                                      1; set by jam-sub-groups; absent: one sub-group
#pragma once

#include <array>
#include <cstdint>

namespace llvm {
class Function;
}

namespace lockstep::compiler {

std::array<uint32_t, 3> specialised_local_size(const llvm::Function &function); // 0,0,0: not known
void set_specialised_local_size(llvm::Function &function, std::array<uint32_t, 3> size);

uint32_t sub_group_size(const llvm::Function &function);
void set_sub_group_size(llvm::Function &function, uint32_t size);

struct Jam {
  uint32_t dimension = 0, count = 1;
};
Jam jam(const llvm::Function &function);
void set_jam(llvm::Function &function, Jam jam);

} // namespace lockstep::compiler
