#include "compiler/checks/races/record_arguments.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/common/primitive_calls.h"
#include "compiler/checks/races/record_scopes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

constexpr bool of_sub_group = true;
constexpr RecordedArgument arguments[] = {
    {"barrier", 0, "flags"},
    {"work_group_barrier", 0, "flags"},
    {"work_group_barrier", 1, "scope"},
    {"sub_group_barrier", 0, "flags", of_sub_group},
    {"sub_group_barrier", 1, "scope", of_sub_group},
    {"async_work_group_copy", 0, "dst"},
    {"async_work_group_copy", 1, "src"},
    {"async_work_group_copy", 2, "num_gentypes"},
    {"async_work_group_copy", 3, "dst_stride"}, // of SYCL
    {"async_work_group_copy", 4, "src_stride"},
    {"async_work_group_strided_copy", 0, "dst"},
    {"async_work_group_strided_copy", 1, "src"},
    {"async_work_group_strided_copy", 2, "num_gentypes"},
    {"async_work_group_strided_copy", 3, "stride"},
    {"async_work_group_copy_2D2D", 0, "dst"},
    {"async_work_group_copy_2D2D", 1, "dst_offset"},
    {"async_work_group_copy_2D2D", 2, "src"},
    {"async_work_group_copy_2D2D", 3, "src_offset"},
    {"async_work_group_copy_2D2D", 4, "num_bytes_per_element"},
    {"async_work_group_copy_2D2D", 5, "num_elements_per_line"},
    {"async_work_group_copy_2D2D", 6, "num_lines"},
    {"async_work_group_copy_2D2D", 7, "src_total_line_length"},
    {"async_work_group_copy_2D2D", 8, "dst_total_line_length"},
    {"async_work_group_copy_3D3D", 0, "dst"},
    {"async_work_group_copy_3D3D", 1, "dst_offset"},
    {"async_work_group_copy_3D3D", 2, "src"},
    {"async_work_group_copy_3D3D", 3, "src_offset"},
    {"async_work_group_copy_3D3D", 4, "num_bytes_per_element"},
    {"async_work_group_copy_3D3D", 5, "num_elements_per_line"},
    {"async_work_group_copy_3D3D", 6, "num_lines"},
    {"async_work_group_copy_3D3D", 7, "num_planes"},
    {"async_work_group_copy_3D3D", 8, "src_total_line_length"},
    {"async_work_group_copy_3D3D", 9, "src_total_plane_area"},
    {"async_work_group_copy_3D3D", 10, "dst_total_line_length"},
    {"async_work_group_copy_3D3D", 11, "dst_total_plane_area"},
    {"async_work_group_copy_fence", 0, "flags"},
    {"wait_group_events", 0, "num_events"},
    {"work_group_broadcast", 1, "local_id_x"},
    {"work_group_broadcast", 2, "local_id_y"},
    {"work_group_broadcast", 3, "local_id_z"},
    {"sub_group_broadcast", 1, "sub_group_local_id", of_sub_group},
    {"sub_group_non_uniform_broadcast", 1, "index", of_sub_group},
    {"sub_group_inverse_ballot", 0, "value", of_sub_group},
    {"sub_group_rotate", 1, "delta", of_sub_group},
    {"sub_group_clustered_rotate", 1, "delta", of_sub_group},
    {"intel_sub_group_block_read", 0, "p", of_sub_group},
    {"intel_sub_group_block_read2", 0, "p", of_sub_group},
    {"intel_sub_group_block_read4", 0, "p", of_sub_group},
    {"intel_sub_group_block_read8", 0, "p", of_sub_group},
    {"intel_sub_group_block_write", 0, "p", of_sub_group},
    {"intel_sub_group_block_write2", 0, "p", of_sub_group},
    {"intel_sub_group_block_write4", 0, "p", of_sub_group},
    {"intel_sub_group_block_write8", 0, "p", of_sub_group},
    {"__work_group_reserve_read_pipe", 1, "num_packets"},
    {"__work_group_reserve_write_pipe", 1, "num_packets"},
    {"__sub_group_reserve_read_pipe", 1, "num_packets", of_sub_group},
    {"__sub_group_reserve_write_pipe", 1, "num_packets", of_sub_group},
};

constexpr llvm::StringLiteral copies[] = {"async_work_group_copy", "async_work_group_strided_copy",
                                          "async_work_group_copy_2D2D",
                                          "async_work_group_copy_3D3D"};

