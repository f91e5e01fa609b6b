// The types of a SPIR-V module. A record has what LLVM's types do not say: what a pointer points
// to, its storage class, which image it is.
#pragma once

#include "front_ends/spirv/module/words.h"

#include <string>
#include <vector>

namespace llvm {
class Type;
}

namespace lockstep::compiler::spirv {

enum class TypeKind : uint8_t {
  void_type,
  bool_type,
  int_type,
  float_type,
  vector,
  array,
  structure,
  pointer,
  function,
  image,
  sampled_image, // its LLVM value is the image; FunctionReader remembers the sampler
  sampler,
  event,
  device_event,
  reserve_id,
  queue,
  pipe,
  opaque,
};

struct ImageShape {
  spv::Dim dimension = spv::Dim::Dim1D;
  bool is_depth = false, is_array = false, is_multisampled = false;
  spv::AccessQualifier access = spv::AccessQualifier::ReadOnly;
};

struct Type {
  TypeKind kind = TypeKind::void_type;
  Id id = 0;
  llvm::Type *llvm = nullptr;
  uint32_t width = 0; // int, float: bits
  // Component of a vector, element of an array, pointee of a pointer (null until a forward pointer
  // is complete), result of a function, image of a sampled image.
  const Type *element = nullptr;
  uint64_t count = 0;                // vector, array
  std::vector<const Type *> members; // of a structure; parameters of a function
  spv::StorageClass storage_class = spv::StorageClass::Function; // pointer
  ImageShape image;                                              // image
  spv::AccessQualifier access = spv::AccessQualifier::ReadOnly;  // pipe

  uint64_t size = 0;    // in memory, bytes; 0: such values cannot be in memory
  uint64_t leaves = 1;  // scalars and vectors in it
  unsigned depth = 0;   // of nested types
  bool has_null = true; // OpConstantNull can have the type

  bool is(TypeKind wanted) const { return kind == wanted; }
  // The component of a vector, else the type itself.
  const Type &scalar() const { return kind == TypeKind::vector ? *element : *this; }
  uint64_t components() const { return kind == TypeKind::vector ? count : 1; }
};

// As messages call it: "int32", "float", "vector of 4 int8", "pointer".
std::string description(const Type &type);

// The address space of docs/kernel_ir.md. Absent: kernels have no such storage class.
std::optional<unsigned> address_space(spv::StorageClass storage_class);

} // namespace lockstep::compiler::spirv
