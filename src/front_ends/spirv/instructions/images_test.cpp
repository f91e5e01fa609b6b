// Instructions of images: which functions are called, with which coordinates and texels.
#include "front_ends/spirv/assemble.h"

namespace lockstep::compiler::spirv {
namespace {

constexpr const char *capabilities = R"(
OpCapability ImageBasic
OpCapability ImageReadWrite
OpCapability ImageMipmap
OpCapability LiteralSampler
OpCapability Sampled1D
OpCapability Image1D
OpCapability SampledBuffer
OpCapability ImageBuffer
)";

constexpr const char *declarations = R"(
%read2d = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%write2d = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
%both3d = OpTypeImage %void 3D 0 0 0 0 Unknown ReadWrite
%array1d = OpTypeImage %void 1D 0 1 0 0 Unknown ReadOnly
%array2d = OpTypeImage %void 2D 0 1 0 0 Unknown ReadOnly
%depth2d = OpTypeImage %void 2D 1 0 0 0 Unknown ReadOnly
%depth_out = OpTypeImage %void 2D 1 0 0 0 Unknown WriteOnly
%buffer = OpTypeImage %void Buffer 0 0 0 0 Unknown ReadOnly
%image = OpUndef %read2d
%output = OpUndef %write2d
%volume = OpUndef %both3d
%line = OpUndef %array1d
%layers = OpUndef %array2d
%depth = OpUndef %depth2d
%depth_output = OpUndef %depth_out
%texels = OpUndef %buffer
%sampler_type = OpTypeSampler
%sampler = OpConstantSampler %sampler_type ClampToEdge 1 Linear
%sampled2d = OpTypeSampledImage %read2d
%sampled_layers = OpTypeSampledImage %array2d
%sampled_depth = OpTypeSampledImage %depth2d
%zero = OpConstant %float 0
%one = OpConstant %float 1
)";

void expect_call(const std::string &body, const std::string &call) {
  ReadModule read(module_with(body, capabilities, declarations));
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.has(call)) << call << "\n" << read.ir();
}

void expect_error(const std::string &body, const std::string &sentence) {
  ReadModule read(module_with(body, capabilities, declarations));
  EXPECT_NE(read.error.find(sentence), std::string::npos) << read.error;
}

TEST(Images, Samples) {
  const std::string sampled = "%s = OpSampledImage %sampled2d %image %sampler\n";
  expect_call(sampled + "%x = OpImageSampleExplicitLod %float4 %s %u_float2 Lod %zero",
              "spir_func <4 x float> "
              "@_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f(target(\"spirv.Image\"");
  expect_call(sampled + "%x = OpImageSampleExplicitLod %int4 %s %u_int2 Lod %zero",
              "@_Z11read_imagei14ocl_image2d_ro11ocl_samplerDv2_i(");
  expect_call(sampled + "%x = OpImageSampleExplicitLod %int4 %s %u_int2 Lod|ZeroExtend %zero",
              "@_Z12read_imageui14ocl_image2d_ro11ocl_samplerDv2_i(");
  expect_call(sampled + "%x = OpImageSampleExplicitLod %float4 %s %u_float2 Lod %one",
              "@_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_ff(");
  expect_call(sampled + "%x = OpImageSampleExplicitLod %float4 %s %u_float2 Grad %u_float2 "
                        "%u_float2",
              "@_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_fS1_S1_(");
  expect_call("%s = OpSampledImage %sampled_layers %layers %sampler\n"
              "%x = OpImageSampleExplicitLod %float4 %s %u_float3 Lod %zero",
              "@_Z11read_imagef20ocl_image2d_array_ro11ocl_samplerDv4_f(");
}

TEST(Images, ConstantSamplers) {
  expect_call("%s = OpSampledImage %sampled2d %image %sampler\n"
              "%x = OpImageSampleExplicitLod %float4 %s %u_float2 Lod %zero",
              "@__translate_sampler_initializer(i32 35)"); // 1 << 1 | 1 | 2 << 4
}

TEST(Images, ConstantSamplersInVariables) {
  const std::string types = std::string(declarations) +
                            "%pointer = OpTypePointer UniformConstant %sampler_type\n"
                            "%p_sampler = OpTypePointer Function %sampler_type\n";
  const std::string load = "%loaded = OpLoad %sampler_type %variable\n"
                           "%s = OpSampledImage %sampled2d %image %loaded\n"
                           "%x = OpImageSampleExplicitLod %float4 %s %u_float2 Lod %zero";
  const std::string variable = "%variable = OpVariable %pointer UniformConstant ";
  ReadModule read(module_with(load, capabilities, types + variable + "%sampler"));
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.has("@__translate_sampler_initializer(i32 35)")) << read.ir();
  const auto fails = [&](const std::string &variables, const std::string &body,
                         const char *sentence) {
    const ReadModule wrong(module_with(body, capabilities, types + variables));
    EXPECT_NE(wrong.error.find(sentence), std::string::npos) << wrong.error;
  };
  fails(variable, load, "a variable of the type sampler needs an initial value");
  fails(variable + "%int_3", load, "operand 2 is not a constant sampler");
  for (const char *other :
       {"%other = OpUndef %pointer\n", "%other = OpConvertUToPtr %pointer %int_7\n",
        "%other = OpBitcast %pointer %u_c_int\n"})
    fails("", std::string(other) + "%loaded = OpLoad %sampler_type %other",
          "is not a variable of the module that is a constant sampler");
  ReadModule copy(module_with("%private = OpVariable %p_sampler Function\n"
                              "OpStore %private %sampler\n"
                              "%loaded = OpLoad %sampler_type %private",
                              capabilities, types));
  EXPECT_EQ(copy.error, "");
}

