// Every instruction of OpenCL.std, for every type and address space that it takes, is a builtin of
// the device library.
#include "front_ends/spirv/assemble.h"

#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace lockstep::compiler::spirv {
namespace {

const std::vector<std::string> floats = {"half", "float", "double"};
const std::vector<std::string> ints = {"char", "short", "int", "long"};
const std::vector<std::string> int_of_float = {"short", "int", "long"};
const std::string writable = "pglq", readable = "pgclq";

std::string vector(const std::string &element, unsigned count) {
  return count == 1 ? element : fmt::format("{}{}", element, count);
}

// Collects instructions `OpExtInst %result %std name operands`.
struct Instructions {
  std::string text;
  unsigned count = 0;

  // Operands are the names of types, and literals with a # before them.
  void add(const std::string &result, const std::string &name,
           const std::vector<std::string> &operands) {
    text += fmt::format("%x{} = OpExtInst %{} %std {}", ++count, result, name);
    for (const std::string &operand : operands)
      text += operand[0] == '#' ? " " + operand.substr(1) : " %u_" + operand;
    text += "\n";
  }
};

std::string pointer(char space, const std::string &element) {
  return fmt::format("{}_{}", space, element);
}

void for_pointers(Instructions &to, const std::string &name, unsigned n, unsigned values,
                  bool is_int) {
  for (const std::string &element : floats)
    for (char space : writable) {
      std::vector<std::string> operands(values, vector(element, n));
      operands.push_back(pointer(space, vector(is_int ? "int" : element, n)));
      to.add(vector(element, n), name, operands);
    }
}

void stores_of_half(Instructions &to, const std::string &name, unsigned n) {
  if ((name.find("halfn") != std::string::npos) != (n > 1))
    return;
  std::vector<std::string> roundings = {""};
  if (name.ends_with("_r"))
    roundings = {"#RTE", "#RTZ", "#RTP", "#RTN"};
  for (const char *element : {"float", "double"})
    for (char space : writable)
      for (const std::string &rounding : roundings) {
        std::vector<std::string> operands = {vector(element, n), "long", pointer(space, "half")};
        if (!rounding.empty())
          operands.push_back(rounding);
        to.add("void", name, operands);
      }
}

void shuffles(Instructions &to, const std::string &name, unsigned n) {
  if (n == 1 || n == 3)
    return;
  for (unsigned from : {2, 4, 8, 16}) {
    auto add = [&](const std::string &element, const std::string &mask) {
      std::vector<std::string> operands(name == "shuffle" ? 1 : 2, vector(element, from));
      operands.push_back(vector(mask, n));
      to.add(vector(element, n), name, operands);
    };
    for (const std::string &element : ints)
      add(element, element);
    for (size_t i = 0; i < floats.size(); ++i)
      add(floats[i], int_of_float[i]);
  }
}

void geometry(Instructions &to, const std::string &name, unsigned n, size_t operands) {
  const bool is_cross = name == "cross";
  if (is_cross ? n != 3 && n != 4 : n > 4)
    return;
  for (const std::string &element : floats) {
    if (name.starts_with("fast") && element != "float")
      continue;
    const bool gives_vector = is_cross || name.ends_with("normalize");
    to.add(gives_vector ? vector(element, n) : element, name,
           std::vector<std::string>(operands, vector(element, n)));
  }
}

void loads(Instructions &to, const std::string &name, unsigned n) {
  if ((name == "vload_half") != (n == 1))
    return;
  for (char space : readable) {
    std::vector<std::string> operands = {"long", pointer(space, "half")};
    if (n > 1)
      operands.push_back(fmt::format("#{}", n));
    to.add(vector("float", n), name, operands);
  }
}

void memory(Instructions &to, const std::string &name, unsigned n) {
  std::vector<std::string> elements = ints;
  elements.insert(elements.end(), floats.begin(), floats.end());
  for (const std::string &element : elements) {
    if (name == "prefetch")
      to.add("void", name, {pointer('g', vector(element, n)), "long"});
    if (n > 1 && name == "vloadn")
      for (char space : readable)
        to.add(vector(element, n), name, {"long", pointer(space, element), fmt::format("#{}", n)});
    if (n > 1 && name == "vstoren")
      for (char space : writable)
        to.add("void", name, {vector(element, n), "long", pointer(space, element)});
  }
}

void selections(Instructions &to, const std::string &name, unsigned n) {
  for (const std::string &element : ints)
    to.add(vector(element, n), name, std::vector<std::string>(3, vector(element, n)));
  for (size_t i = 0; i < floats.size(); ++i) {
    const std::string type = vector(floats[i], n);
    to.add(type, name, {type, type, name == "select" ? vector(int_of_float[i], n) : type});
  }
}

void others(Instructions &to, const std::string &name, unsigned n, size_t operands) {
  static const std::set<std::string> of_ints = {"clz", "ctz", "rotate", "popcount"};
  const bool is_of_ints =
      name.starts_with("s_") || name.starts_with("u_") || of_ints.contains(name);
  std::vector<std::string> elements = is_of_ints ? ints : floats;
  if (name.find("24") != std::string::npos)
    elements = {"int"};
  if (name.starts_with("half_") || name.starts_with("native_"))
    elements = {"float"};
  for (const std::string &element : elements)
    to.add(vector(element, n), name, std::vector<std::string>(operands, vector(element, n)));
}

void with_ints(Instructions &to, const std::string &name, unsigned n) {
  for (size_t i = 0; i < floats.size(); ++i) {
    const std::string type = vector(floats[i], n), number = vector("int", n);
    if (name == "ilogb")
      to.add(number, name, {type});
    else if (name == "nan")
      to.add(type, name, {vector(int_of_float[i], n)});
    else
      to.add(type, name, {type, number});
  }
}

// flat: one line for each family of instructions
void add_instruction(Instructions &to, const std::string &name, unsigned n, size_t operands) {
  static const std::set<std::string> geometric = {
      "cross", "distance", "fast_distance", "length", "fast_length", "normalize", "fast_normalize"};
  if (name == "printf")
    return;
  if (name == "fract" || name == "modf" || name == "sincos")
    return for_pointers(to, name, n, 1, false);
  if (name == "frexp" || name == "lgamma_r")
    return for_pointers(to, name, n, 1, true);
  if (name == "remquo")
    return for_pointers(to, name, n, 2, true);
  if (name == "ldexp" || name == "pown" || name == "rootn" || name == "ilogb" || name == "nan")
    return with_ints(to, name, n);
  if (geometric.contains(name))
    return geometry(to, name, n, operands);
  if (name == "select" || name == "bitselect")
    return selections(to, name, n);
  if (name == "s_upsample" || name == "u_upsample") {
    for (size_t i = 0; i + 1 < ints.size(); ++i)
      to.add(vector(ints[i + 1], n), name, {vector(ints[i], n), vector(ints[i], n)});
    return;
  }
  if (name == "vloadn" || name == "vstoren" || name == "prefetch")
    return memory(to, name, n);
  if (name.starts_with("vload"))
    return loads(to, name, n);
  if (name.starts_with("vstore"))
    return stores_of_half(to, name, n);
  if (name.starts_with("shuffle"))
    return shuffles(to, name, n);
  others(to, name, n, operands);
}

TEST(OpenClStd, EveryInstructionIsABuiltin) {
  std::ifstream file(LOCKSTEP_OPENCL_STD_GRAMMAR);
  const auto grammar = nlohmann::json::parse(file);
  Instructions instructions;
  for (const auto &instruction : grammar["instructions"])
    for (unsigned count : {1, 2, 3, 4, 8, 16})
      add_instruction(instructions, instruction["opname"], count, instruction["operands"].size());
  EXPECT_EQ(instructions.count, 3806u);
  ReadModule read(module_with(instructions.text));
  EXPECT_EQ(read.error, "");
}

// ---- what is called

std::string call_of(const std::string &instruction) {
  ReadModule read(module_with(instruction));
  EXPECT_EQ(read.error, "");
  for (const llvm::Function &function : read.module)
    if (function.isDeclaration())
      return function.getName().str();
  return "";
}

TEST(OpenClStd, SignsComeFromTheInstruction) {
  EXPECT_EQ(call_of("%x = OpExtInst %int %std s_max %u_int %u_int"), "_Z3maxii");
  EXPECT_EQ(call_of("%x = OpExtInst %int %std u_max %u_int %u_int"), "_Z3maxjj");
  EXPECT_EQ(call_of("%x = OpExtInst %short %std s_upsample %u_char %u_char"), "_Z8upsamplech");
  EXPECT_EQ(call_of("%x = OpExtInst %float %std nan %u_int"), "_Z3nanj");
}

TEST(OpenClStd, CommonFunctions) {
  EXPECT_EQ(call_of("%x = OpExtInst %float %std fmax_common %u_float %u_float"), "_Z3maxff");
  EXPECT_EQ(call_of("%x = OpExtInst %float %std fclamp %u_float %u_float %u_float"), "_Z5clampfff");
}

TEST(OpenClStd, Memory) {
  EXPECT_EQ(call_of("%x = OpExtInst %float4 %std vloadn %u_long %u_g_float 4"),
            "_Z6vload4mPU3AS1Kf");
  EXPECT_EQ(call_of("%x = OpExtInst %void %std vstorea_halfn_r %u_float3 %u_long %u_l_half RTZ"),
            "_Z17vstorea_half3_rtzDv3_fmPU3AS3Dh");
}

TEST(OpenClStd, NarrowArgumentsAreExtended) {
  EXPECT_TRUE(ReadModule(module_with("%x = OpExtInst %char %std s_abs %u_char"))
                  .has("@_Z3absc(i8 signext"));
  EXPECT_TRUE(ReadModule(module_with("%x = OpExtInst %short %std u_abs %u_short"))
                  .has("@_Z3abst(i16 zeroext"));
}

TEST(OpenClStd, PrintfPromotesFloats) {
  ReadModule read(module_with(
      "%x = OpExtInst %int %std printf %u_c_char %u_float %u_int %u_float4 %u_half %true"));
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.has("@printf(ptr addrspace(2) undef, double undef, i32 undef, <4 x float> "
                       "undef, double undef, i32 1)"))
      << read.ir();
}

