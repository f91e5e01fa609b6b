// Tests compiling, linking and libraries: clCompileProgram and clLinkProgram without the API.
#include "front_ends/front_ends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::compiler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ObjectModule compiled(std::string_view source, std::string_view options = "-cl-std=CL3.0") {
  std::string log;
  auto object = compile_opencl_c(source, options, {}, log);
  EXPECT_TRUE(object) << log;
  return object ? *object : ObjectModule{};
}

std::string link_failure(const std::vector<const ObjectModule *> &objects,
                         ErrorKind kind = ErrorKind::build_failure) {
  std::string log;
  auto program = link_program(objects, "", log);
  EXPECT_FALSE(program);
  if (!program)
    EXPECT_EQ(program.error().kind, kind);
  return log;
}

std::vector<std::string> kernel_names(const KernelModule &program) {
  std::vector<std::string> names;
  for (const KernelInfo &kernel : program.kernels)
    names.push_back(kernel.name);
  return names;
}

const char *const caller = "int helper(int); kernel void k(global int *a) { a[0] = helper(a[1]); }";

TEST(LinkModules, FunctionsAndVariablesAcrossObjects) {
  ObjectModule a = compiled("int helper(int); extern constant int table[2];\n"
                            "kernel void k(global int *a) { a[0] = helper(a[1]) + table[1]; }");
  ObjectModule b = compiled(
      "constant int table[2] = {1, 2}; int helper(int x) { local int *none = 0; return x + 1; }\n"
      "kernel void second(global int *a) { a[0] = 2; }",
      "-w -cl-std=CL3.0");
  std::string log;
  auto program = link_program({&a, &b}, "", log);
  ASSERT_TRUE(program) << log;
  EXPECT_THAT(kernel_names(*program), ElementsAre("k", "second"));
  EXPECT_NE(program->hash, 0u);
}

TEST(LinkModules, UndefinedFunctionIsNamed) {
  ObjectModule a = compiled(caller);
  EXPECT_THAT(link_failure({&a}), HasSubstr("helper"));
}

TEST(LinkModules, DoubleDefinitionIsNamed) {
  ObjectModule a = compiled("int helper(int x) { return x; }"),
               b = compiled("int helper(int x) { return x + 1; }");
  EXPECT_THAT(link_failure({&a, &b}), HasSubstr("helper"));
  EXPECT_THAT(link_failure({&a, &a}), HasSubstr("helper"));
}

TEST(LinkModules, RecursionAcrossObjects) {
  ObjectModule a = compiled(
      "int g(int); int f(int x) { return g(x); } kernel void k(global int *a) { a[0] = f(1); }");
  ObjectModule b = compiled("int f(int); int g(int x) { return f(x); }");
  EXPECT_THAT(link_failure({&a, &b}), HasSubstr("calls itself"));
}

TEST(LinkModules, Libraries) {
  ObjectModule helper = compiled("int helper2(int); int helper(int x) { return helper2(x); }");
  ObjectModule helper2 = compiled("int helper2(int x) { return x + 1; }");
  std::string log;
  auto library = link_library({&helper, &helper2}, "-create-library -enable-link-options", log);
  ASSERT_TRUE(library) << log;
  EXPECT_TRUE(library->is_library);
  ObjectModule main = compiled(caller);
  auto program = link_program({&main, &*library}, "-cl-fast-relaxed-math", log);
  ASSERT_TRUE(program) << log;
  EXPECT_THAT(kernel_names(*program), ElementsAre("k"));
  EXPECT_EQ(program->build_options, "-cl-fast-relaxed-math");
}

TEST(LinkModules, OptionsChangeCodeOnlyWhereAllowed) {
  ObjectModule open = compiled("float helper(float x) { return x * 0.0f; }");
  std::string log;
  auto closed_library = link_library({&open}, "-create-library", log);
  auto open_library = link_library({&open}, "-create-library -enable-link-options", log);
  ASSERT_TRUE(closed_library && open_library);
  auto hash_of = [&](const ObjectModule &object, const char *options) {
    auto program = link_program({&object}, options, log);
    EXPECT_TRUE(program) << log;
    return program ? program->hash : 0;
  };
  EXPECT_NE(hash_of(open, ""), hash_of(open, "-cl-no-signed-zeros"));
  EXPECT_NE(hash_of(*open_library, ""), hash_of(*open_library, "-cl-no-signed-zeros"));
  EXPECT_EQ(hash_of(*closed_library, ""), hash_of(*closed_library, "-cl-no-signed-zeros"));
  EXPECT_NE(hash_of(open, ""), hash_of(open, "-cl-denorms-are-zero"));
  ObjectModule with_flag =
      compiled("float helper(float x) { return x * 0.0f; }", "-cl-denorms-are-zero");
  EXPECT_EQ(hash_of(with_flag, ""), hash_of(with_flag, "-cl-denorms-are-zero"));
}

TEST(LinkModules, WrongInput) {
  std::string log;
  EXPECT_FALSE(link_program({}, "", log));
  ObjectModule a = compiled("kernel void k() {}");
  auto bad_option = link_program({&a}, "-cl-std=CL3.0", log);
  ASSERT_FALSE(bad_option);
  EXPECT_EQ(bad_option.error().kind, ErrorKind::invalid_argument);
  ObjectModule broken = a;
  broken.bitcode.resize(broken.bitcode.size() / 2);
  EXPECT_FALSE(link_program({&broken}, "", log));
}

TEST(LinkModules, SameSourceSameHash) {
  std::string log;
  auto one = build_opencl_c("kernel void k(global int *a) { a[0] = 1; }", "", log);
  auto two = build_opencl_c("kernel void k(global int *a) { a[0] = 1; }", "-w", log);
  auto three = build_opencl_c("kernel void k(global int *a) { a[0] = 2; }", "", log);
  ASSERT_TRUE(one && two && three);
  EXPECT_EQ(one->hash, two->hash);
  EXPECT_NE(one->hash, three->hash);
}

} // namespace
} // namespace lockstep::compiler
