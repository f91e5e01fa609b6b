// Tests that faults of PTX are found, and that valid PTX has none.
#include "back_ends/nvidia/emit/check_ptx.h"

#include <gtest/gtest.h>

namespace lockstep::compiler {
namespace {

TEST(CheckPtx, ValidTextHasNoFault) {
  EXPECT_EQ(fault_in_ptx(R"(
.version 7.8
.target sm_90
.address_size 64
.global .align 4 .b8 table[16] = {0, 0, 128, 63};
.extern .shared .align 16 .b8 lockstep_shared[];
.func  (.param .b32 func_retval0) helper(
	.param .b64 helper_param_0
)
.visible .entry add(
	.param .u64 .ptr .global .align 4 add_param_0
)
.maxntid 1024
{
	.shared .align 64 .b8 scratch$1[264];
	mov.u32 %r1, %ctaid.x;
	ret;
}
)"),
            "");
}

TEST(CheckPtx, NamesWithDotsAreFaults) {
  EXPECT_NE(fault_in_ptx(".global .align 4 .b8 a.b[16];").find("'a.b'"), std::string::npos);
  EXPECT_NE(fault_in_ptx("\t.shared .align 4 .b8 a.b[16];\n").find("'a.b'"), std::string::npos);
  EXPECT_NE(fault_in_ptx(".visible .entry a.kernel(\n").find("'a.kernel'"), std::string::npos);
  EXPECT_NE(fault_in_ptx(".global .align 4 .b8 1st[16];").find("'1st'"), std::string::npos);
}

// The driver of an H200: "Parsing error near '_': syntax error".
TEST(CheckPtx, NamesThatPtxReservesAreFaults) {
  EXPECT_NE(fault_in_ptx("\t.shared .align 4 .u32 _;\n").find("'_'"), std::string::npos);
  EXPECT_NE(fault_in_ptx("\t.shared .align 4 .u32 $;\n").find("'$'"), std::string::npos);
  EXPECT_NE(fault_in_ptx(".global .align 4 .u32 WARP_SZ;").find("'WARP_SZ'"), std::string::npos);
  EXPECT_EQ(fault_in_ptx("\t.shared .align 4 .b8 __[128];\n.global .align 4 .u32 a;\n"), "");
}

TEST(CheckPtx, UndefinedSymbolsAreFaults) {
  EXPECT_NE(fault_in_ptx(".extern .func  (.param .b32 func_retval0) sin\n(\n").find("'sin'"),
            std::string::npos);
  EXPECT_NE(fault_in_ptx(".extern .func  (.param .b32 func_retval0)\nsin\n(\n").find("'sin'"),
            std::string::npos);
  EXPECT_NE(fault_in_ptx(".extern .global .align 4 .b32 variable;").find("'variable'"),
            std::string::npos);
}

} // namespace
} // namespace lockstep::compiler