// ---- errors

void expect_error(const std::string &instruction, const std::string &sentence) {
  ReadModule read(module_with(instruction));
  EXPECT_NE(read.error.find(sentence), std::string::npos) << read.error;
}

TEST(OpenClStd, WrongOperandsAreErrors) {
  expect_error("%x = OpExtInst %float %std cos %u_int", "cos: operand 1 is int32, not float");
  expect_error("%x = OpExtInst %int %std cos %u_int", "cos: its result type is int32");
  expect_error("%x = OpExtInst %double %std nan %u_int", "nan: its result cannot be");
  expect_error("%x = OpExtInst %half %std half_cos %u_half", "no function half_cos(half)");
  expect_error("%x = OpExtInst %float %std fract %u_float %u_c_float", "no function fract(");
  expect_error("%x = OpExtInst %long %std ilogb %u_float", "ilogb: its result cannot be int64");
  expect_error("%x = OpExtInst %float4 %std vloadn %u_long %u_g_float 3",
               "vloadn: operand 3 is not the number of components");
  expect_error("%x = OpExtInst %void %std prefetch %u_l_int %u_long", "no function prefetch(");
}

// spirv-tools would not assemble these: another number for acos.
std::string error_of_number(uint32_t number) {
  std::string binary = assemble(module_with("%x = OpExtInst %float %std acos %u_float"));
  auto *words = reinterpret_cast<uint32_t *>(binary.data());
  for (size_t at = 5; at < binary.size() / 4; at += words[at] >> 16)
    if ((words[at] & 0xffff) == static_cast<uint32_t>(Op::OpExtInst))
      words[at + 4] = number;
  auto source = parse_module(binary);
  EXPECT_TRUE(source);
  llvm::LLVMContext context;
  llvm::Module module("test", context);
  auto read = Reader(*source, module, {}).read();
  return read ? "" : read.error().message;
}

TEST(OpenClStd, NumberOfOperands) {
  constexpr uint32_t pow = 48;
  EXPECT_NE(error_of_number(pow).find("pow: it has 1 operands; the instruction takes 2"),
            std::string::npos);
}

TEST(OpenClStd, UnknownInstructionsAreErrors) {
  EXPECT_NE(error_of_number(4711).find("4711"), std::string::npos);
}

} // namespace
} // namespace lockstep::compiler::spirv
