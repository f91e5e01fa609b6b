// Recognizes accesses to texels. The address of the texels is in the image descriptor, which is in
// constant memory; the kernel argument points to the descriptor.
#pragma once

namespace llvm {
class Argument;
class Value;
} // namespace llvm

namespace lockstep::compiler {

// Returns the image if `object` (from llvm::getUnderlyingObject) is its texels; else null.
const llvm::Argument *image_of_texels(const llvm::Value &object);
// Returns the image if `pointer` is the address of its first texel, through phis and selects as
// well.
const llvm::Argument *image_that_begins_at(const llvm::Value &pointer);

// True for a constant-memory pointer that the program passes. Image descriptors, also in constant
// memory, are excluded. The program may pass the same buffer to an argument that is written.
bool is_constant_buffer(const llvm::Argument &argument);

} // namespace lockstep::compiler
