// Tests images of all types created from buffers (cl_ext_image_from_buffer), with the requirements
// that the queries return (cl_ext_image_requirements_info).
#include "extension_functions.h"
#include "image_fixture.h"

#include <bit>
#include <cstdint>
#include <numeric>
#include <string>

using namespace lockstep::test;

namespace {

struct Type {
  cl_mem_object_type type;
  size_t height, depth, layers; // 0 if images of the type have none
  const char *name, *place;     // place: coordinates in kernels, for the work-item (x, y, z)
  bool has_rows, has_slices;    // whether a pitch may be given

  size_t rows() const { return std::max(height, size_t{1}); }
  size_t slices() const { return std::max({depth, layers, size_t{1}}); }
};
constexpr Type types[] = {
    {CL_MEM_OBJECT_IMAGE1D, 0, 0, 0, "image1d_t", "x", false, false},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, 0, 0, 0, "image1d_buffer_t", "x", false, false},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, 0, 0, 5, "image1d_array_t", "(int2)(x,z)", true, true},
    {CL_MEM_OBJECT_IMAGE2D, 7, 0, 0, "image2d_t", "(int2)(x,y)", true, false},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, 7, 0, 5, "image2d_array_t", "(int4)(x,y,z,0)", true, true},
    {CL_MEM_OBJECT_IMAGE3D, 7, 5, 0, "image3d_t", "(int4)(x,y,z,0)", true, true}};
constexpr size_t width = 13;
constexpr cl_image_format numbers_of_one = {CL_R, CL_UNSIGNED_INT32};

class ImageFromBuffer : public ImageTest {
protected:
  static cl_image_desc desc_of_type(const Type &type) {
    return desc_of(type.type, width, type.height, type.depth, type.layers);
  }

  template <class T>
  T required(cl_uint name, const cl_image_format *format, const cl_image_desc *desc,
             cl_mem_flags flags = CL_MEM_READ_WRITE) {
    T value{};
    size_t size = 0;
    EXPECT_EQ(query_(context_, nullptr, flags, format, desc, name, sizeof value, &value, &size),
              CL_SUCCESS);
    EXPECT_EQ(size, sizeof value);
    return value;
  }

  clGetImageRequirementsInfoEXT_fn query_ =
      function<clGetImageRequirementsInfoEXT_fn>("clGetImageRequirementsInfoEXT");
};

// Kernels and transfers access exactly the elements of the buffer that the pitches select.
TEST_F(ImageFromBuffer, ShowsItsElements) {
  for (const Type &type : types)
    for (const bool padded : {false, true}) {
      const size_t row = padded && type.has_rows ? 4 * width + 12 : 4 * width;
      const size_t slice = row * (type.rows() + (padded && type.has_slices ? 2 : 0));
      cl_image_desc desc = desc_of_type(type);
      if (type.has_rows)
        desc.image_row_pitch = row;
      if (type.has_slices)
        desc.image_slice_pitch = slice;
      const size_t size = required<size_t>(CL_IMAGE_REQUIREMENTS_SIZE_EXT, &numbers_of_one, &desc);
      EXPECT_EQ(size, slice * type.slices()) << type.name;
      std::vector<uint32_t> numbers(size / 4 + 3);
      std::iota(numbers.begin(), numbers.end(), 1);
      Memory buffer = make_buffer(numbers.size() * 4);
      write(buffer, numbers);
      desc.mem_object = buffer;
      Memory image = make_image(numbers_of_one, desc);
      EXPECT_EQ(memory_info<size_t>(image, CL_MEM_SIZE), size);
      EXPECT_EQ(memory_info<cl_mem>(image, CL_MEM_ASSOCIATED_MEMOBJECT), buffer.get());

      const std::string options =
          "-cl-std=CL3.0 -DTYPE=" + std::string(type.name) + " -DAT=" + type.place;
      Program program =
          build("kernel void k(read_write TYPE image) {\n"
                "  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
                "  write_imageui(image, AT, read_imageui(image, AT) + 1000);\n"
                "}",
                options.c_str());
      run(make_kernel(program, "k"), {width, type.rows(), type.slices()}, image);
      const std::vector<uint32_t> got = read<uint32_t>(buffer, numbers.size());
      for (size_t i = 0; i < numbers.size(); ++i) {
        const size_t z = i / (slice / 4), y = i % (slice / 4) / (row / 4), x = i % (row / 4);
        const bool is_element = z < type.slices() && y < type.rows() && x < width;
        ASSERT_EQ(got[i], numbers[i] + (is_element ? 1000 : 0)) << type.name << " " << i;
      }

      // In transfers, the layer of a 1D array is the second coordinate.
      const bool is_line_array = type.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
      const size_t zero[3] = {}, all[3] = {width, is_line_array ? type.layers : type.rows(),
                                           is_line_array ? 1 : type.slices()};
      const uint32_t color[4] = {7};
      EXPECT_EQ(clEnqueueFillImage(queue_, image, color, zero, all, 0, nullptr, nullptr),
                CL_SUCCESS);
      EXPECT_EQ(read<uint32_t>(buffer, 1)[0], 7u);
      EXPECT_EQ(read<uint32_t>(buffer, numbers.size()).back(), numbers.back());
      buffer.reset();
      std::vector<uint32_t> content(all[0] * all[1] * all[2]);
      EXPECT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, zero, all, 0, 0, content.data(), 0,
                                   nullptr, nullptr),
                CL_SUCCESS);
      EXPECT_EQ(content, std::vector<uint32_t>(content.size(), 7)) << type.name;
    }
}

