// Atomics, barriers and fences: which function is called with which order and scope.
#include "front_ends/spirv/assemble.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

constexpr const char *capabilities = R"(
OpCapability Int64Atomics
OpCapability AtomicFloat32AddEXT
OpCapability AtomicFloat64MinMaxEXT
OpCapability Groups
OpExtension "SPV_EXT_shader_atomic_float_add"
OpExtension "SPV_EXT_shader_atomic_float_min_max"
)";

// Orders are %int_2 acquire, %int_4 release, %int_8 both, %int_16 sequentially consistent; scopes
// %int_0 CrossDevice, %int_1 Device, %int_2 Workgroup, %int_3 Subgroup, %int_4 Invocation.
void expect_call(const std::string &instruction, const std::string &call) {
  ReadModule read(module_with(instruction, capabilities,
                              "%local = OpConstant %int 264\n%global = OpConstant %int 520\n"
                              "%both = OpConstant %int 776\n"));
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.has(call)) << call << "\n" << read.ir();
}

void expect_error(const std::string &instruction, const std::string &sentence) {
  ReadModule read(module_with(instruction, capabilities));
  EXPECT_NE(read.error.find(sentence), std::string::npos) << read.error;
}

TEST(Atomics, Orders) {
  const std::string load = "%x = OpAtomicLoad %int %u_g_int %int_1 ";
  const std::string name = "@_Z20atomic_load_explicitPU3AS1VU7_Atomici12memory_order12memory_scope"
                           "(ptr addrspace(1) undef, i32 {}, i32 2)";
  expect_call(load + "%int_0", fmt::format(fmt::runtime(name), 0));
  expect_call(load + "%int_2", fmt::format(fmt::runtime(name), 2));
  expect_call(load + "%int_4", fmt::format(fmt::runtime(name), 0));
  expect_call(load + "%int_8", fmt::format(fmt::runtime(name), 2));
  expect_call(load + "%int_16", fmt::format(fmt::runtime(name), 5));
  expect_call("OpAtomicStore %u_g_int %int_1 %int_8 %int_7",
              "@_Z21atomic_store_explicitPU3AS1VU7_Atomicii12memory_order12memory_scope"
              "(ptr addrspace(1) undef, i32 7, i32 3, i32 2)");
  expect_call("%x = OpAtomicIAdd %int %u_g_int %int_1 %int_8 %int_7",
              "@_Z25atomic_fetch_add_explicitPU3AS1VU7_Atomicii12memory_order12memory_scope"
              "(ptr addrspace(1) undef, i32 7, i32 4, i32 2)");
}

// The scope that producers write for global memory is too narrow.
TEST(Atomics, ScopesBelowDeviceCountForLocalMemoryOnly) {
  for (auto [pointer, space, scope, expected] : {std::tuple{"g", 1, 2, 2},
                                                 {"q", 4, 2, 2},
                                                 {"g", 1, 4, 2},
                                                 {"g", 1, 0, 2},
                                                 {"l", 3, 2, 1},
                                                 {"l", 3, 3, 4},
                                                 {"l", 3, 4, 0},
                                                 {"l", 3, 1, 2},
                                                 {"l", 3, 0, 3},
                                                 {"l", 3, 7, 3}})
    expect_call(
        fmt::format("%x = OpAtomicUMax %int %u_{}_int %int_{} %int_0 %int_7", pointer, scope),
        fmt::format("@_Z25atomic_fetch_max_explicitPU3AS{}VU7_Atomicjj12memory_order12memory_"
                    "scope(ptr addrspace({}) undef, i32 7, i32 0, i32 {})",
                    space, space, expected));
}

TEST(Atomics, OrdersAndScopesThatAreNotConstant) {
  ReadModule read(module_with("%o = OpLoad %int %u_g_int\n"
                              "%s = OpLoad %int %u_g_int\n"
                              "%x = OpAtomicIAdd %int %u_l_int %s %o %int_7\n"));
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.has("select i1")) << read.ir();
}

TEST(Atomics, EachOperation) {
  struct Row {
    const char *opcode, *name, *types;
    bool has_operand = true;
  };
  for (const Row &row : {Row{"OpAtomicExchange", "15atomic_exchange", "ii"},
                         {"OpAtomicIIncrement", "16atomic_fetch_add", "ii", false},
                         {"OpAtomicIDecrement", "16atomic_fetch_sub", "ii", false},
                         {"OpAtomicISub", "16atomic_fetch_sub", "ii"},
                         {"OpAtomicSMin", "16atomic_fetch_min", "ii"},
                         {"OpAtomicUMin", "16atomic_fetch_min", "jj"},
                         {"OpAtomicSMax", "16atomic_fetch_max", "ii"},
                         {"OpAtomicAnd", "16atomic_fetch_and", "ii"},
                         {"OpAtomicOr", "15atomic_fetch_or", "ii"},
                         {"OpAtomicXor", "16atomic_fetch_xor", "ii"}}) {
    const std::string name(row.name);
    const int length = std::atoi(row.name) + 9; // "_explicit"
    expect_call(fmt::format("%x = {} %int %u_g_int %int_1 %int_0{}", row.opcode,
                            row.has_operand ? " %int_1" : ""),
                fmt::format("@_Z{}{}_explicitPU3AS1VU7_Atomic{}12memory_order", length,
                            name.substr(2), row.types));
  }
}

