#include "api/sycl/opencl_interop.h"

#include "api/opencl/context.h"
#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/event.h"
#include "api/opencl/image.h"
#include "api/opencl/image_formats.h"
#include "api/opencl/kernel.h"
#include "api/opencl/memory.h"
#include "api/opencl/platform.h"
#include "api/opencl/program.h"
#include "api/opencl/queue.h"
#include "api/sycl/buffer.h"
#include "api/sycl/context.h"
#include "api/sycl/device.h"
#include "api/sycl/error.h"
#include "api/sycl/event.h"
#include "api/sycl/image_object.h"
#include "api/sycl/kernel_bundle.h"
#include "api/sycl/native_object.h"
#include "api/sycl/of_process.h"
#include "api/sycl/platform.h"
#include "api/sycl/queue.h"
#include "platform/linux/leaked.h"

#include <fmt/format.h>

namespace lockstep::sycl_api {
namespace {

using sycl::detail::buffer_interface;
using sycl::detail::buffer_pointer;
using sycl::detail::context_pointer;
using sycl::detail::device_pointer;
using sycl::detail::event_pointer;
using sycl::detail::handler_of_errors;
using sycl::detail::image_pointer;
using sycl::detail::kernel_bundle_pointer;
using sycl::detail::kernel_pointer;
using sycl::detail::platform_pointer;
using sycl::detail::queue_pointer;

// Takes over a reference that the caller owns; it is released at the end.
template <class T> std::shared_ptr<void> adopted(T *object) {
  return {object, [](void *held) { (void)opencl::release(static_cast<T *>(held)); }};
}
template <class T> std::shared_ptr<void> retained(T *object) {
  opencl::retain(object);
  return adopted(object);
}

// `make` creates the object on first use.
template <class T, class Make> T *native_of(NativeObject &holder, const Make &make) {
  std::lock_guard lock(holder.mutex);
  if (!holder.object)
    holder.object = adopted<T>(make());
  return static_cast<T *>(holder.object.get());
}

template <class T> void check(T *handle, const char *function, const char *type) {
  if (!opencl::is_valid(handle))
    raise(sycl::errc::invalid,
          fmt::format("the argument of {} is not a {} of Lockstep (SYCL 2020 section 4.5.1)",
                      function, type));
}

Context &behind(const context_pointer &context) {
  return static_cast<Context &>(*context);
}

// ---- from SYCL to OpenCL

cl_device_id device_of(const Device &device) {
  if (!device.made_from()) {
    _cl_platform_id &platform = *opencl::the_platform();
    if (platform.first->device == device.shared_runtime())
      return platform.first;
    for (cl_device_id one : platform.devices())
      if (one->device == device.shared_runtime())
        return one;
  }
  return native_of<_cl_device_id>(device.native(), [&] {
    return opencl::create_object<_cl_device_id>(opencl::the_platform(), device.shared_runtime(),
                                                device_of(*device.made_from()));
  });
}

cl_context context_of(const Context &context) {
  return native_of<_cl_context>(context.native(), [&] {
    std::vector<opencl::Ref<_cl_device_id>> devices;
    for (const device_pointer &one : context.devices())
      devices.emplace_back(device_of(device_behind(one)));
    return opencl::create_object<_cl_context>(
        std::move(devices), std::vector<cl_context_properties>(), nullptr, nullptr);
  });
}

cl_command_queue queue_of(const Queue &queue) {
  return native_of<_cl_command_queue>(queue.native(), [&] {
    cl_command_queue_properties properties = 0;
    if (!queue.is_in_order())
      properties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    if (queue.commands()->records_times())
      properties |= CL_QUEUE_PROFILING_ENABLE;
    return opencl::create_object<_cl_command_queue>(
        context_of(queue.own_context()), device_of(queue.on()), properties, queue.commands());
  });
}

std::unique_ptr<const opencl::Image> image_of(const ShownImage &shown, std::byte *data) {
  const compiler::ImageDescriptor &of = shown.descriptor;
  const int dimensions = shown.dimensions;
  auto made = std::make_unique<opencl::Image>();
  made->format = {shown.channel_order, shown.channel_type};
  made->element_size = opencl::element_size(made->format);
  made->desc = {};
  made->desc.image_type = dimensions == 1   ? CL_MEM_OBJECT_IMAGE1D
                          : dimensions == 2 ? CL_MEM_OBJECT_IMAGE2D
                                            : CL_MEM_OBJECT_IMAGE3D;
  made->desc.image_width = of.width;
  made->desc.image_height = dimensions > 1 ? of.height : 0;
  made->desc.image_depth = dimensions > 2 ? of.depth : 0;
  made->desc.image_row_pitch = of.row_pitch;
  made->desc.image_slice_pitch = dimensions > 2 ? of.slice_pitch : 0;
  made->levels = {of};
  made->levels[0].data = data;
  return made;
}

cl_mem memory_of(Buffer &buffer, const Context &context) {
  return native_of<_cl_mem>(buffer.native(context), [&] {
    std::shared_ptr<runtime::Buffer> memory = buffer.state().memory();
    buffer.state().may_be_written_elsewhere();
    if (buffer.bytes() != memory->size())
      memory = value_or_raise(
          runtime::Buffer::sub_buffer(memory, buffer.offset_in_root(), buffer.bytes()));
    const ShownImage *shown = buffer.image();
    auto image = shown ? image_of(*shown, memory->data()) : nullptr;
    const cl_mem_flags flags = shown && shown->is_constant ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
    return opencl::create_object<_cl_mem>(context_of(context), nullptr, flags, nullptr,
                                          std::vector<cl_mem_properties>(), std::move(memory),
                                          std::move(image));
  });
}

// A built OpenCL program from what SYCL has compiled.
cl_program program_of(const Context &context, const SourceProgram &program) {
  std::vector<cl_device_id> devices;
  for (const device_pointer &one : context.devices())
    devices.push_back(device_of(device_behind(one)));
  cl_program made =
      opencl::create_object<_cl_program>(context_of(context), devices, _cl_program::Origin::linked);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    DeviceProgram &state = made->states[i];
    state.status = CL_BUILD_SUCCESS;
    state.kernels = program.module;
    for (const compiler::KernelInfo &info : program.module->kernels) {
      const runtime::Device *root = device_behind(context.devices()[i]).root().get();
      if (auto code = program.codes.find({info.name, root}); code != program.codes.end())
        state.codes.push_back(code->second);
    }
  }
  return made;
}

cl_program program_of(const Context &context, const std::shared_ptr<const SourceProgram> &program) {
  return native_of<_cl_program>(program->native, [&] { return program_of(context, *program); });
}

cl_kernel kernel_in(cl_program program, const std::string &name) {
  cl_int error = CL_SUCCESS;
  cl_kernel made = opencl::clCreateKernel(program, name.c_str(), &error);
  if (!made)
    raise(sycl::errc::runtime, fmt::format("the program of the kernel {} gives no kernel (OpenCL "
                                           "error {})",
                                           name, error));
  return made;
}

// ---- from OpenCL to SYCL

device_pointer device_from(cl_device_id device) {
  if (device->is_root() && first_device()->shared_runtime() == device->device)
    return first_device();
  if (device->is_root())
    for (const auto &one : root_devices())
      if (one->shared_runtime() == device->device)
        return one;
  auto parent = device->parent ? std::static_pointer_cast<Device>(device_from(device->parent.get()))
                               : nullptr;
  auto made = std::make_shared<Device>(device->device, parent);
  made->native().object = retained(device);
  return made;
}

// The build results of a program, for all its devices.
std::shared_ptr<SourceProgram> built_program(cl_program program) {
  auto made = make_of_process<SourceProgram>();
  made->native.object = retained(program);
  for (std::size_t i = 0; i < program->devices.size(); ++i) {
    const DeviceProgram state = program->state(i);
    if (!state.kernels)
      continue;
    made->module = state.kernels;
    for (std::size_t k = 0; k < state.codes.size(); ++k)
      made->codes[{state.kernels->kernels[k].name, program->devices[i]->device.get()}] =
          state.codes[k];
  }
  return made;
}

// Builds the program, or links it if it is only compiled.
std::shared_ptr<SourceProgram> executable_of(cl_program program) {
  if (program->any_executable())
    return built_program(program);
  const DeviceProgram state = program->state(0);
  if (state.object) {
    cl_int error = CL_SUCCESS;
    if (cl_program linked = opencl::clLinkProgram(program->context.get(), 0, nullptr, "", 1,
                                                  &program, nullptr, nullptr, &error)) {
      const std::shared_ptr<void> made = adopted(linked);
      if (error == CL_SUCCESS)
        return built_program(linked);
    }
  } else if (opencl::clBuildProgram(program, 0, nullptr, "", nullptr, nullptr) == CL_SUCCESS) {
    return built_program(program);
  }
  raise(sycl::errc::build,
        "the program of a kernel bundle cannot be built:\n" + program->state(0).log);
}

// A bundle cannot be in an earlier state than the program.
void check_state(const _cl_program &program, sycl::bundle_state wanted) {
  const bool is_executable = program.any_executable() != nullptr;
  if ((is_executable && wanted != sycl::bundle_state::executable) ||
      (program.state(0).object && wanted == sycl::bundle_state::input))
    raise(sycl::errc::invalid,
          fmt::format("a kernel bundle in state {} is made of a program that is already {} (SYCL "
                      "2020 appendix C.4)",
                      wanted == sycl::bundle_state::input ? "input" : "object",
                      is_executable ? "built" : "compiled"));
}

// -1: the handle has none of these types.
template <class... T> int64_t references_of(const void *handle) {
  int64_t count = -1;
  const auto look = [&](const auto *object) {
    if (opencl::is_valid(object))
      count = object->references.load(std::memory_order_relaxed);
  };
  (look(static_cast<const T *>(handle)), ...);
  return count;
}

void check_context(cl_context given, const Context &context, const char *function) {
  if (given != context_of(context))
    raise(sycl::errc::invalid,
          fmt::format("{} is given an object of another context than that of the SYCL object (SYCL "
                      "2020 section 4.5.1)",
                      function));
}

// SYCL has images of one to three dimensions, without array layers or mip levels.
void check_shape(const opencl::Image &image, int dimensions, const char *function) {
  const cl_mem_object_type type = image.desc.image_type;
  const bool fits = dimensions == 1
                        ? type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_BUFFER
                    : dimensions == 2 ? type == CL_MEM_OBJECT_IMAGE2D
                                      : type == CL_MEM_OBJECT_IMAGE3D;
  if (!fits || image.is_mipmapped())
    raise(
        sycl::errc::invalid,
        fmt::format("{} of {} dimensions is given an image that has other ones, layers or several "
                    "mip levels (SYCL 2020 section 4.5.1)",
                    function, dimensions));
}

class Interop final : public sycl::detail::opencl_interop {
public:
  _cl_platform_id *native(const platform_pointer &) const override {
    return opencl::the_platform();
  }
  _cl_device_id *native(const device_pointer &device) const override {
    return device_of(device_behind(device));
  }
  _cl_context *native(const context_pointer &context) const override {
    return context_of(behind(context));
  }
  _cl_command_queue *native(const queue_pointer &queue) const override {
    return queue_of(static_cast<Queue &>(*queue));
  }
  _cl_mem *native(buffer_interface &buffer, const context_pointer &context) const override {
    auto &own = static_cast<Buffer &>(buffer);
    const context_pointer in = context ? context : own.native_context();
    return memory_of(own, behind(in ? in : default_context()));
  }
  std::vector<_cl_event *> make_natives(const event_pointer &event) const override {
    auto &own = static_cast<Event &>(*event);
    if (!own.command())
      return {};
    if (!own.natives().empty()) {
      std::vector<_cl_event *> all;
      for (const std::shared_ptr<void> &one : own.natives()) {
        all.push_back(static_cast<_cl_event *>(one.get()));
        opencl::retain(all.back());
      }
      return all;
    }
    const context_pointer in = own.context() ? own.context() : default_context();
    return {opencl::create_object<_cl_event>(context_of(behind(in)), nullptr, CL_COMMAND_MARKER,
                                             own.command())};
  }
  std::vector<_cl_program *> natives(const kernel_bundle_pointer &bundle) const override {
    const auto &own = static_cast<KernelBundle &>(*bundle);
    std::vector<_cl_program *> all;
    for (const auto &program : own.programs())
      all.push_back(program_of(*own.own_context(), program));
    for (const auto &program : own.compiled_programs())
      all.push_back(program_of(*own.own_context(), program));
    return all;
  }
  _cl_kernel *native(const kernel_pointer &kernel) const override {
    auto &own = static_cast<KernelObject &>(*kernel);
    return native_of<_cl_kernel>(own.native(), [&] {
      return kernel_in(program_of(behind(own.context()), own.program()), own.any()->info().name);
    });
  }

