// Tests the answers of a device without OpenGL sharing (OpenCL 3.0 API appendix H). The error code
// says that the feature is missing, and the queries agree.
#include "error_fixture.h"

#include <CL/cl_gl.h>

using namespace lockstep::test;

namespace {

class AbsentFeatures : public ErrorTest {};

TEST_F(AbsentFeatures, OpenGL) {
  Memory buffer = make_buffer(64);
  expect_null(
      CL_INVALID_CONTEXT,
      [&](cl_int *status) { return clCreateFromGLBuffer(context_, CL_MEM_READ_WRITE, 1, status); },
      "OpenGL");
  expect_null(
      CL_INVALID_CONTEXT,
      [&](cl_int *status) {
        return clCreateFromGLTexture(context_, CL_MEM_READ_WRITE, 0, 0, 1, status);
      },
      "OpenGL");
  expect_null(
      CL_INVALID_CONTEXT,
      [&](cl_int *status) {
        return clCreateFromGLRenderbuffer(context_, CL_MEM_READ_WRITE, 1, status);
      },
      "OpenGL");
  expect(CL_INVALID_GL_OBJECT, clGetGLObjectInfo(buffer, nullptr, nullptr), "OpenGL");
  expect(CL_INVALID_GL_OBJECT, clGetGLTextureInfo(buffer, 0, 0, nullptr, nullptr), "OpenGL");
  expect(CL_INVALID_MEM_OBJECT, clGetGLObjectInfo(no_buffer(), nullptr, nullptr));
  cl_mem memory = buffer;
  expect(CL_INVALID_CONTEXT, clEnqueueAcquireGLObjects(queue_, 1, &memory, 0, nullptr, nullptr),
         "OpenGL");
  expect(CL_INVALID_CONTEXT, clEnqueueReleaseGLObjects(queue_, 1, &memory, 0, nullptr, nullptr),
         "OpenGL");
}

} // namespace
