#include "front_ends/spirv/types.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

constexpr const char *kind_names[] = {
    "void",           "bool",     "int",   "float",           "vector",  "array", "structure",
    "pointer",        "function", "image", "sampled image",   "sampler", "event", "device event",
    "reservation id", "queue",    "pipe",  "opaque structure"};

} // namespace

std::string description(const Type &type) {
  switch (type.kind) {
  case TypeKind::int_type:
    return fmt::format("int{}", type.width);
  case TypeKind::float_type:
    return type.width == 16 ? "half" : type.width == 32 ? "float" : "double";
  case TypeKind::vector:
    return fmt::format("vector of {} {}", type.count, description(*type.element));
  default:
    return kind_names[static_cast<size_t>(type.kind)];
  }
}

std::optional<unsigned> address_space(spv::StorageClass storage_class) {
  switch (storage_class) {
  case spv::StorageClass::Function:
  case spv::StorageClass::Input: // built-in variables: private copies
    return 0;
  case spv::StorageClass::CrossWorkgroup:
    return 1;
  case spv::StorageClass::UniformConstant:
    return 2;
  case spv::StorageClass::Workgroup:
    return 3;
  case spv::StorageClass::Generic:
    return 4;
  default:
    return {};
  }
}

} // namespace lockstep::compiler::spirv
