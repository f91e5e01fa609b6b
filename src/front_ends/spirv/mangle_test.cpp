// Names from types, against names that clang wrote: those of the device library's functions.
#include "device_lib/device_library.h"
#include "front_ends/spirv/mangle.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/LLVMContext.h"

#include <gtest/gtest.h>

namespace lockstep::compiler::spirv {
namespace {

class Mangle : public testing::Test {
protected:
  ParameterType number(unsigned bits, bool is_signed, unsigned lanes = 1) {
    llvm::Type *element = llvm::Type::getIntNTy(context, bits);
    return of(lanes == 1 ? element : llvm::FixedVectorType::get(element, lanes), is_signed);
  }
  ParameterType of(llvm::Type *type, bool is_signed = true) {
    const std::optional<ParameterType> result = type_of(type, is_signed);
    EXPECT_TRUE(result);
    return result.value_or(scalar("?"));
  }
  ParameterType vector(llvm::Type *element, unsigned lanes) {
    return of(llvm::FixedVectorType::get(element, lanes));
  }
  llvm::Type *image(unsigned dimension, unsigned depth, unsigned arrayed, unsigned access) {
    return llvm::TargetExtType::get(context, "spirv.Image", {llvm::Type::getVoidTy(context)},
                                    {dimension, depth, arrayed, 0, 0, 0, access});
  }
  ParameterType opaque(const char *name) { return of(llvm::TargetExtType::get(context, name)); }

