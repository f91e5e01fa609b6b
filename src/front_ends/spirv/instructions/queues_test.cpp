// Pipes, device-side queues, and instructions of small extensions: which functions are called.
#include "front_ends/spirv/assemble.h"

#include "kernel_ir/kernel_info.h"

#include "llvm/IR/InstrTypes.h"

namespace lockstep::compiler::spirv {
namespace {

constexpr const char *capabilities = R"(
OpCapability Pipes
OpCapability Groups
OpCapability DeviceEnqueue
OpCapability SubgroupDispatch
OpCapability DotProduct
OpCapability DotProductInput4x8Bit
OpCapability DotProductInput4x8BitPacked
OpCapability ShaderClockKHR
OpExtension "SPV_KHR_integer_dot_product"
OpExtension "SPV_KHR_shader_clock"
)";

constexpr const char *declarations = R"(
%in_type = OpTypePipe ReadOnly
%out_type = OpTypePipe WriteOnly
%in = OpUndef %in_type
%out = OpUndef %out_type
%reserve = OpTypeReserveId
%reservation = OpUndef %reserve
%queue_type = OpTypeQueue
%queue = OpUndef %queue_type
%event_type = OpTypeDeviceEvent
%event = OpUndef %event_type
%q_event = OpTypePointer Generic %event_type
%events = OpUndef %q_event
%int_3_const = OpConstant %long 3
%sizes = OpTypeArray %long %int_3_const
%u_sizes = OpUndef %sizes
%range = OpTypeStruct %int %sizes %sizes %sizes
%u_range = OpUndef %range
%body_type = OpTypeFunction %void %q_char %l_char
%captures_only = OpTypeFunction %void %q_char
)";

// Functions that the module enqueues.
constexpr const char *functions = R"(
OpReturn
OpFunctionEnd
%block = OpFunction %void None %captures_only
%captures = OpFunctionParameter %q_char
%block_entry = OpLabel
OpReturn
OpFunctionEnd
%local_block = OpFunction %void None %body_type
%captures2 = OpFunctionParameter %q_char
%local_memory = OpFunctionParameter %l_char
%local_entry = OpLabel
)";

std::unique_ptr<ReadModule> read_body(const std::string &body,
                                      const std::string &entry_points = "") {
  std::string text = module_with(body + functions, capabilities, declarations);
  text.insert(text.find("OpEntryPoint"), entry_points);
  return std::make_unique<ReadModule>(text);
}

void expect_call(const std::string &body, const std::string &call) {
  const auto read = read_body(body);
  EXPECT_EQ(read->error, "");
  EXPECT_TRUE(read->has(call)) << call << "\n" << read->ir();
}

void expect_error(const std::string &body, const std::string &sentence) {
  const auto read = read_body(body);
  EXPECT_NE(read->error.find(sentence), std::string::npos) << read->error;
}

TEST(Pipes, ReadAndWrite) {
  expect_call("%x = OpReadPipe %int %in %u_p_int %int_4 %int_4",
              "@__read_pipe_2(target(\"spirv.Pipe\", 0)");
  expect_call("%x = OpReservedWritePipe %int %out %reservation %int_1 %u_q_int %int_4 %int_4",
              "@__write_pipe_4(target(\"spirv.Pipe\", 1)");
  expect_error("%x = OpWritePipe %int %in %u_q_int %int_4 %int_4",
               "operand 1 is a pipe of the other direction");
}

TEST(Pipes, Reservations) {
  expect_call("%x = OpReserveReadPipePackets %reserve %in %int_2 %int_4 %int_4",
              "@__reserve_read_pipe(");
  expect_call("OpCommitWritePipe %out %reservation %int_4 %int_4", "@__commit_write_pipe(");
  expect_call("%x = OpGroupReserveWritePipePackets %reserve %int_2 %out %int_2 %int_4 %int_4",
              "@__work_group_reserve_write_pipe(");
  expect_call("OpGroupCommitReadPipe %int_3 %in %reservation %int_4 %int_4",
              "@__sub_group_commit_read_pipe(");
  expect_call("%x = OpIsValidReserveId %bool %reservation",
              "@_Z19is_valid_reserve_id13ocl_reserveid(");
}

TEST(Pipes, Queries) {
  expect_call("%x = OpGetNumPipePackets %int %in %int_4 %int_4", "@__get_pipe_num_packets_ro(");
  expect_call("%x = OpGetMaxPipePackets %int %out %int_4 %int_4", "@__get_pipe_max_packets_wo(");
}

