// Texels are reached by an address in the image's descriptor, which lies in constant memory and is the argument.
#pragma once

namespace llvm {
class Argument;
class Value;
} // namespace llvm

namespace lockstep::compiler {

// The image whose texels this object of an access (llvm::getUnderlyingObject) is; null: it is none.
const llvm::Argument *image_of_texels(const llvm::Value &object);
// The image that has its first texel there, on whatever way the address came.
const llvm::Argument *image_that_begins_at(const llvm::Value &pointer);

// A pointer to constant memory that the program gives: no image, which is the address of a descriptor there. The program may
// give the same buffer to an argument that is written.
bool is_constant_buffer(const llvm::Argument &argument);

} // namespace lockstep::compiler
