// Entry points of cl_khr_gl_sharing, an extension that Lockstep does not report. The loader calls
// these functions on any platform, so they must exist. Each call fails, because no context was made
// from an OpenGL context.
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/memory.h"

namespace lockstep::opencl {
namespace {

Failed refuse_object(const char *function, cl_context context, cl_int *errcode_ret) {
  EntryPoint api(function, errcode_ret);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT,
                    "context is not a valid context (cl_khr_gl_sharing, section 4.4)");
  api.report_to(context);
  return api.fail(CL_INVALID_CONTEXT,
                  "context was not made from an OpenGL context (cl_khr_gl_sharing, section 4.4)");
}

cl_int refuse_command(const char *function, cl_command_queue queue) {
  EntryPoint api(function);
  if (Check broken = check_queue(api, queue, "section 4.4"))
    return api.fail(broken);
  return api.fail(CL_INVALID_CONTEXT, "the context of command_queue was not made from an OpenGL "
                                      "context (cl_khr_gl_sharing, section 4.4)");
}

cl_int refuse_query(const char *function, cl_mem memobj) {
  EntryPoint api(function);
  if (!is_valid(memobj))
    return api.fail(CL_INVALID_MEM_OBJECT,
                    "memobj is not a valid memory object (cl_khr_gl_sharing, section 4.4)");
  api.report_to(memobj->context.get());
  return api.fail(CL_INVALID_GL_OBJECT,
                  "memobj was not made from an OpenGL object (cl_khr_gl_sharing, section 4.4)");
}

} // namespace

cl_mem clCreateFromGLBuffer(cl_context context, cl_mem_flags, cl_GLuint, cl_int *errcode_ret) {
  return refuse_object("clCreateFromGLBuffer", context, errcode_ret);
}

cl_mem clCreateFromGLTexture(cl_context context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint,
                             cl_int *errcode_ret) {
  return refuse_object("clCreateFromGLTexture", context, errcode_ret);
}

cl_mem clCreateFromGLTexture2D(cl_context context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint,
                               cl_int *errcode_ret) {
  return refuse_object("clCreateFromGLTexture2D", context, errcode_ret);
}

cl_mem clCreateFromGLTexture3D(cl_context context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint,
                               cl_int *errcode_ret) {
  return refuse_object("clCreateFromGLTexture3D", context, errcode_ret);
}

cl_mem clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags, cl_GLuint,
                                  cl_int *errcode_ret) {
  return refuse_object("clCreateFromGLRenderbuffer", context, errcode_ret);
}

cl_int clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *, cl_GLuint *) {
  return refuse_query("clGetGLObjectInfo", memobj);
}

cl_int clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info, size_t, void *, size_t *) {
  return refuse_query("clGetGLTextureInfo", memobj);
}

cl_int clEnqueueAcquireGLObjects(cl_command_queue queue, cl_uint, const cl_mem *, cl_uint,
                                 const cl_event *, cl_event *) {
  return refuse_command("clEnqueueAcquireGLObjects", queue);
}

cl_int clEnqueueReleaseGLObjects(cl_command_queue queue, cl_uint, const cl_mem *, cl_uint,
                                 const cl_event *, cl_event *) {
  return refuse_command("clEnqueueReleaseGLObjects", queue);
}

cl_int clGetGLContextInfoKHR(const cl_context_properties *, cl_gl_context_info, size_t, void *,
                             size_t *) {
  EntryPoint api("clGetGLContextInfoKHR");
  return api.fail(
      CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR,
      "no device shares objects with an OpenGL context (cl_khr_gl_sharing, section 4.4)");
}

} // namespace lockstep::opencl
