#include "tools/lockstep/kernel_run.h"

#include "front_ends/front_ends.h"
#include "support/environment.h"
#include "tools/lockstep/terminal.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::cli {
namespace {

Error wrong_request(std::string sentence) {
  return {ErrorKind::invalid_argument, std::move(sentence)};
}

std::string build_log(cl_program program, cl_device_id device) {
  size_t size = 0;
  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) !=
          CL_SUCCESS ||
      size == 0)
    return "";
  std::string log(size, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  return log.c_str();
}

std::vector<std::string> kernel_names(cl_program program) {
  size_t size = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &size) != CL_SUCCESS ||
      size <= 1)
    return {};
  std::string names(size, '\0');
  clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, names.data(), nullptr);
  return split(names.c_str(), ';');
}

} // namespace

Result<KernelRun> KernelRun::prepare(const RunRequest &request) {
  KernelRun run;
  run.request_ = &request;
  auto session = open_session(request.platform, request.device);
  if (!session)
    return session.take_error();
  run.session_ = std::move(*session);
  LOCKSTEP_TRY(run.build(request));
  LOCKSTEP_TRY(run.create_kernel(request));
  for (size_t i = 0; i < request.arguments.size(); ++i)
    LOCKSTEP_TRY(run.set_argument(i));
  return run;
}

// Names the file in messages: programs from source have no file name. With a debugger, the library
// finds the file by its content.
static std::string line_directive(const std::string &file) {
  if (environment("DEBUGGER") || file.find_first_of("\"\\\n") != file.npos)
    return "";
  return fmt::format("#line 1 \"{}\"\n", file);
}

Result<void> KernelRun::create_program(const RunRequest &request) {
  auto content = read_file(request.file);
  if (!content)
    return content.take_error();
  const char *text = reinterpret_cast<const char *>(content->data());
  const size_t size = content->size();
  if (size == 0)
    return wrong_request(fmt::format("{} is empty", request.file));
  cl_int code = CL_SUCCESS;
  is_spirv_ = compiler::is_spirv({text, size});
  if (is_spirv_) {
    program_.reset(clCreateProgramWithIL(session_.context.get(), text, size, &code));
    return expect(code, "clCreateProgramWithIL");
  }
  const std::string name = line_directive(request.file);
  const char *parts[] = {name.c_str(), text};
  const size_t sizes[] = {name.size(), size};
  program_.reset(clCreateProgramWithSource(session_.context.get(), 2, parts, sizes, &code));
  return expect(code, "clCreateProgramWithSource");
}

Result<void> KernelRun::build(const RunRequest &request) {
  LOCKSTEP_TRY(create_program(request));
  // Argument names improve the messages.
  std::string options = request.build_options + " -cl-kernel-arg-info";
  cl_int code =
      clBuildProgram(program_.get(), 1, &session_.device.device, options.c_str(), nullptr, nullptr);
  std::string log = build_log(program_.get(), session_.device.device);
  if (!log.empty())
    fmt::print(stderr, "{}{}", log, log.ends_with('\n') ? "" : "\n");
  return expect(code, fmt::format("building {}", request.file));
}

// Only programs from source have information on arguments (section 5.9.4).
std::string KernelRun::argument_info(cl_uint index, cl_kernel_arg_info name) const {
  size_t size = 0;
  if (is_spirv_ ||
      clGetKernelArgInfo(kernel_.get(), index, name, 0, nullptr, &size) != CL_SUCCESS || size == 0)
    return "";
  std::string text(size, '\0');
  clGetKernelArgInfo(kernel_.get(), index, name, size, text.data(), nullptr);
  return text.c_str();
}

Result<void> KernelRun::create_kernel(const RunRequest &request) {
  std::vector<std::string> names = kernel_names(program_.get());
  kernel_name_ = request.kernel;
  if (kernel_name_.empty() && names.size() == 1)
    kernel_name_ = names.front();
  if (std::find(names.begin(), names.end(), kernel_name_) == names.end())
    return wrong_request(kernel_name_.empty()
                             ? fmt::format("{} has {} kernels; choose one with -k: {}",
                                           request.file, names.size(), fmt::join(names, ", "))
                             : fmt::format("{} has no kernel '{}'; it has: {}", request.file,
                                           kernel_name_, fmt::join(names, ", ")));
  cl_int code = CL_SUCCESS;
  kernel_.reset(clCreateKernel(program_.get(), kernel_name_.c_str(), &code));
  LOCKSTEP_TRY(expect(code, fmt::format("clCreateKernel({})", kernel_name_)));
  cl_uint count = 0;
  LOCKSTEP_TRY(
      expect(clGetKernelInfo(kernel_.get(), CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr),
             "CL_KERNEL_NUM_ARGS"));
  std::vector<std::string> declared;
  for (cl_uint i = 0; i < count; ++i) {
    names_.push_back(argument_info(i, CL_KERNEL_ARG_NAME));
    declared.push_back(argument_info(i, CL_KERNEL_ARG_TYPE_NAME) + " " + names_.back());
  }
  if (count != request.arguments.size())
    return wrong_request(
        fmt::format("kernel {} has {} arguments{}, and {} are given with --arg", kernel_name_,
                    count, is_spirv_ ? "" : fmt::format(" ({})", fmt::join(declared, ", ")),
                    request.arguments.size()));
  return {};
}

