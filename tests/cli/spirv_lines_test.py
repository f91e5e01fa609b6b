"""Remarks, the checker and reports of deadlocks name lines of a SPIR-V module: those of OpLine, of the two sets of debug
information, or else those that spirv-dis prints."""

import re
import subprocess

import cli

# kernel void gather(global int *data, global const int *at) { data[i] = at[at[i]]; }   remark
# kernel void race(global int *data) { data[0] = i; }                                  checker
# kernel void wait_for(global int *flag) { while (atomic_load(flag) == 0); }           deadlock
MODULE = """
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
{extension}
{import}
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %gather "gather" %id
OpEntryPoint Kernel %race "race" %id
OpEntryPoint Kernel %wait "wait_for"
{strings}
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %id Constant
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%v3ulong = OpTypeVector %ulong 3
%in = OpTypePointer Input %v3ulong
%global = OpTypePointer CrossWorkgroup %uint
%one = OpTypeFunction %void %global
%two = OpTypeFunction %void %global %global
%id = OpVariable %in Input
%0u = OpConstant %uint 0
%1u = OpConstant %uint 1
%2u = OpConstant %uint 2
%3u = OpConstant %uint 3
%11u = OpConstant %uint 11
%22u = OpConstant %uint 22
%33u = OpConstant %uint 33
%sequential = OpConstant %uint 528
%scope = OpConstant %uint 1
{globals}
%gather = OpFunction %void None %two
%data = OpFunctionParameter %global
%at = OpFunctionParameter %global
%entry1 = OpLabel
{gather_begins}
%ids1 = OpLoad %v3ulong %id Aligned 32
%i1 = OpCompositeExtract %ulong %ids1 0
%first = OpInBoundsPtrAccessChain %global %at %i1
%index = OpLoad %uint %first Aligned 4
%wide = OpUConvert %ulong %index
%second = OpInBoundsPtrAccessChain %global %at %wide
{line_11}
%value = OpLoad %uint %second Aligned 4
%target = OpInBoundsPtrAccessChain %global %data %i1
OpStore %target %value Aligned 4
OpReturn
OpFunctionEnd
%race = OpFunction %void None %one
%raced = OpFunctionParameter %global
%entry2 = OpLabel
{race_begins}
%ids2 = OpLoad %v3ulong %id Aligned 32
%i2 = OpCompositeExtract %ulong %ids2 0
%narrow = OpUConvert %uint %i2
{line_22}
OpStore %raced %narrow Aligned 4
OpReturn
OpFunctionEnd
%wait = OpFunction %void None %one
%flag = OpFunctionParameter %global
%entry3 = OpLabel
{wait_begins}
OpBranch %loop
%loop = OpLabel
{wait_begins}
{line_33}
%seen = OpAtomicLoad %uint %flag %scope %sequential
%unset = OpIEqual %bool %seen %0u
OpBranchConditional %unset %loop %end
%end = OpLabel
OpReturn
OpFunctionEnd
"""
LINES = ("line_11", "line_22", "line_33")
KERNELS = ("gather", "race", "wait")


def module(**parts):
    empty = dict.fromkeys(("extension", "import", "strings", "globals", *LINES, *(f"{name}_begins" for name in KERNELS)), "")
    return MODULE.format(**{**empty, **parts})


def with_op_line():
    return module(strings='%file = OpString "/src/kernels.cl"', **{line: f"OpLine %file {line[5:]} 7" for line in LINES})


def with_opencl_debug_info():
    functions = "".join(f"%d_{name} = OpExtInst %void %debug DebugFunction %n_{name} %type %source 4 1 %unit %n_{name} "
                        f"FlagIsPublic 4 %{name}\n" for name in KERNELS)
    return module(**{"import": '%debug = OpExtInstImport "OpenCL.DebugInfo.100"'},
                  strings='%file = OpString "/src/kernels.cl"\n'
                          + "".join(f'%n_{name} = OpString "{name}"\n' for name in KERNELS),
                  globals="%source = OpExtInst %void %debug DebugSource %file\n"
                          "%unit = OpExtInst %void %debug DebugCompilationUnit 1 4 %source OpenCL_C\n"
                          "%type = OpExtInst %void %debug DebugTypeFunction FlagIsPublic %void\n" + functions,
                  **{f"{name}_begins": f"%s{count}_{name} = OpExtInst %void %debug DebugScope %d_{name}"
                     for count, name in enumerate(KERNELS[:2])},
                  **{line: f"OpLine %file {line[5:]} 7" for line in LINES})


