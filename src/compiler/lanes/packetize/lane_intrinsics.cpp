#include "compiler/lanes/packetize/lane_intrinsics.h"

#include "platform/linux/leaked.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"

#include <vector>

namespace lockstep::compiler {

namespace {

using enum LaneTreatment;

struct Row {
  llvm::StringLiteral name; // without "llvm."; a trailing star matches any suffix
  LaneTreatment treatment;
};

// The longest matching row applies. Most intrinsics that VectorUtils.h calls trivially vectorizable
// have no row.
constexpr Row rows[] = {
    // Facts, marks and hints.
    {"assume", dropped},
    {"codeview.annotation", dropped},
    {"dbg.*", dropped},
    {"donothing", dropped},
    {"experimental.noalias.scope.decl", dropped},
    {"fake.use", dropped},
    {"invariant.end", dropped},
    {"invariant.start", dropped},
    {"pseudoprobe", dropped},
    {"sideeffect", dropped},
    {"var.annotation", dropped},
    {"annotation", first_operand},
    {"expect", first_operand},
    {"expect.with.probability", first_operand},
    {"launder.invariant.group", first_operand},
    {"preserve.static.offset", first_operand},
    {"ptr.annotation", first_operand},
    {"ssa.copy", first_operand},
    {"strip.invariant.group", first_operand},

    {"sadd.with.overflow", vector},
    {"smul.with.overflow", vector},
    {"ssub.with.overflow", vector},
    {"uadd.with.overflow", vector},
    {"umul.with.overflow", vector},
    {"usub.with.overflow", vector},

    {"arithmetic.fence", each_lane},
    {"clmul", each_lane},
    {"convert.from.fp16", each_lane},
    {"convert.to.fp16", each_lane},
    {"debugtrap", each_lane},
    {"fptrunc.round", each_lane},
    {"is.constant", each_lane},
    {"load.relative", each_lane},
    {"memcpy", each_lane}, // one call for all lanes if their memory is contiguous
    {"memcpy.inline", each_lane},
    {"memmove", each_lane},
    {"memset", each_lane},
    {"memset.inline", each_lane},
    {"objectsize", each_lane},
    {"prefetch", each_lane},
    {"ptrmask", each_lane},
    {"readcyclecounter", each_lane},
    {"readsteadycounter", each_lane},
    {"sdiv.fix*", each_lane},
    {"sshl.sat", each_lane},
    {"threadlocal.address", each_lane},
    {"trap", each_lane},
    {"ubsantrap", each_lane},
    {"udiv.fix*", each_lane},
    {"ushl.sat", each_lane},

    // Removed by interleave-private.
    {"lifetime.*", earlier},
    // Removed by expand-copies.
    {"experimental.memset.pattern", earlier},
    // Removed by split-vectors.
    {"vector.reduce.*", earlier},

    {"experimental.constrained.*", one_lane},
    {"experimental.cttz.elts", one_lane},
    {"experimental.get.vector.length", one_lane},
    {"experimental.vector.*", one_lane},
    {"experimental.vp.*", one_lane},
    {"frameaddress", one_lane},
    {"get.active.lane.mask", one_lane},
    {"get.dynamic.area.offset", one_lane},
    {"get.fpenv", one_lane},
    {"get.fpmode", one_lane},
    {"get.rounding", one_lane},
    {"loop.dependence.*", one_lane},
    {"masked.*", one_lane},
    {"matrix.*", one_lane},
    {"reset.fpenv", one_lane},
    {"reset.fpmode", one_lane},
    {"returnaddress", one_lane},
    {"set.fpenv", one_lane},
    {"set.fpmode", one_lane},
    {"set.rounding", one_lane},
    {"sponentry", one_lane},
    {"stackaddress", one_lane},
    {"stackrestore", one_lane},
    {"stacksave", one_lane},
    {"stepvector", one_lane},
    {"vector.*", one_lane},
    {"vp.*", one_lane},

    // Intrinsics of other languages, operating systems, sanitizers, profilers, garbage collectors,
    // and those internal to other targets' back ends.
    {"addressofreturnaddress", refused},
    {"adjust.trampoline", refused},
    {"alloc.token.id", refused},
    {"allow.*", refused},
    {"asan.*", refused},
    {"call.preallocated.*", refused},
    {"callbr.landingpad", refused},
    {"clear_cache", refused},
    {"coro.*", refused},
    {"eh.*", refused},
    {"experimental.convergence.*", refused},
    {"experimental.deoptimize", refused},
    {"experimental.gc.*", refused},
    {"experimental.guard", refused},
    {"experimental.patchpoint*", refused},
    {"experimental.stackmap", refused},
    {"experimental.widenable.condition", refused},
    {"gcread", refused},
    {"gcroot", refused},
    {"gcwrite", refused},
    {"hwasan.*", refused},
    {"icall.branch.funnel", refused},
    {"init.trampoline", refused},
    {"instrprof.*", refused},
    {"localaddress", refused},
    {"localescape", refused},
    {"localrecover", refused},
    {"loop.decrement*", refused},
    {"memcpy.element.unordered.atomic", refused},
    {"memmove.element.unordered.atomic", refused},
    {"memset.element.unordered.atomic", refused},
    {"objc.*", refused},
    {"pcmarker", refused},
    {"preserve.array.access.index", refused},
    {"preserve.struct.access.index", refused},
    {"preserve.union.access.index", refused},
    {"protected.field.ptr", refused},
    {"ptrauth.*", refused},
    {"public.type.test", refused},
    {"read_register", refused},
    {"read_volatile_register", refused},
    {"reloc.none", refused},
    {"seh.*", refused},
    {"set.loop.iterations", refused},
    {"stackguard", refused},
    {"stackprotector", refused},
    {"start.loop.iterations", refused},
    {"swift.*", refused},
    {"test.set.loop.iterations", refused},
    {"test.start.loop.iterations", refused},
    {"thread.pointer", refused},
    {"type.checked.load*", refused},
    {"type.test", refused},
    {"va_copy", refused},
    {"va_end", refused},
    {"va_start", refused},
    {"vscale", refused},
    {"write_register", refused},
    {"xray.*", refused},
};

std::optional<LaneTreatment> look_up(llvm::Intrinsic::ID id) {
  llvm::StringRef name = llvm::Intrinsic::getBaseName(id);
  name.consume_front("llvm.");
  const Row *best = nullptr;
  for (const Row &row : rows) {
    llvm::StringRef pattern = row.name;
    bool fits = pattern.consume_back("*") ? name.starts_with(pattern) : name == pattern;
    if (fits && (!best || row.name.size() > best->name.size()))
      best = &row;
  }
  if (best)
    return best->treatment;
  if (llvm::isTriviallyVectorizable(id))
    return vector;
  return std::nullopt;
}

bool is_of_vectors(const llvm::IntrinsicInst &call) {
  auto is_vector = [](llvm::Type *type) {
    if (auto *structure = llvm::dyn_cast<llvm::StructType>(type))
      return llvm::any_of(structure->elements(),
                          [](llvm::Type *field) { return field->isVectorTy(); });
    return type->isVectorTy();
  };
  return is_vector(call.getType()) || llvm::any_of(call.args(), [&](const llvm::Use &argument) {
           return is_vector(argument->getType());
         });
}

} // namespace

std::optional<LaneTreatment> known_lane_treatment(llvm::Intrinsic::ID id) {
  if (llvm::Intrinsic::isTargetIntrinsic(id)) // our front ends emit no target intrinsics
    return refused;
  const auto &table = leaked([] {
    std::vector<std::optional<LaneTreatment>> treatments(llvm::Intrinsic::num_intrinsics);
    for (llvm::Intrinsic::ID each = 1; each != llvm::Intrinsic::num_intrinsics; ++each)
      if (!llvm::Intrinsic::isTargetIntrinsic(each))
        treatments[each] = look_up(each);
    return treatments;
  });
  return table[id];
}

LaneTreatment lane_treatment(const llvm::IntrinsicInst &call) {
  LaneTreatment treatment = known_lane_treatment(call.getIntrinsicID()).value_or(one_lane);
  bool can_be_split = llvm::isTriviallyScalarizable(call.getIntrinsicID(), nullptr) ||
                      treatment == dropped || treatment == earlier || treatment == refused;
  return is_of_vectors(call) && !can_be_split ? one_lane : treatment;
}

} // namespace lockstep::compiler