// The C name, or the name of the builtin.
llvm::StringRef name_of(const llvm::Function &function) {
  const llvm::StringRef name = builtin_name(function);
  return name.empty() ? function.getName() : name;
}

class RecordCalls {
public:
  explicit RecordCalls(llvm::Module &module) : builder_(module.getContext()) {}

  void visit(llvm::CallInst &call) {
    const llvm::StringRef name = name_of(*call.getCalledFunction());
    builder_.SetInsertPoint(&call);
    builder_.SetCurrentDebugLocation(call.getDebugLoc());
    if (name == "wait_group_events" && call.arg_size() == 1) { // of SYCL
      record(Primitive::record_awaited, builder_.getVoidTy(), {call.getArgOperand(0)});
      return;
    }
    const bool is_copy = llvm::is_contained(copies, name);
    for (unsigned index = 0; index != std::size(arguments); ++index)
      if (arguments[index].function == name &&
          // the event, the last operand, is recorded by record_copy
          arguments[index].operand + is_copy < call.arg_size())
        record_argument(*call.getArgOperand(arguments[index].operand), index);
    if (is_copy)
      record_copy(call);
    else if (name == "wait_group_events")
      record_list(call);
  }

private:
  llvm::CallInst *record(Primitive primitive, llvm::Type *result,
                         llvm::ArrayRef<llvm::Value *> operands) {
    llvm::CallInst *made = call_primitive(builder_, primitive, result, operands);
    made->setConvergent();
    made->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
    made->addFnAttr(llvm::Attribute::WillReturn);
    return made;
  }

  void record_argument(llvm::Value &value, unsigned index) {
    if (llvm::isa<llvm::Constant>(value))
      return;
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
    for (unsigned i = 0; i != (vector ? vector->getNumElements() : 1); ++i) {
      llvm::Value *element = vector ? builder_.CreateExtractElement(&value, i) : &value;
      element = element->getType()->isPointerTy()
                    ? builder_.CreatePtrToInt(element, builder_.getInt64Ty())
                    : builder_.CreateSExtOrTrunc(element, builder_.getInt64Ty());
      record(Primitive::record_argument, builder_.getVoidTy(), {element, builder_.getInt32(index)});
    }
  }

  // The last argument is the event, which other copies may share.
  void record_copy(llvm::CallInst &call) {
    llvm::Value *event =
        record(Primitive::record_copy, call.getType(), {call.getArgOperand(call.arg_size() - 1)});
    call.replaceAllUsesWith(event);
  }

  void record_list(llvm::CallInst &call) {
    llvm::Value *count = call.getArgOperand(0), *list = call.getArgOperand(1);
    llvm::Type *event = llvm::TargetExtType::get(call.getContext(), "spirv.Event");
    auto record_event = [&](llvm::Value *index) {
      llvm::Value *place = builder_.CreateGEP(event, list, index);
      record(Primitive::record_awaited, builder_.getVoidTy(), {builder_.CreateLoad(event, place)});
    };
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(count);
        known && known->getSExtValue() > 0 && known->getSExtValue() <= limits::lanes_in_line) {
      for (int64_t i = 0; i != known->getSExtValue(); ++i)
        record_event(builder_.getInt64(static_cast<uint64_t>(i)));
      return;
    }
    // The list may be empty. That is recorded as an event that no copy has.
    record(Primitive::record_awaited, builder_.getVoidTy(), {llvm::Constant::getNullValue(event)});
    llvm::Value *is_some =
        builder_.CreateICmpSGT(count, llvm::Constant::getNullValue(count->getType()));
    llvm::Value *end = builder_.CreateZExt(count, builder_.getInt64Ty());
    llvm::Instruction *some = llvm::SplitBlockAndInsertIfThen(is_some, &call, false);
    auto [body, index] = llvm::SplitBlockAndInsertSimpleForLoop(end, some->getIterator());
    builder_.SetInsertPoint(body);
    builder_.SetCurrentDebugLocation(call.getDebugLoc());
    record_event(index);
  }

  llvm::IRBuilder<> builder_;
};

} // namespace

std::span<const RecordedArgument> recorded_arguments() {
  return arguments;
}

llvm::PreservedAnalyses RecordArgumentsPass::run(llvm::Module &module,
                                                 llvm::ModuleAnalysisManager &) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
          call && call->getCalledFunction() && call->getCalledFunction()->isDeclaration())
        calls.push_back(call);
  RecordCalls record_calls(module);
  for (llvm::CallInst *call : calls)
    record_calls.visit(*call);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
