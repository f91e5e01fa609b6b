// Copies by all work-items of a group, and waiting for them.
#include "front_ends/spirv/instructions/groups.h"
#include "front_ends/spirv/instructions/translators.h"

#include "abi/address_spaces.h"

namespace lockstep::compiler::spirv {
namespace {

// LLVM 22 writes pointers to arrays. Null: OpenCL C has no copies of such elements.
llvm::Type *element_of(const Type &pointer) {
  const Type *element = pointer.element;
  while (element && element->is(TypeKind::array))
    element = element->element;
  return element && element->llvm && type_of(element->llvm, true) ? element->llvm : nullptr;
}

ParameterType event_type(FunctionReader &reader) {
  return *type_of(llvm::TargetExtType::get(reader.context(), "spirv.Event"), false);
}

} // namespace

Result<llvm::Value *> translate_async_copy(FunctionReader &reader, const Instruction &i) {
  auto group = group_prefix(reader, i, 0);
  LOCKSTEP_TRY(group);
  if (*group != "work_group_")
    return reader.fail(i, 0, "is not Workgroup");
  llvm::Type *element = element_of(reader.type(i, 1));
  if (!element)
    return reader.fail(i, 1, "is not a pointer to numbers or vectors");
  if (element_of(reader.type(i, 2)) != element)
    return reader.fail(i, 2, "points to another type than the destination");
  const ParameterType pointee = *type_of(element, true);
  Builder &builder = reader.builder();
  return call_checked(reader, i, "async_work_group_strided_copy", reader.result_type(i).llvm,
                      {pointer_argument(reader.value(i, 1), pointee),
                       pointer_argument(reader.value(i, 2), pointee, is_const),
                       argument(to_64(builder, reader.value(i, 3)), false),
                       argument(to_64(builder, reader.value(i, 4)), false),
                       {reader.value(i, 5), event_type(reader)}},
                      true);
}

Result<llvm::Value *> translate_wait_events(FunctionReader &reader, const Instruction &i) {
  llvm::Value *events = reader.value(i, 2);
  if (events->getType()->getPointerAddressSpace() != private_space)
    events = to_generic(reader.builder(), events);
  auto call = call_checked(reader, i, "wait_group_events", reader.builder().getVoidTy(),
                           {argument(to_32(reader.builder(), reader.value(i, 1))),
                            pointer_argument(events, event_type(reader))},
                           true);
  LOCKSTEP_TRY(call);
  return nullptr;
}

} // namespace lockstep::compiler::spirv