Result<void> KernelRun::set_argument(size_t index) {
  const Argument &argument = request_->arguments[index];
  buffers_.emplace_back();
  cl_int code = CL_SUCCESS;
  size_t size = sizeof(cl_mem);
  const void *value = nullptr;
  cl_mem buffer = nullptr;
  switch (argument.kind) {
  case Argument::Kind::buffer:
    buffer = clCreateBuffer(session_.context.get(), CL_MEM_READ_WRITE, argument.bytes.size(),
                            nullptr, &code);
    buffers_.back().reset(buffer);
    LOCKSTEP_TRY(expect(code, fmt::format("{}, {}: a buffer of {}", argument_label(index),
                                          argument.text, bytes_text(argument.bytes.size()))));
    value = &buffer;
    break;
  case Argument::Kind::null_buffer:
    break;
  case Argument::Kind::value:
    size = argument.bytes.size();
    value = argument.bytes.data();
    break;
  case Argument::Kind::local:
    size = argument.local_size;
    break;
  }
  code = clSetKernelArg(kernel_.get(), static_cast<cl_uint>(index), size, value);
  if (code == CL_SUCCESS)
    return {};
  auto position = static_cast<cl_uint>(index);
  std::string type = argument_info(position, CL_KERNEL_ARG_TYPE_NAME);
  return wrong_request(
      fmt::format("{}{} cannot be '{}' ({} bytes): {}", argument_label(index),
                  type.empty() ? "" : fmt::format(" is declared as '{}' and", type), argument.text,
                  size, error_name(code)));
}

Result<void> KernelRun::fill_buffers() {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const std::vector<std::byte> &bytes = request_->arguments[i].bytes;
    if (buffers_[i] && request_->arguments[i].is_written)
      LOCKSTEP_TRY(expect(clEnqueueWriteBuffer(session_.queue.get(), buffers_[i].get(), CL_TRUE, 0,
                                               bytes.size(), bytes.data(), 0, nullptr, nullptr),
                          "clEnqueueWriteBuffer"));
  }
  return {};
}

Result<double> KernelRun::launch() {
  LOCKSTEP_TRY(fill_buffers());
  const RunRequest &request = *request_;
  auto values = [](const Sizes &sizes) { return sizes.dimensions ? sizes.values.data() : nullptr; };
  cl_event raw = nullptr;
  cl_int code = clEnqueueNDRangeKernel(
      session_.queue.get(), kernel_.get(), request.global.dimensions, values(request.offset),
      values(request.global), values(request.local), 0, nullptr, &raw);
  Event event(raw);
  LOCKSTEP_TRY(expect(code, fmt::format("launching {}", kernel_name_)));
  code = clWaitForEvents(1, &raw);
  cl_int status = CL_COMPLETE;
  clGetEventInfo(raw, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  LOCKSTEP_TRY(expect(status < 0 ? status : code, fmt::format("running {}", kernel_name_)));
  cl_ulong begin = 0, end = 0;
  LOCKSTEP_TRY(expect(
      clGetEventProfilingInfo(raw, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr),
      "CL_PROFILING_COMMAND_START"));
  LOCKSTEP_TRY(
      expect(clGetEventProfilingInfo(raw, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
             "CL_PROFILING_COMMAND_END"));
  return static_cast<double>(end - begin) * 1e-9;
}

Result<size_t> KernelRun::find_argument(std::string_view text) const {
  auto name = std::find(names_.begin(), names_.end(), text);
  size_t index = static_cast<size_t>(name - names_.begin());
  if (name == names_.end()) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size() || index >= names_.size())
      return wrong_request(
          fmt::format("'{}' is not an argument of kernel {}; there are 0 to {}: {}", text,
                      kernel_name_, names_.size() - 1, fmt::join(names_, ", ")));
  }
  if (!buffers_[index])
    return wrong_request(
        fmt::format("{} is not a buffer, so it has no content to look at", argument_label(index)));
  return index;
}

Result<std::vector<std::byte>> KernelRun::read(size_t argument) const {
  std::vector<std::byte> bytes(request_->arguments[argument].bytes.size());
  LOCKSTEP_TRY(expect(clEnqueueReadBuffer(session_.queue.get(), buffers_[argument].get(), CL_TRUE,
                                          0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
                      fmt::format("reading {}", argument_label(argument))));
  return bytes;
}

std::string KernelRun::argument_label(size_t argument) const {
  if (argument < names_.size() && !names_[argument].empty())
    return fmt::format("argument {} ('{}')", argument, names_[argument]);
  return fmt::format("argument {}", argument);
}

} // namespace lockstep::cli