  llvm::LLVMContext context;
  llvm::Type *half = llvm::Type::getHalfTy(context);
  llvm::Type *single = llvm::Type::getFloatTy(context);
  llvm::Type *twice = llvm::Type::getDoubleTy(context);
  ParameterType order = scalar("12memory_order"), scope = scalar("12memory_scope");
};

void expect_name(std::string_view expected, std::string_view name,
                 std::initializer_list<ParameterType> parameters) {
  const std::string mangled = mangled_name(name, parameters);
  EXPECT_EQ(mangled, expected);
  EXPECT_TRUE(is_builtin_function(mangled)) << mangled << " is not a builtin";
}

TEST_F(Mangle, Numbers) {
  expect_name("_Z7barrierj", "barrier", {number(32, false)});
  expect_name("_Z3absh", "abs", {number(8, false)});
  expect_name("_Z3absc", "abs", {number(8, true)});
  expect_name("_Z3abst", "abs", {number(16, false)});
  expect_name("_Z3abss", "abs", {number(16, true)});
  expect_name("_Z3absl", "abs", {number(64, true)});
  expect_name("_Z3absm", "abs", {number(64, false)});
  expect_name("_Z3cosDh", "cos", {of(half)});
  expect_name("_Z3powdd", "pow", {of(twice), of(twice)});
  expect_name("_Z12get_work_dimv", "get_work_dim", {});
}

TEST_F(Mangle, VectorsAreShortenedWhenTheyRepeat) {
  expect_name("_Z3cosDv3_Dh", "cos", {vector(half, 3)});
  expect_name("_Z3maxDv16_jS_", "max", {number(32, false, 16), number(32, false, 16)});
  expect_name("_Z6selectDv4_fS_Dv4_i", "select",
              {vector(single, 4), vector(single, 4), number(32, true, 4)});
  expect_name("_Z8shuffle2Dv2_fS_Dv4_j", "shuffle2",
              {vector(single, 2), vector(single, 2), number(32, false, 4)});
}

TEST_F(Mangle, Pointers) {
  expect_name("_Z5fractfPf", "fract", {of(single), pointer_to(of(single), 0)});
  expect_name("_Z5fractDv2_fPU3AS1S_", "fract",
              {vector(single, 2), pointer_to(vector(single, 2), 1)});
  expect_name("_Z6vload4mPU3AS1Kf", "vload4",
              {number(64, false), pointer_to(of(single), 1, is_const)});
  expect_name("_Z7vstore2Dv2_imPU3AS3i", "vstore2",
              {number(32, true, 2), number(64, false), pointer_to(number(32, true), 3)});
  expect_name("_Z29async_work_group_strided_copyPU3AS3Dv2_fPU3AS1KS_mm9ocl_event",
              "async_work_group_strided_copy",
              {pointer_to(vector(single, 2), 3), pointer_to(vector(single, 2), 1, is_const),
               number(64, false), number(64, false), opaque("spirv.Event")});
}

TEST_F(Mangle, Atomics) {
  const ParameterType object = pointer_to(number(32, true), 1, is_volatile | is_atomic);
  expect_name("_Z20atomic_load_explicitPU3AS1VU7_Atomici12memory_order12memory_scope",
              "atomic_load_explicit", {object, order, scope});
  expect_name("_Z39atomic_compare_exchange_strong_explicitPU3AS1VU7_AtomiciPU3AS4ii12memory_"
              "orderS4_12memory_scope",
              "atomic_compare_exchange_strong_explicit",
              {object, pointer_to(number(32, true), 4), number(32, true), order, order, scope});
}

// clang counts what a private pointer points to as a component.
TEST_F(Mangle, PrivatePointers) {
  expect_name("_Z39atomic_compare_exchange_strong_explicitPU3AS1VU7_AtomiciPii12memory_orderS4_12"
              "memory_scope",
              "atomic_compare_exchange_strong_explicit",
              {pointer_to(number(32, true), 1, is_volatile | is_atomic),
               pointer_to(number(32, true), 0), number(32, true), order, order, scope});
  expect_name("_Z5fractDv2_fPS_", "fract", {vector(single, 2), pointer_to(vector(single, 2), 0)});
}

TEST_F(Mangle, ImagesAndSamplers) {
  expect_name("_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f", "read_imagef",
              {of(image(1, 0, 0, 0)), opaque("spirv.Sampler"), vector(single, 2)});
  expect_name("_Z12write_imageh14ocl_image3d_woDv4_iDv4_Dh", "write_imageh",
              {of(image(2, 0, 0, 1)), number(32, true, 4), vector(half, 4)});
  expect_name("_Z15get_image_width20ocl_image2d_array_rw", "get_image_width",
              {of(image(1, 0, 1, 2))});
  expect_name("_Z15get_image_width26ocl_image2d_array_depth_ro", "get_image_width",
              {of(image(1, 1, 1, 0))});
  expect_name("_Z15get_image_width21ocl_image1d_buffer_ro", "get_image_width",
              {of(image(5, 0, 0, 0))});
}

TEST_F(Mangle, TypesOfOpenCl) {
  expect_name("_Z19is_valid_reserve_id13ocl_reserveid", "is_valid_reserve_id",
              {opaque("spirv.ReserveId")});
  expect_name("_Z12retain_event12ocl_clkevent", "retain_event", {opaque("spirv.DeviceEvent")});
  expect_name("_Z14enqueue_marker9ocl_queuejPU3AS4K12ocl_clkeventPU3AS4S0_", "enqueue_marker",
              {opaque("spirv.Queue"), number(32, false),
               pointer_to(opaque("spirv.DeviceEvent"), 4, is_const),
               pointer_to(opaque("spirv.DeviceEvent"), 4)});
}

// The digits of short forms go on with letters, and then with a second digit.
TEST_F(Mangle, ManyComponents) {
  std::vector<ParameterType> parameters;
  for (unsigned lanes = 2; lanes != 41; ++lanes)
    parameters.push_back(number(32, true, lanes));
  parameters.push_back(number(32, true, 13));
  parameters.push_back(number(32, true, 40));
  const std::string name = mangled_name("f", parameters);
  EXPECT_TRUE(name.ends_with("Dv40_iSA_S11_")) << name;
}

TEST_F(Mangle, OtherTypesHaveNoName) {
  EXPECT_FALSE(type_of(llvm::Type::getIntNTy(context, 24), true));
  EXPECT_FALSE(type_of(llvm::StructType::get(single, single), true));
  EXPECT_FALSE(type_of(image(3, 0, 0, 0), true)); // a cube
  EXPECT_FALSE(type_of(llvm::TargetExtType::get(context, "spirv.Pipe", {}, {0}), true));
  EXPECT_FALSE(type_of(llvm::PointerType::get(context, 1), true));
}

TEST_F(Mangle, NamesInOpenClC) {
  EXPECT_EQ(opencl_c_name(llvm::FixedVectorType::get(llvm::Type::getInt16Ty(context), 3), false),
            "ushort3");
  EXPECT_EQ(opencl_c_name(half, true), "half");
}

} // namespace
} // namespace lockstep::compiler::spirv