TEST(Queues, Ranges) {
  expect_call("%n = OpLoad %long %u_g_long\n"
              "%x = OpBuildNDRange %range %n %int_4 %int_0",
              "insertvalue %");
  expect_error("%x = OpBuildNDRange %range %u_float %int_4 %int_0", "operand 1 is float");
}

const std::string enqueue = "%x = OpEnqueueKernel %int %queue %int_0 %u_range %int_0 %events "
                            "%events %block %u_q_char %int_16 %int_8";

TEST(Queues, Enqueues) {
  expect_call(enqueue, "@__enqueue_kernel_basic_events(target(\"spirv.Queue\") undef, i32 0, ptr");
  expect_call("%x = OpEnqueueKernel %int %queue %int_0 %u_range %int_0 %events %events "
              "%local_block %u_q_char %int_16 %int_8 %int_4",
              "@__enqueue_kernel_events_varargs(");
}

unsigned number_of_blocks(const ReadModule &read) {
  return static_cast<unsigned>(llvm::count_if(read.module, [](const llvm::Function &function) {
    return function.hasFnAttribute(block_attribute);
  }));
}

// Functions without names are not one function.
TEST(Queues, EachFunctionIsABlock) {
  const auto read =
      read_body(enqueue + "\n%y = OpEnqueueKernel %int %queue %int_0 %u_range %int_0 %events "
                          "%events %local_block %u_q_char %int_16 %int_8 %int_4");
  EXPECT_EQ(read->error, "");
  EXPECT_EQ(number_of_blocks(*read), 2u);
}

// Khronos's translator names an entry point for a block, and passes the address of a size.
TEST(Queues, EntryPointsOfBlocksAreNotKernels) {
  const auto read = read_body("%y = OpEnqueueKernel %int %queue %int_0 %u_range %int_0 %events "
                              "%events %local_block %u_q_char %int_16 %int_8 %u_p_long",
                              "OpEntryPoint Kernel %block \"block\"\n");
  EXPECT_EQ(read->error, "");
  EXPECT_FALSE(read->module.getFunction("block"));
  EXPECT_TRUE(read->has("load i64, ptr undef")) << read->ir();
}

// The launch finds the captures behind a head with their size.
TEST(Queues, BlocksAreKernels) {
  const auto read = read_body(enqueue + "\n%y" + enqueue.substr(2));
  ASSERT_EQ(read->error, "");
  EXPECT_EQ(number_of_blocks(*read), 1u) << "both enqueues run the same function";
  for (const llvm::Function &function : read->module)
    if (function.hasFnAttribute(block_attribute)) {
      EXPECT_EQ(function.getCallingConv(), llvm::CallingConv::SPIR_KERNEL);
      EXPECT_TRUE(function.hasLocalLinkage());
    }
  EXPECT_TRUE(read->has("store i32 32, ptr")) << read->ir();
  EXPECT_TRUE(read->has("getelementptr inbounds i8, ptr addrspace(4) %0, i64 16")) << read->ir();
}

TEST(Queues, BlockQueries) {
  expect_call("%x = OpGetKernelWorkGroupSize %int %block %u_q_char %int_16 %int_8",
              "@__get_kernel_work_group_size_impl(");
  expect_call("%x = OpGetKernelPreferredWorkGroupSizeMultiple %int %block %u_q_char %int_16 %int_8",
              "@__get_kernel_preferred_work_group_size_multiple_impl(");
  expect_call("%x = OpGetKernelNDrangeSubGroupCount %int %u_range %block %u_q_char %int_16 %int_8",
              "@__get_kernel_sub_group_count_for_ndrange_impl(");
}

TEST(Queues, SubGroupDispatch) {
  expect_call("%x = OpGetKernelMaxNumSubgroups %int %block %u_q_char %int_16 %int_8", "udiv i32");
  expect_call("%x = OpGetKernelLocalSizeForSubgroupCount %int %int_4 %block %u_q_char %int_16 "
              "%int_8",
              "mul i32 4, ");
}