  void retain(_cl_device_id *one) const override {
    if (!one->is_root())
      opencl::retain(one);
  }
  void retain(_cl_context *one) const override { opencl::retain(one); }
  void retain(_cl_command_queue *one) const override { opencl::retain(one); }
  void retain(_cl_mem *one) const override { opencl::retain(one); }
  void retain(_cl_program *one) const override { opencl::retain(one); }
  void retain(_cl_kernel *one) const override { opencl::retain(one); }

  platform_pointer make(_cl_platform_id *of) const override {
    if (of != opencl::the_platform())
      raise(sycl::errc::invalid,
            "make_platform is given a platform that is not Lockstep (SYCL 2020 "
            "section 4.5.1)");
    return the_platform();
  }
  device_pointer make(_cl_device_id *of) const override {
    check(of, "make_device", "cl_device_id");
    return device_from(of);
  }
  context_pointer make(_cl_context *of, handler_of_errors handler) const override {
    check(of, "make_context", "cl_context");
    std::vector<device_pointer> devices;
    for (const auto &one : of->devices)
      devices.push_back(device_from(one.get()));
    auto made = make_of_process<Context>(std::move(devices), std::move(handler));
    made->native().object = retained(of);
    return made;
  }
  queue_pointer make(_cl_command_queue *of, const context_pointer &context,
                     handler_of_errors handler) const override {
    check(of, "make_queue", "cl_command_queue");
    check_context(of->context.get(), behind(context), "make_queue");
    auto made = make_of_process<Queue>(
        std::static_pointer_cast<const Context>(context),
        std::static_pointer_cast<const Device>(device_from(of->device.get())), std::move(handler),
        of->shared_commands);
    made->native().object = retained(of);
    return made;
  }
  event_pointer make(const std::vector<_cl_event *> &of,
                     const context_pointer &context) const override {
    runtime::CommandRef all = runtime::Command::create_marker();
    std::vector<std::shared_ptr<void>> natives;
    for (_cl_event *one : of) {
      check(one, "make_event", "cl_event");
      check_context(one->context.get(), behind(context), "make_event");
      all->depend_on(*one->command);
      natives.push_back(retained(one));
    }
    all->bind(nullptr);
    all->start();
    auto made = make_of_process<Event>(std::move(all), std::vector<runtime::CommandRef>(), nullptr,
                                       false, context);
    made->set_natives(std::move(natives));
    return made;
  }
  buffer_pointer make(_cl_mem *of, const context_pointer &context,
                      const event_pointer &available) const override {
    check(of, "make_buffer", "cl_mem");
    check_context(of->context.get(), behind(context), "make_buffer");
    if (!of->is_buffer())
      raise(sycl::errc::invalid,
            std::string("make_buffer is given ") + of->what() + " (SYCL 2020 section 4.5.1)");
    return memory_from(of, context, available);
  }
  image_pointer make_image(_cl_mem *of, int dimensions, const sycl::image_sampler *sampler,
                           const context_pointer &context,
                           const event_pointer &available) const override {
    const char *function = sampler ? "make_sampled_image" : "make_unsampled_image";
    check(of, function, "cl_mem");
    check_context(of->context.get(), behind(context), function);
    if (!of->image)
      raise(sycl::errc::invalid,
            fmt::format("{} is given {} (SYCL 2020 section 4.5.1)", function, of->what()));
    check_shape(*of->image, dimensions, function);
    compiler::ImageDescriptor descriptor = of->image->levels[0];
    if (descriptor.slice_pitch == 0) // as SYCL images have it
      descriptor.slice_pitch = descriptor.row_pitch * descriptor.height;
    return make_image_on(memory_from(of, context, available), descriptor, sampler);
  }
  kernel_bundle_pointer make(_cl_program *of, const context_pointer &context,
                             sycl::bundle_state state) const override {
    check(of, "make_kernel_bundle", "cl_program");
    check_context(of->context.get(), behind(context), "make_kernel_bundle");
    check_state(*of, state);
    auto bundle = make_of_process<KernelBundle>(std::static_pointer_cast<const Context>(context),
                                                context_devices(context));
    bundle->add(state == sycl::bundle_state::executable ? executable_of(of) : unbuilt_program(of));
    return bundle;
  }
  kernel_pointer make(_cl_kernel *of, const context_pointer &context) const override {
    check(of, "make_kernel", "cl_kernel");
    check_context(of->program->context.get(), behind(context), "make_kernel");
    auto program = built_program(of->program.get());
    auto bundle = make_of_process<KernelBundle>(std::static_pointer_cast<const Context>(context),
                                                context_devices(context));
    bundle->add(program);
    auto made = make_of_process<KernelObject>(bundle, of->info.name, program);
    made->native().object = retained(of);
    return made;
  }