TEST(Atomics, Floats) {
  expect_call("%x = OpAtomicFAddEXT %float %u_g_float %int_1 %int_0 %u_float",
              "@_Z25atomic_fetch_add_explicitPU3AS1VU7_Atomicff12memory_order");
  expect_call("%x = OpAtomicFMinEXT %double %u_g_double %int_1 %int_0 %u_double",
              "@_Z25atomic_fetch_min_explicitPU3AS1VU7_Atomicdd12memory_order");
}

TEST(Atomics, CompareExchangeReturnsTheOldValue) {
  ReadModule read(
      module_with("%x = OpAtomicCompareExchange %int %u_g_int %int_1 %int_8 %int_8 %int_5 %int_3\n"
                  "OpStore %u_g_int %x"));
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.has("store i32 3, ptr %0")) << read.ir(); // the comparator
  EXPECT_TRUE(read.has("(ptr addrspace(1) undef, ptr %0, i32 5, i32 4, i32 2, i32 2)"))
      << read.ir();
  EXPECT_TRUE(read.has("load i32, ptr %0")) << read.ir();
}

TEST(Atomics, Flags) {
  expect_call(
      "%x = OpAtomicFlagTestAndSet %bool %u_g_int %int_1 %int_2",
      "call spir_func i1 "
      "@_Z33atomic_flag_test_and_set_explicitPU3AS1VU7_Atomici12memory_order12memory_scope");
  expect_call("OpAtomicFlagClear %u_l_int %int_2 %int_4",
              "@_Z26atomic_flag_clear_explicitPU3AS3VU7_Atomici12memory_order12memory_scope"
              "(ptr addrspace(3) undef, i32 3, i32 1)");
}

TEST(Atomics, PrivateMemoryIsAddressedAsGeneric) {
  expect_call("%x = OpAtomicLoad %int %u_p_int %int_1 %int_0",
              "@_Z20atomic_load_explicitPU3AS4VU7_Atomici");
}

TEST(Atomics, OtherTypesAreErrors) {
  expect_error("%x = OpAtomicIAdd %short %u_g_short %int_1 %int_0 %u_short",
               "OpAtomicIAdd: OpenCL C has no function atomic_fetch_add_explicit");
  expect_error("%x = OpAtomicIAdd %int %u_g_int %int_1 %int_0 %u_long",
               "OpAtomicIAdd: operand 4 is int64, not int32");
  expect_error("%x = OpAtomicLoad %int %u_int %int_1 %int_0",
               "OpAtomicLoad: operand 1 is int32, not pointer");
}

// ---- barriers

TEST(Barriers, FlagsAndScopes) {
  expect_call("OpControlBarrier %int_2 %int_2 %local",
              "@_Z18work_group_barrierj12memory_scope(i32 1, i32 1)");
  expect_call("OpControlBarrier %int_2 %int_1 %both",
              "@_Z18work_group_barrierj12memory_scope(i32 3, i32 2)");
  expect_call("OpControlBarrier %int_3 %int_3 %int_0",
              "@_Z17sub_group_barrierj12memory_scope(i32 0, i32 4)");
}

TEST(Barriers, AreConvergent) {
  ReadModule read(module_with("OpControlBarrier %int_2 %int_2 %int_0"));
  const llvm::Function *barrier = read.module.getFunction("_Z18work_group_barrierj12memory_scope");
  ASSERT_TRUE(barrier);
  EXPECT_TRUE(barrier->isConvergent());
}

TEST(Barriers, ScopesOfExecution) {
  expect_call("OpControlBarrier %int_4 %int_2 %global",
              "@_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 2, i32 4, i32 2)");
  expect_call("%s = OpLoad %int %u_g_int\nOpControlBarrier %s %int_2 %local",
              "@_Z23__spirv_control_barrierjj12memory_scope(i32 %1, i32 1, i32 1)");
  expect_error("OpControlBarrier %int_1 %int_1 %int_0", "operand 1 is 1; the scope of execution");
}

TEST(Barriers, FencesOverGlobalMemoryAreForTheDevice) {
  const std::string name = "@_Z22atomic_work_item_fencej12memory_order12memory_scope";
  expect_call("OpMemoryBarrier %int_2 %global", name + "(i32 2, i32 4, i32 2)");
  expect_call("OpMemoryBarrier %int_2 %both", name + "(i32 3, i32 4, i32 2)");
  expect_call("OpMemoryBarrier %int_2 %local", name + "(i32 1, i32 4, i32 1)");
}

TEST(Barriers, InTwoParts) {
  ReadModule read(module_with("OpControlBarrierArriveINTEL %int_2 %int_2 %local\n"
                              "OpControlBarrierWaitINTEL %int_2 %int_2 %local",
                              "OpCapability SplitBarrierINTEL\n"
                              "OpExtension \"SPV_INTEL_split_barrier\"\n",
                              "%local = OpConstant %int 264\n"));
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.has("@_Z22atomic_work_item_fencej12memory_order12memory_scope(")) << read.ir();
  EXPECT_TRUE(read.has("@_Z18work_group_barrierj12memory_scope(")) << read.ir();
}

} // namespace
} // namespace lockstep::compiler::spirv
