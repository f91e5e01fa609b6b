// Changes the data layout of a module to that of another target, without moving anything in memory.
//
// The host and spir64 align integers of more than 64 bits differently. Clang creates such integers
// for consecutive bit-fields in a packed structure, and host and kernel must agree on the offset of
// the next member. So addresses into types whose layout differs are computed in bytes. Variables of
// such types get a type with the same member offsets in both layouts. Loads and stores of such
// types as values become those of their members.
#pragma once

namespace llvm {
class DataLayout;
class Module;
} // namespace llvm

namespace lockstep::compiler {

void change_layout(llvm::Module &module, const llvm::DataLayout &after);

} // namespace lockstep::compiler