def with_shader_debug_info():
    functions = "".join(f"%d_{name} = OpExtInst %void %debug DebugFunction %n_{name} %type %source %3u %1u %unit %n_{name} "
                        f"%3u %3u\n" for name in KERNELS)
    return module(extension='OpExtension "SPV_KHR_non_semantic_info"',
                  **{"import": '%debug = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"'},
                  strings='%file = OpString "/src/kernels.cl"\n'
                          + "".join(f'%n_{name} = OpString "{name}"\n' for name in KERNELS),
                  globals="%source = OpExtInst %void %debug DebugSource %file\n"
                          "%unit = OpExtInst %void %debug DebugCompilationUnit %1u %3u %source %3u\n"
                          "%type = OpExtInst %void %debug DebugTypeFunction %3u %void\n" + functions,
                  **{f"{name}_begins": f"%b_{name} = OpExtInst %void %debug DebugFunctionDefinition %d_{name} %{name}\n"
                                       f"%s_{name} = OpExtInst %void %debug DebugScope %d_{name}" for name in KERNELS[:2]},
                  **{line: f"%l{line[5:]} = OpExtInst %void %debug DebugLine %source %{line[5:]}u %{line[5:]}u %2u %2u"
                     for line in LINES})


class SpirvLinesTest(cli.ToolTest):
    def assemble_text(self, text):
        (self.folder / "k.spvasm").write_text(text)
        subprocess.run(["spirv-as", "--target-env", "spv1.4", "k.spvasm", "-o", "k.spv"], cwd=self.folder, check=True)

    def remarks(self):
        return self.tool("compile", "k.spv", "-k", "gather", "--local-size", 64, "--remarks", "--emit", "asm",
                         LOCKSTEP_CPU="skylake-avx512").err

    def race(self):
        return self.tool("check", "--only", "races", cli.TOOL, "run", "k.spv", "-k", "race", "--global", 64, "--arg",
                         "buf:int:64", code=66).err

    def deadlock(self):
        return self.tool("run", "k.spv", "-k", "wait_for", "--global", 1, "--arg", "buf:int:1", code=1,
                         LOCKSTEP_DEADLOCK_SECONDS="1").err

    def check_lines(self, text, gather, race, wait):
        self.assemble_text(text)
        self.assertRegex(self.remarks(), rf"{gather}: lanes: gather")
        self.assertRegex(self.race(), rf"write +{race} ")
        self.assertRegex(self.deadlock(), rf"wait at {wait} for byte")

    def test_lines_of_op_line(self):
        file = re.escape("/src/kernels.cl")
        self.check_lines(with_op_line(), f"{file}:11:7", f"{file}:22:7", f"{file}:33:7")

    def test_lines_of_opencl_debug_info(self):
        file = re.escape("/src/kernels.cl")
        self.check_lines(with_opencl_debug_info(), f"{file}:11:7", f"{file}:22:7", f"{file}:33:7")

    def test_lines_of_shader_debug_info(self):
        file = re.escape("/src/kernels.cl")
        self.check_lines(with_shader_debug_info(), f"{file}:11:2", f"{file}:22:2", f"{file}:33:2")

    def test_lines_of_the_disassembly(self):
        self.assemble_text(module())
        text = subprocess.run(["spirv-dis", "k.spv"], cwd=self.folder, check=True, capture_output=True, text=True).stdout
        lines = text.splitlines()
        loads = [number for number, line in enumerate(lines, 1) if " OpLoad %uint " in line]
        stores = [number for number, line in enumerate(lines, 1) if "OpStore " in line]
        waits = [number for number, line in enumerate(lines, 1) if "OpAtomicLoad " in line]
        self.check_lines(module(), f"<SPIR-V>:{loads[1]}(:0)?", f"<SPIR-V>:{stores[1]}(:0)?", f"<SPIR-V>:{waits[0]}(:0)?")


cli.main()
