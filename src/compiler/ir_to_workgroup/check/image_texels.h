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

} // namespace lockstep::compiler