TEST(Queues, Events) {
  expect_call("%x = OpGetDefaultQueue %queue_type", "@_Z17get_default_queuev()");
  expect_call("%x = OpCreateUserEvent %event_type", "@_Z17create_user_eventv()");
  expect_call("OpRetainEvent %event", "@_Z12retain_event12ocl_clkevent(");
  expect_call("OpSetUserEventStatus %event %int_0", "@_Z21set_user_event_status12ocl_clkeventi(");
  expect_call("OpCaptureEventProfilingInfo %event %int_1 %u_g_long",
              "@_Z28capture_event_profiling_info12ocl_clkeventiPU3AS1v(");
  expect_call("%x = OpEnqueueMarker %int %queue %int_0 %events %events",
              "@_Z14enqueue_marker9ocl_queuejPU3AS4K12ocl_clkeventPU3AS4S0_(");
}

TEST(Queues, Errors) {
  expect_error("%x = OpEnqueueKernel %int %queue %int_0 %u_range %int_0 %events %events "
               "%local_block %u_q_char %int_16 %int_8",
               "another number of sizes of local memory");
  expect_error("%n = OpLoad %int %u_g_int\n"
               "%x = OpEnqueueKernel %int %queue %int_0 %u_range %int_0 %events %events "
               "%block %u_q_char %n %int_8",
               "is not a constant");
  expect_error("%x = OpEnqueueKernel %int %queue %int_0 %int_1 %int_0 %events %events "
               "%block %u_q_char %int_4 %int_8",
               "not the range of OpBuildNDRange");
}

// ---- dot products and clocks

TEST(DotProducts, BytesInVectorsAndInIntegers) {
  expect_call("%x = OpSDot %int %u_char4 %u_char4", "@_Z3dotDv4_cS_(");
  expect_call("%x = OpUDot %int %u_int %u_int PackedVectorFormat4x8Bit", "@_Z3dotDv4_hS_(");
  expect_call("%x = OpSUDot %int %u_char4 %u_char4", "@_Z3dotDv4_cDv4_h(");
  expect_call("%x = OpSDotAccSat %int %u_char4 %u_char4 %u_int", "@llvm.sadd.sat.i32(");
  expect_call("%x = OpUDotAccSat %long %u_char4 %u_char4 %u_long", "@llvm.uadd.sat.i64(");
  expect_error("%x = OpSDot %int %u_int %u_int", "its factors are not vectors of 4 int8");
  expect_error("%x = OpSDot %int %u_short4 %u_short4", "its factors are not vectors of 4 int8");
}

TEST(Clocks, Scopes) {
  expect_call("%x = OpReadClockKHR %long %int_1", "@_Z17clock_read_devicev()");
  expect_call("%x = OpReadClockKHR %int2 %int_3", "@_Z25clock_read_hilo_sub_groupv()");
  expect_error("%x = OpReadClockKHR %int %int_1", "its result is not int64");
  expect_error("%x = OpReadClockKHR %long %int_4", "operand 1 is not the constant Device");
}

// ---- instructions that spirv-tools does not know

// The module with the opcode and the capability in the place of other ones.
std::string replaced(const std::string &text, Op from, uint32_t opcode, uint32_t capability) {
  std::string binary = assemble(text);
  auto *words = reinterpret_cast<uint32_t *>(binary.data());
  for (size_t at = 5; at < binary.size() / 4; at += words[at] >> 16) {
    const auto here = static_cast<Op>(words[at] & 0xffff);
    if (here == from)
      words[at] = (words[at] & 0xffff0000) | opcode;
    if (here == Op::OpCapability &&
        words[at + 1] == static_cast<uint32_t>(spv::Capability::ShaderClockKHR))
      words[at + 1] = capability;
  }
  return binary;
}

TEST(Bfloat16, IsTheUpperHalfOfAFloat) {
  const ReadModule to(
      ReadModule::binary{replaced(module_with("%n = OpLoad %float %u_g_float\n"
                                              "%x = OpConvertFToU %short %n\nOpStore %u_g_short %x",
                                              capabilities),
                                  Op::OpConvertFToU, 6116, 6115)});
  EXPECT_EQ(to.error, "");
  EXPECT_TRUE(to.has("lshr i32") && to.has(" uno float %")) << to.ir();
  const ReadModule from(
      ReadModule::binary{replaced(module_with("%n = OpLoad %short %u_g_short\n"
                                              "%x = OpConvertUToF %float %n\nOpStore %u_g_float %x",
                                              capabilities),
                                  Op::OpConvertUToF, 6117, 6115)});
  EXPECT_EQ(from.error, "");
  EXPECT_TRUE(from.has("shl i32") || from.has("shl nuw i32")) << from.ir();
}

} // namespace
} // namespace lockstep::compiler::spirv