// Creating the image succeeds with exactly the required size and alignment.
TEST_F(ImageFromBuffer, IsMadeOfWhatIsRequired) {
  for (const Type &type : types)
    for (const cl_image_format &format : formats_of(type.type)) {
      cl_image_desc desc = desc_of_type(type);
      const auto pitch =
          required<size_t>(CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT, &format, &desc);
      EXPECT_TRUE(std::has_single_bit(pitch));
      EXPECT_LE(pitch,
                required<size_t>(CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT, nullptr, nullptr));
      EXPECT_TRUE(std::has_single_bit(
          required<size_t>(CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT, &format, nullptr)));
      EXPECT_TRUE(std::has_single_bit(
          required<size_t>(CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT, nullptr, &desc)));
      const auto size = required<size_t>(CL_IMAGE_REQUIREMENTS_SIZE_EXT, &format, &desc, 0);
      Memory buffer = make_buffer(size);
      desc.mem_object = buffer;
      Memory image = make_image(format, desc);
      EXPECT_EQ(memory_info<size_t>(image, CL_MEM_SIZE), size);
    }
}

TEST_F(ImageFromBuffer, MaximaAreThoseOfTheDevice) {
  const auto most_2d = cl_uint(device_info<size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH));
  const auto most_3d = cl_uint(device_info<size_t>(CL_DEVICE_IMAGE3D_MAX_WIDTH));
  const auto layers = cl_uint(device_info<size_t>(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE));
  for (const Type &type : types) {
    // The query ignores the dimension that it asks for, as well as zeros.
    cl_image_desc desc = desc_of(type.type, 0, 0, 0, 1 << 30);
    if (type.layers == 0)
      desc.image_array_size = 0;
    const cl_image_desc open = desc_of(type.type, 1 << 30, 3, 0, 0);
    const cl_uint most = type.depth ? most_3d : most_2d;
    EXPECT_EQ(required<cl_uint>(CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, &numbers_of_one, &open),
              type.type == CL_MEM_OBJECT_IMAGE1D_BUFFER
                  ? cl_uint(device_info<size_t>(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE))
                  : most)
        << type.name;
    const cl_image_desc narrow = desc_of(type.type, width);
    if (type.height)
      EXPECT_EQ(required<cl_uint>(CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, nullptr, &narrow), most);
    if (type.depth)
      EXPECT_EQ(required<cl_uint>(CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, nullptr, &narrow), most_3d);
    if (type.layers)
      EXPECT_EQ(required<cl_uint>(CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT, nullptr, &desc),
                layers);
  }
  const cl_image_desc any{};
  for (const cl_image_desc *desc : {static_cast<const cl_image_desc *>(nullptr), &any}) {
    EXPECT_EQ(required<cl_uint>(CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, nullptr, desc),
              std::min(most_2d, most_3d));
    EXPECT_EQ(required<cl_uint>(CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, nullptr, desc),
              std::min(most_2d, most_3d));
    EXPECT_EQ(required<cl_uint>(CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, nullptr, desc), most_3d);
    EXPECT_EQ(required<cl_uint>(CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT, nullptr, desc), layers);
  }
}

} // namespace
