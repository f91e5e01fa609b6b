// The names of OpenCL C builtins as clang mangles them (Itanium ABI), from the types of their
// parameters. SPIR-V instructions become calls of these names, which link-device-library resolves.
//
// A name needs more than LLVM's types: whether integers are signed, and what a pointer points to.
// A ParameterType has exactly that. Example: vload4(size_t, const global float *) is
//   mangled_name("vload4", {size_type(), pointer_to(scalar("f"), 1, is_const)})
//   = "_Z6vload4mPU3AS1Kf"
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <string_view>

namespace llvm {
class Type;
}

namespace lockstep::compiler::spirv {

// Qualifiers of what a pointer points to. They combine with |.
enum PointeeQualifiers : unsigned { unqualified = 0, is_const = 1, is_volatile = 2, is_atomic = 4 };

struct ParameterType {
  struct Pointer {
    unsigned address_space;
    unsigned qualifiers; // PointeeQualifiers
  };

  std::string element;            // "i", "Dh", "9ocl_event"
  unsigned lanes = 1;             // more than 1: a vector
  std::optional<Pointer> pointer; // absent: passed by value
};

// A type without a parameter by its mangled name, like "f" or "12memory_order".
ParameterType scalar(std::string_view mangled);
// Numbers, vectors and the types of OpenCL (docs/kernel_ir.md). Absent: builtins have no parameters
// of such a type. Signedness matters for integers only.
std::optional<ParameterType> type_of(const llvm::Type *type, bool is_signed);
ParameterType pointer_to(ParameterType pointee, unsigned address_space,
                         unsigned qualifiers = unqualified);

std::string mangled_name(std::string_view name, llvm::ArrayRef<ParameterType> parameters);

// The name of a type in OpenCL C, like "uint4": part of the names of conversions.
std::string opencl_c_name(const llvm::Type *type, bool is_signed);

} // namespace lockstep::compiler::spirv
