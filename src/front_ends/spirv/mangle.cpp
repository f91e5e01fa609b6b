#include "front_ends/spirv/mangle.h"

#include "llvm/IR/DerivedTypes.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace lockstep::compiler::spirv {
namespace {

// Writes types, and short forms for those that occurred before (Itanium ABI 5.1.10, compression).
class Mangler {
public:
  std::string type(const ParameterType &type) {
    if (!type.pointer)
      return value(type);
    return component("P" + qualified(type, false), [&] { return "P" + qualified(type, true); });
  }

private:
  // A component of a name: `full` without any short form identifies it.
  template <class Write> std::string component(const std::string &full, Write write) {
    const auto found = std::ranges::find(components_, full);
    if (found != components_.end())
      return reference(static_cast<std::size_t>(found - components_.begin()));
    std::string text = write();
    components_.push_back(full);
    return text;
  }

  static std::string reference(std::size_t index) {
    if (index == 0)
      return "S_";
    constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string number;
    for (std::size_t rest = index - 1;; rest /= digits.size()) {
      number.insert(number.begin(), digits[rest % digits.size()]);
      if (rest < digits.size())
        return "S" + number + "_";
    }
  }

  static std::string full_value(const ParameterType &type) {
    return type.lanes > 1 ? fmt::format("Dv{}_{}", type.lanes, type.element) : type.element;
  }

  // Types of the language are not components: letters, after "D" for half. Those of OpenCL are,
  // and begin with the length of their names.
  std::string value(const ParameterType &type) {
    const bool is_language_type =
        type.lanes == 1 && (type.element[0] < '0' || type.element[0] > '9');
    if (is_language_type)
      return type.element;
    const std::string full = full_value(type);
    return component(full, [&] { return full; });
  }

  std::string pointee(const ParameterType &type, bool compressed) {
    const std::string full = full_value(type);
    const auto plain = [&] { return compressed ? value(type) : full; };
    if (!(type.pointer->qualifiers & is_atomic))
      return plain();
    const std::string atomic = "U7_Atomic";
    return compressed ? component(atomic + full, [&] { return atomic + plain(); }) : atomic + full;
  }

  // The private address space is a qualifier, too, although it has no letters.
  std::string qualified(const ParameterType &type, bool compressed) {
    const std::string qualifiers = qualifiers_of(*type.pointer);
    const std::string full = qualifiers + pointee(type, false);
    if (!compressed)
      return full;
    return component("qualified " + full, [&] { return qualifiers + pointee(type, true); });
  }

  static std::string qualifiers_of(const ParameterType::Pointer &pointer) {
    std::string text;
    if (pointer.address_space != 0)
      text = fmt::format("U3AS{}", pointer.address_space);
    if (pointer.qualifiers & is_volatile)
      text += 'V';
    if (pointer.qualifiers & is_const)
      text += 'K';
    return text;
  }

  std::vector<std::string> components_;
};

std::string source_name(std::string_view name) {
  return fmt::format("{}{}", name.size(), name);
}

// The parameters of target("spirv.Image", void, dim, depth, arrayed, multisampled, sampled, format,
// access).
std::optional<std::string> image_name(const llvm::TargetExtType *type) {
  if (type->getNumIntParameters() != 7)
    return std::nullopt;
  const unsigned dimension = type->getIntParameter(0), access = type->getIntParameter(6);
  constexpr std::string_view dimensions[] = {"1d", "2d", "3d", "", "", "1d_buffer"};
  constexpr std::string_view accesses[] = {"_ro", "_wo", "_rw"};
  if (dimension >= std::size(dimensions) || dimensions[dimension].empty() ||
      access >= std::size(accesses))
    return std::nullopt;
  return source_name(fmt::format("ocl_image{}{}{}{}", dimensions[dimension],
                                 type->getIntParameter(2) != 0 ? "_array" : "",
                                 type->getIntParameter(1) == 1 ? "_depth" : "", accesses[access]));
}

std::optional<std::string> opaque_name(const llvm::TargetExtType *type) {
  if (type->getName() == "spirv.Image")
    return image_name(type);
  static constexpr std::pair<llvm::StringLiteral, std::string_view> names[] = {
      {"spirv.Sampler", "ocl_sampler"},      {"spirv.Event", "ocl_event"},
      {"spirv.DeviceEvent", "ocl_clkevent"}, {"spirv.Queue", "ocl_queue"},
      {"spirv.ReserveId", "ocl_reserveid"},
  };
  for (const auto &[of_type, name] : names)
    if (type->getName() == of_type)
      return source_name(name);
  return std::nullopt; // pipes: their builtins have plain names
}

// The letter and the name of a number's type.
struct NumberName {
  std::string_view mangled, opencl_c;
};
std::optional<NumberName> number_name(const llvm::Type *type, bool is_signed) {
  if (type->isHalfTy())
    return NumberName{"Dh", "half"};
  if (type->isFloatTy())
    return NumberName{"f", "float"};
  if (type->isDoubleTy())
    return NumberName{"d", "double"};
  if (!type->isIntegerTy())
    return std::nullopt;
  switch (type->getIntegerBitWidth()) {
  case 1:
    return NumberName{"b", "bool"};
  case 8:
    return is_signed ? NumberName{"c", "char"} : NumberName{"h", "uchar"};
  case 16:
    return is_signed ? NumberName{"s", "short"} : NumberName{"t", "ushort"};
  case 32:
    return is_signed ? NumberName{"i", "int"} : NumberName{"j", "uint"};
  case 64:
    return is_signed ? NumberName{"l", "long"} : NumberName{"m", "ulong"};
  default:
    return std::nullopt;
  }
}

} // namespace

ParameterType scalar(std::string_view mangled) {
  return {std::string(mangled), 1, std::nullopt};
}

std::optional<ParameterType> type_of(const llvm::Type *type, bool is_signed) {
  if (const auto *opaque = llvm::dyn_cast<llvm::TargetExtType>(type)) {
    const std::optional<std::string> name = opaque_name(opaque);
    return name ? std::optional(scalar(*name)) : std::nullopt;
  }
  const std::optional<NumberName> name = number_name(type->getScalarType(), is_signed);
  if (!name)
    return std::nullopt;
  ParameterType result = scalar(name->mangled);
  if (const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    result.lanes = vector->getNumElements();
  return result;
}

ParameterType pointer_to(ParameterType pointee, unsigned address_space, unsigned qualifiers) {
  pointee.pointer = ParameterType::Pointer{address_space, qualifiers};
  return pointee;
}

std::string mangled_name(std::string_view name, llvm::ArrayRef<ParameterType> parameters) {
  Mangler mangler;
  std::string text = "_Z" + source_name(name);
  for (const ParameterType &parameter : parameters)
    text += mangler.type(parameter);
  return parameters.empty() ? text + "v" : text;
}

std::string opencl_c_name(const llvm::Type *type, bool is_signed) {
  const std::optional<NumberName> name = number_name(type->getScalarType(), is_signed);
  std::string text(name ? name->opencl_c : "");
  if (const auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    text += std::to_string(vector->getNumElements());
  return text;
}

} // namespace lockstep::compiler::spirv
