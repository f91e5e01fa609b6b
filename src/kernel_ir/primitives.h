// The primitives of kernel IR (docs/kernel_ir.md): functions that no library defines and that the
// compiler lowers.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/DerivedTypes.h"

#include <cstdint>
#include <optional>

namespace llvm {
class CallInst;
class Function;
class Instruction;
class Module;
class Value;
} // namespace llvm

namespace lockstep::compiler {

// Rows of primitives.def.
enum class Primitive {
#define LOCKSTEP_PRIMITIVE(primitive, name, functions) primitive,
#include "kernel_ir/primitives.def"
};

// The operation argument of reduce, scan and combine. The device library uses the same numbers
// (device_lib/groups/sub_group_primitives.h).
enum class CombineOperation : uint32_t {
  add,
  mul,
  min, // signed, or floating-point
  max,
  unsigned_min,
  unsigned_max,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
};

// The result that __lockstep_group_combine leaves in the scratch memory.
enum class GroupCombination : uint32_t { reduction, exclusive_scan, pick };

// The symbol of a primitive, e.g. "__lockstep_local_id".
const char *primitive_name(Primitive primitive);

// The attribute of a primitive's declaration: the primitive's number, in decimal.
inline constexpr char primitive_attribute[] = "lockstep-primitive";

// The primitive with this name. Only for set_primitives() and the verifier: passes use
// primitive_of().
std::optional<Primitive> primitive_named(llvm::StringRef name);

// Sets the attribute on each declaration that has the name of a primitive. Runs where declarations
// enter a module: when it is read, and when the device library is linked.
void set_primitives(llvm::Module &module);

// The primitive that `function` is, by its attribute.
std::optional<Primitive> primitive_of(const llvm::Function &function);

// The declaration of a primitive with one function, with the attribute. Adds it if the module has
// none.
llvm::FunctionCallee declare_primitive(llvm::Module &module, Primitive primitive,
                                       llvm::FunctionType *type);
llvm::FunctionCallee declare_primitive(llvm::Module &module, Primitive primitive,
                                       llvm::Type *result,
                                       llvm::ArrayRef<llvm::Type *> parameters = {});

// The same for the function of `type` of a primitive with one function for each type.
llvm::FunctionCallee declare_primitive_of_type(llvm::Module &module, Primitive primitive,
                                               llvm::Type *type, llvm::FunctionType *function);

// The primitive that an instruction calls, if it calls one.
std::optional<Primitive> called_primitive(const llvm::Value &value);

// True for primitives that every work-item of a group must reach together: they end a barrier
// region.
bool is_group_operation(Primitive primitive);
bool is_group_operation(const llvm::Instruction &instruction);

// True for calls that report an access to the checker. They exist from the stage `checks` on.
bool is_check(Primitive primitive);

// True for calls that record facts for the stage `checks`. They have no effect on the kernel.
bool is_record(Primitive primitive);

// Async copies of a work-group, from the memory of the second argument to that of the first.
bool is_group_copy(Primitive primitive);

// True for primitives whose result depends on the lanes of a sub-group that reach them. Passes must
// not move them in the control flow.
bool is_sub_group_operation(Primitive primitive);

// Ids and launch parameters: values that a work-item has from the start, so that they can be
// computed anywhere.
bool is_of_work_item(Primitive primitive);

// True if the result is the same for all active lanes, whatever the arguments are.
bool is_sub_group_uniform(const llvm::CallInst &call);

// The dimension argument of an id or size primitive, if it is a constant.
std::optional<unsigned> constant_dimension(const llvm::CallInst &call);

} // namespace lockstep::compiler