  std::uint32_t references(const void *handle) const override {
    const int64_t count = references_of<_cl_device_id, _cl_context, _cl_command_queue, _cl_mem,
                                        _cl_program, _cl_kernel, _cl_event>(handle);
    if (count < 0)
      raise(sycl::errc::invalid,
            "the argument of get_reference_count is not an object of Lockstep whose "
            "references are counted (SYCL 2020 appendix C.5)");
    return std::uint32_t(count);
  }

private:
  // The memory of the object. Commands use it after `available`.
  static buffer_pointer memory_from(_cl_mem *of, const context_pointer &context,
                                    const event_pointer &available) {
    buffer_pointer made = make_buffer_on(of->buffer, retained(of));
    auto &own = static_cast<Buffer &>(*made);
    own.native(behind(context)).object = retained(of);
    own.set_native_context(context);
    if (const runtime::CommandRef &command = static_cast<Event &>(*available).command()) {
      std::vector<runtime::CommandRef> before;
      std::lock_guard lock(own.state().history().mutex());
      own.state().history().add(0, own.bytes(), runtime::AccessMode::read_write, *command, before);
    }
    return made;
  }
  static std::vector<device_pointer> context_devices(const context_pointer &context) {
    return behind(context).devices();
  }
  // The program of a bundle that is not built yet.
  static std::shared_ptr<SourceProgram> unbuilt_program(_cl_program *of) {
    auto made = make_of_process<SourceProgram>();
    made->native.object = retained(of);
    made->build = [of, keep = made->native.object](const std::string &, std::string &) {
      return std::shared_ptr<const SourceProgram>(executable_of(of));
    };
    return made;
  }
};

} // namespace

const sycl::detail::opencl_interop &opencl_interop() {
  return leaked([] { return new Interop; });
}

} // namespace lockstep::sycl_api