TEST(Images, Reads) {
  expect_call("%x = OpImageRead %float4 %image %u_int2", "@_Z11read_imagef14ocl_image2d_roDv2_i(");
  expect_call("%x = OpImageRead %half4 %volume %u_int3", "@_Z11read_imageh14ocl_image3d_rwDv4_i(");
  expect_call("%x = OpImageRead %int4 %line %u_int2",
              "@_Z11read_imagei20ocl_image1d_array_roDv2_i(");
  expect_call("%x = OpImageRead %int4 %texels %int_3 ZeroExtend",
              "@_Z12read_imageui21ocl_image1d_buffer_roi(");
}

TEST(Images, DepthImagesHaveOneComponent) {
  expect_call("%x = OpImageRead %float %depth %u_int2",
              "spir_func float @_Z11read_imagef20ocl_image2d_depth_roDv2_i(");
  expect_call("%s = OpSampledImage %sampled_depth %depth %sampler\n"
              "%x = OpImageSampleExplicitLod %float4 %s %u_float2 Lod %zero",
              "insertelement <4 x float> zeroinitializer, float");
  expect_call("OpImageWrite %depth_output %u_int2 %u_float4",
              "@_Z12write_imagef20ocl_image2d_depth_woDv2_if(");
}

TEST(Images, Writes) {
  expect_call("OpImageWrite %output %u_int2 %u_float4",
              "@_Z12write_imagef14ocl_image2d_woDv2_iDv4_f(");
  expect_call("OpImageWrite %output %u_int2 %u_half4",
              "@_Z12write_imageh14ocl_image2d_woDv2_iDv4_Dh(");
  expect_call("OpImageWrite %volume %u_int4 %u_float4",
              "@_Z12write_imagef14ocl_image3d_rwDv4_iDv4_f(");
}

// Writes saturate, so the sign of integers matters.
TEST(Images, WritesOfIntegersAskForTheFormat) {
  expect_call("OpImageWrite %output %u_int2 %u_int4",
              "@_Z19__spirv_write_image14ocl_image2d_woDv2_iDv4_i(");
  expect_call("OpImageWrite %output %u_int2 %u_int4 ZeroExtend",
              "@_Z13write_imageui14ocl_image2d_woDv2_iDv4_j(");
  expect_call("OpImageWrite %output %u_int2 %u_int4 SignExtend",
              "@_Z12write_imagei14ocl_image2d_woDv2_iDv4_i(");
  expect_call("OpImageWrite %output %u_int2 %u_int4 Lod %int_1",
              "@_Z19__spirv_write_image14ocl_image2d_woDv2_iiDv4_i(");
}

TEST(Images, Sizes) {
  ReadModule read = ReadModule(
      module_with("%x = OpImageQuerySizeLod %long3 %layers %int_0", capabilities, declarations));
  EXPECT_EQ(read.error, "");
  for (const char *name :
       {"_Z15get_image_width20ocl_image2d_array_ro", "_Z16get_image_height20ocl_image2d_array_ro",
        "_Z20get_image_array_size20ocl_image2d_array_ro"})
    EXPECT_TRUE(read.module.getFunction(name)) << name;
  expect_call("%x = OpImageQuerySize %int %texels", "@_Z15get_image_width21ocl_image1d_buffer_ro(");
  expect_call("%x = OpImageQuerySizeLod %int2 %image %int_2", "@llvm.umax.i32(");
}

TEST(Images, Formats) {
  expect_call("%x = OpImageQueryFormat %int %image",
              "@_Z27get_image_channel_data_type14ocl_image2d_ro(");
  expect_call("%x = OpImageQueryFormat %int %image", "sub i32 %1, 4304");
  expect_call("%x = OpImageQueryOrder %int %image", "sub i32 %1, 4272");
  expect_call("%x = OpImageQueryLevels %int %image",
              "@_Z24get_image_num_mip_levels14ocl_image2d_ro(");
}

TEST(Images, Errors) {
  expect_error("%x = OpImageRead %float4 %output %u_int2", "no function read_imagef");
  expect_error("%x = OpImageRead %float4 %layers %u_int2",
               "the image needs 3 coordinates of 32 bits");
  expect_error("%x = OpImageRead %short4 %image %u_int2", "texels cannot be vector of 4 int16");
  expect_error("%x = OpImageRead %float4 %image %u_int2 ConstOffset %int_0",
               "image operands that kernels do not have");
  expect_error("%x = OpImageRead %float4 %image %u_int2 Lod %int_1",
               "only reads through a sampler have a level");
  expect_error("%x = OpImageQuerySizeLod %int %image %int_0", "the image has 2 sizes");
}

} // namespace
} // namespace lockstep::compiler::spirv
