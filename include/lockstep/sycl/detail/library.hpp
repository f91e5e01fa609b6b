// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The interface between the headers and the library. The headers hold shared pointers to these
// classes and contain little code. The implementation is in src/api/sycl/, inside liblockstep.so,
// so that programs compile little of it.
//
// A program links liblockstep_sycl.so, which loads liblockstep.so with dlopen when the first object
// is made. Linked directly, LLVM would be among the program's libraries
// (src/api/inspection/inspection.h states what that breaks). Headers and library must have the same
// interface version (image.hpp): each use of the library checks it, and images state theirs when
// they are registered.
#pragma once

#include "sycl/detail/image.hpp"
#include "sycl/detail/standard.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

struct _cl_platform_id;
struct _cl_device_id;
struct _cl_context;
struct _cl_command_queue;
struct _cl_event;
struct _cl_mem;
struct _cl_kernel;
struct _cl_program;

namespace sycl {

class exception_list;
enum class errc : unsigned int;
enum class aspect : int;
enum class backend : int;
enum class bundle_state : int { input, object, executable, ext_oneapi_source };
enum class image_format : int;
struct image_sampler;

namespace info {
enum class device_type : int;
enum class event_command_status : int;
enum class partition_property : int;
enum class partition_affinity_domain : int;
} // namespace info

namespace usm {
enum class alloc : int;
}

namespace detail {

class platform_interface;
class device_interface;
class context_interface;
class queue_interface;
class event_interface;
class buffer_interface;
class image_interface;
struct stream_log;
class command_group_interface;
class kernel_id_interface;
class kernel_interface;
class kernel_bundle_interface;
class node_interface; // graph_library.hpp, as all below
class graph_interface;
class executable_graph_interface;
class dynamic_group_interface;
class dynamic_parameter_interface;
class graph_functions;

using platform_pointer = std::shared_ptr<platform_interface>;
using device_pointer = std::shared_ptr<device_interface>;
using context_pointer = std::shared_ptr<context_interface>;
using queue_pointer = std::shared_ptr<queue_interface>;
using event_pointer = std::shared_ptr<event_interface>;
using buffer_pointer = std::shared_ptr<buffer_interface>;
using image_pointer = std::shared_ptr<image_interface>;
using kernel_id_pointer = std::shared_ptr<kernel_id_interface>;
using kernel_pointer = std::shared_ptr<kernel_interface>;
using kernel_bundle_pointer = std::shared_ptr<kernel_bundle_interface>;
using node_pointer = std::shared_ptr<node_interface>;
using graph_pointer = std::shared_ptr<graph_interface>;
using executable_graph_pointer = std::shared_ptr<executable_graph_interface>;
using dynamic_group_pointer = std::shared_ptr<dynamic_group_interface>;
using dynamic_parameter_pointer = std::shared_ptr<dynamic_parameter_interface>;

// Writes the result of query `number` of an object (info.hpp) to an object of its return type.
class answers_queries {
public:
  virtual ~answers_queries() = default;
  virtual void get_info(int number, void *to) const = 0;
};

class platform_interface : public answers_queries {
public:
  // Loads no drivers of cards for types other than `gpu`, `all` and `automatic`.
  virtual std::vector<device_pointer> devices(info::device_type type) const = 0;
};

class device_interface : public answers_queries {
public:
  virtual platform_pointer platform() const = 0;
  virtual device_pointer parent() const = 0; // null: a root device
  virtual bool has(aspect what) const = 0;
  virtual int score_as_default() const = 0; // of default_selector_v
  virtual std::vector<device_pointer> partition(const std::vector<std::size_t> &counts) const = 0;
  virtual std::vector<device_pointer> partition_equally(std::size_t units) const = 0;
  virtual std::vector<device_pointer> partition(info::partition_affinity_domain by) const = 0;
};

using handler_of_errors = std::function<void(exception_list)>;

class context_interface : public answers_queries {
public:
  virtual std::vector<device_pointer> devices() const = 0;
};

// ---- memory

// How a command accesses bytes of a buffer. `overwrite` discards the previous contents.
enum class access_kind : int { read, write, read_write, overwrite };

struct buffer_origin {
  std::size_t bytes = 0;
  void *host = nullptr;        // memory of the program, or null
  bool is_constant = false;    // `host` is read-only
  bool must_use_host = false;  // property use_host_ptr
  std::shared_ptr<void> keep;  // keeps the memory alive
  std::mutex *guard = nullptr; // property use_mutex
  bool may_be_left = false;    // may be detached from `host` (memory_properties.hpp)
  context_pointer bound;       // property context_bound
};

// A box of elements in a buffer, or in memory of the program.
struct memory_box {
  buffer_interface *buffer = nullptr; // null: memory of the program
  void *data = nullptr;               // the element at index 0
  std::size_t element = 0;            // bytes
  std::size_t memory[3] = {1, 1, 1};  // elements; the last dimension is contiguous
  std::size_t offset[3] = {0, 0, 0};
  std::size_t range[3] = {1, 1, 1};
};

class host_access_interface { // holds the memory for the host while it lives
public:
  virtual ~host_access_interface() = default;
  // Converts an address in the memory that commands use to the address that the host uses.
  virtual void *as_host_sees(void *memory) = 0;
};

class buffer_interface {
public:
  virtual ~buffer_interface() = default;
  // Returns a handle to the same buffer without ownership, for accessors. Only the pointer in
  // sycl::buffer owns the buffer: when it is released, the buffer waits for commands and writes
  // back. So the accessor of a host task must never be the last owner.
  virtual buffer_pointer view() = 0;
  virtual void *data() = 0;
  virtual std::size_t bytes() const = 0;
  // Sets a function to call when the last owning handle is released, after the commands that use
  // the buffer have ended.
  virtual void set_final_data(std::function<void(const void *)> target) = 0;
  virtual void set_write_back(bool on) = 0;
  virtual buffer_pointer sub_buffer(std::size_t offset, std::size_t bytes) = 0;
  virtual std::size_t offset_in_root() const = 0;
  // Waits until the host may access these bytes.
  virtual std::shared_ptr<host_access_interface> host_access(access_kind kind, std::size_t offset,
                                                             std::size_t bytes) = 0;
};

// ---- images

struct image_origin {
  int dimensions = 1;
  std::size_t range[3] = {1, 1, 1}; // width, height, depth
  std::size_t pitch[2] = {0, 0};    // pitches in bytes of rows and slices; 0: contiguous
  image_format format{};
  const image_sampler *sampler = nullptr; // null: an unsampled image
  buffer_origin memory;                   // its size is derived
};

// An image, in the form in which an accessor passes it to a kernel.
struct [[clang::annotate("lockstep.accessor.image")]] image_words {
  std::uint64_t descriptor = 0; // an address: sizes, pitches, data
  std::uint64_t kind = 0;       // format and sampler; constant within the code of a launch
  friend bool operator==(const image_words &a, const image_words &b) {
    return a.descriptor == b.descriptor && a.kind == b.kind;
  }
};

enum class texel_type : int { floating, signed_integer, unsigned_integer };

class image_interface {
public:
  virtual ~image_interface() = default;
  virtual const buffer_pointer &memory() const = 0; // owns it, as sycl::buffer does
  // For accessors: the memory, without ownership, and the words that describe the image.
  virtual buffer_pointer view() = 0;
  virtual image_words words() = 0;
  virtual std::size_t range(int dimension) const = 0; // width, height, depth
  virtual std::size_t pitch(int dimension) const = 0;
};

// Image access on the host.
class image_functions {
public:
  // A texel is four floats or four 32-bit integers, depending on its type.
  virtual void read(const image_words &image, texel_type type, int dimensions, const int (&at)[3],
                    void *texel) const = 0;
  virtual void sample(const image_words &image, texel_type type, int dimensions,
                      const float (&at)[3], void *texel) const = 0;
  virtual void write(const image_words &image, texel_type type, int dimensions, const int (&at)[3],
                     const void *texel) const = 0;

protected:
  ~image_functions() = default;
};

// ---- kernels as objects

// Offset and size, in the function object that calls a kernel function, of the argument for one
// parameter.
struct parameter_place {
  std::size_t offset, bytes; // 0 bytes: the type is empty
};

class kernel_id_interface { // one for each kernel of the program
public:
  virtual ~kernel_id_interface() = default;
  virtual const char *name() const = 0;
  // For a kernel that is a function with parameters: makes launches with set_arg possible. Every
  // call passes the same parameters.
  virtual void set_parameters(const std::vector<parameter_place> &places) = 0;
};

class kernel_interface : public answers_queries {
public:
  using answers_queries::get_info;
  virtual void get_info(int number, const device_pointer &on, void *to) const = 0;
  virtual context_pointer context() const = 0;
  virtual kernel_bundle_pointer bundle() const = 0;
};

class kernel_bundle_interface {
public:
  virtual ~kernel_bundle_interface() = default;
  virtual context_pointer context() const = 0;
  virtual std::vector<device_pointer> devices() const = 0;
  virtual std::vector<kernel_id_pointer> kernel_ids() const = 0;
  // `on` null: on any of the bundle's devices.
  virtual bool has(const kernel_id_pointer &kernel, const device_pointer &on) const = 0;
  // `self` is the pointer to the bundle, which the kernel retains. Throws if the bundle has no such
  // kernel.
  virtual kernel_pointer kernel_of(const kernel_bundle_pointer &self,
                                   const kernel_id_pointer &kernel) const = 0;
  // Kernels from OpenCL C sources, by function name.
  virtual bool has_source_kernels() const = 0;
  virtual bool has_source_kernel(const std::string &name) const = 0;
  virtual kernel_pointer source_kernel(const kernel_bundle_pointer &self,
                                       const std::string &name) const = 0;
  // Specialization constants, by the mangled names of their variables. An empty name means any
  // constant.
  virtual bool uses_constant(const std::string &name) const = 0;
  virtual void set_constant(const std::string &name, const void *value, std::size_t bytes) = 0;
  virtual bool get_constant(const std::string &name, void *to, std::size_t bytes) const = 0;
};

// ---- commands

struct launch_shape { // in SYCL's order: the last dimension is contiguous
  int dimensions = 1;
  std::size_t global[3] = {1, 1, 1};
  std::size_t local[3] = {0, 0, 0}; // all 0: the library chooses
  std::size_t offset[3] = {0, 0, 0};
};

// How the range of a kernel with reductions is divided; groups 0: by the processors of the host.
struct reduction_groups {
  std::size_t groups = 0, items = 64; // items of a group: at most
};

// Records the contents of a command group function; handler forwards to it.
class command_group_interface {
public:
  virtual ~command_group_interface() = default;
  virtual void depends_on(const event_pointer &event) = 0;
  virtual void require(const buffer_pointer &buffer, access_kind kind, std::size_t offset,
                       std::size_t bytes) = 0;
  virtual void require(const image_pointer &image, access_kind kind) = 0;
  // Returns the log of a sycl::stream, which is printed when the command has ended.
  virtual stream_log *stream_memory(std::size_t total, std::size_t of_item) = 0;
  // Returns the marker to store in the function object for local memory of the work-groups. The
  // launch finds the marker there. `words` is the number of words after the pointer that hold the
  // size.
  virtual void *local_memory(std::size_t bytes, std::size_t alignment, std::size_t words) = 0;
  virtual void launch(const kernel_reference &kernel, const void *function, std::size_t bytes,
                      const launch_shape &shape) = 0;
  // Launches a kernel object with the arguments from set_arg.
  virtual void launch(const kernel_pointer &kernel, const launch_shape &shape) = 0;
  // `object` is the argument of a C++ kernel function: for example an accessor instead of the
  // address of its memory.
  virtual void set_argument(int index, const void *value, std::size_t bytes, const void *object,
                            std::size_t object_bytes) = 0;
  // Sets an argument for an image or sampler parameter.
  virtual void set_image_argument(int index, const image_words &image, int dimensions,
                                  const void *object, std::size_t object_bytes) = 0;
  virtual void set_local_argument(int index, std::size_t bytes, const void *object,
                                  std::size_t object_bytes) = 0;
  virtual void use_bundle(const kernel_bundle_pointer &bundle) = 0;
  virtual void set_constant(const std::string &name, const void *value, std::size_t bytes) = 0;
  virtual bool get_constant(const std::string &name, void *to, std::size_t bytes) const = 0;
  virtual void host_task(std::function<void()> task) = 0;
  virtual std::vector<const buffer_interface *> required() const = 0;
  virtual void keep(std::shared_ptr<const void> memory) = 0; // until the command ends
  // Arguments may hold addresses of its memory.
  virtual void keep_memory(const buffer_pointer &buffer) = 0;
  // Memory for kernels on the device of the queue, until the command ends. The host cannot access
  // it if the device has memory of its own. Contents are undefined or 0.
  virtual void *launch_memory(std::size_t bytes, std::size_t alignment, bool is_zeroed) = 0;
  virtual reduction_groups groups_for_reductions() const = 0;
  virtual void copy(void *to, const void *from, std::size_t bytes) = 0;
  virtual void fill(void *to, const void *pattern, std::size_t pattern_bytes,
                    std::size_t count) = 0;
  virtual void copy(const memory_box &to, const memory_box &from) = 0;
  virtual void fill(const memory_box &to, const void *pattern) = 0;
  virtual void hint(const void *memory, std::size_t bytes) = 0; // prefetch, mem_advise
  virtual void update_host(const memory_box &from) = 0;         // the constructor's memory
  virtual void barrier() = 0;
  virtual void replay(const executable_graph_pointer &graph) = 0;
  // The parameter can later update this argument.
  virtual void register_parameter(const dynamic_parameter_pointer &parameter, int index) = 0;
};

class queue_interface : public answers_queries {
public:
  virtual device_pointer device() const = 0;
  virtual context_pointer context() const = 0;
  virtual bool is_in_order() const = 0;
  virtual bool is_empty() = 0; // all submitted commands have ended
  virtual std::unique_ptr<command_group_interface> begin_group() = 0;
  virtual event_pointer submit(std::unique_ptr<command_group_interface> group) = 0;
  virtual void wait() = 0;
  virtual void throw_asynchronous() = 0;
};

class event_interface : public answers_queries {
public:
  virtual const void *identity() const = 0; // equal for all events of one command
  virtual void wait() = 0;
  virtual void throw_asynchronous() = 0;
  virtual std::vector<event_pointer> wait_list() = 0;
  virtual std::uint64_t profiling_time(int number) = 0;
};

struct queue_options {
  bool in_order = false, profiling = false;
};

// Access to the OpenCL objects below the SYCL objects. A handle from `native` is valid while the
// SYCL object lives, unless the caller retains it. The caller owns the handles from `make_natives`.
class opencl_interop {
public:
  virtual _cl_platform_id *native(const platform_pointer &of) const = 0;
  virtual _cl_device_id *native(const device_pointer &of) const = 0;
  virtual _cl_context *native(const context_pointer &of) const = 0;
  virtual _cl_command_queue *native(const queue_pointer &of) const = 0;
  // `in` null: the context that the buffer was made or used with, otherwise the default context.
  // The memory of an image is an OpenCL image.
  virtual _cl_mem *native(buffer_interface &of, const context_pointer &in) const = 0;
  virtual _cl_kernel *native(const kernel_pointer &of) const = 0;
  virtual std::vector<_cl_program *> natives(const kernel_bundle_pointer &of) const = 0;
  virtual std::vector<_cl_event *> make_natives(const event_pointer &of) const = 0;

  virtual void retain(_cl_device_id *one) const = 0;
  virtual void retain(_cl_context *one) const = 0;
  virtual void retain(_cl_command_queue *one) const = 0;
  virtual void retain(_cl_mem *one) const = 0;
  virtual void retain(_cl_program *one) const = 0;
  virtual void retain(_cl_kernel *one) const = 0;

  virtual platform_pointer make(_cl_platform_id *of) const = 0;
  virtual device_pointer make(_cl_device_id *of) const = 0;
  virtual context_pointer make(_cl_context *of, handler_of_errors handler) const = 0;
  virtual queue_pointer make(_cl_command_queue *of, const context_pointer &in,
                             handler_of_errors handler) const = 0;
  virtual event_pointer make(const std::vector<_cl_event *> &of,
                             const context_pointer &in) const = 0;
  virtual buffer_pointer make(_cl_mem *of, const context_pointer &in,
                              const event_pointer &available) const = 0;
  // `sampler` null: an unsampled image.
  virtual image_pointer make_image(_cl_mem *of, int dimensions, const image_sampler *sampler,
                                   const context_pointer &in,
                                   const event_pointer &available) const = 0;
  virtual kernel_bundle_pointer make(_cl_program *of, const context_pointer &in,
                                     bundle_state state) const = 0;
  virtual kernel_pointer make(_cl_kernel *of, const context_pointer &in) const = 0;

  virtual std::uint32_t references(const void *handle) const = 0; // except cl_platform_id

protected:
  ~opencl_interop() = default;
};

class library {
public:
  virtual const std::error_category &error_category() const = 0;
  [[noreturn]] virtual void raise(errc code, const std::string &what) const = 0;
  virtual std::vector<platform_pointer> platforms() const = 0;
  virtual context_pointer make_context(const std::vector<device_pointer> &devices,
                                       handler_of_errors handler) const = 0;
  virtual device_pointer default_device() const = 0;
  virtual context_pointer default_context(const platform_pointer &platform) const = 0;
  virtual queue_pointer make_queue(const context_pointer &context, const device_pointer &device,
                                   handler_of_errors handler,
                                   const queue_options &options) const = 0;
  virtual event_pointer make_event() const = 0; // already complete
  virtual buffer_pointer make_buffer(const buffer_origin &origin) const = 0;
  virtual image_pointer make_image(const image_origin &origin) const = 0;
  virtual const image_functions &images() const = 0;

  // Returns null if memory is exhausted or `device` (null for host allocations) does not support
  // the allocation.
  virtual void *allocate(std::size_t bytes, std::size_t alignment, const context_pointer &context,
                         const device_pointer &device, usm::alloc kind) const = 0;
  virtual void free(void *memory, const context_pointer &context) const = 0;
  virtual usm::alloc kind_of(const void *memory, const context_pointer &context) const = 0;
  virtual device_pointer device_of(const void *memory, const context_pointer &context) const = 0;

  virtual kernel_id_pointer find_kernel(const kernel_reference &reference) const = 0; // or throws
  virtual std::vector<kernel_id_pointer> all_kernels() const = 0;
  virtual bool is_compatible(const kernel_id_pointer &kernel, const device_pointer &on) const = 0;
  // Throws if the list is empty or a device is not in the context.
  virtual void check_devices(const context_pointer &context,
                             const std::vector<device_pointer> &devices) const = 0;
  // `compile_now`: reports compile errors of kernels here instead of at the first launch.
  virtual kernel_bundle_pointer make_bundle(const context_pointer &context,
                                            const std::vector<device_pointer> &devices,
                                            const std::vector<kernel_id_pointer> &kernels,
                                            bool compile_now) const = 0;
  virtual kernel_bundle_pointer derive_bundle(const std::vector<kernel_bundle_pointer> &from,
                                              const std::vector<device_pointer> &devices,
                                              bool has_devices, bool compile_now) const = 0;
  // `source` is OpenCL C, or a SPIR-V module.
  virtual kernel_bundle_pointer bundle_of_source(const context_pointer &context,
                                                 const std::string &source,
                                                 bool is_spirv) const = 0;
  // `options` are those of clBuildProgram. `log` receives the compiler's output if it is not null.
  virtual kernel_bundle_pointer build_source(const kernel_bundle_pointer &from,
                                             const std::vector<device_pointer> &devices,
                                             const std::string &options,
                                             std::string *log) const = 0;

  virtual const opencl_interop &opencl() const = 0;
  virtual const graph_functions &graphs() const = 0;

  virtual void add_image(const image *added) const = 0;
  virtual void remove_image(const image *removed) const = 0;

protected:
  ~library() = default;
};

// Called if the host calls a function that only kernels may call.
[[noreturn]] void not_in_a_kernel();

} // namespace detail
} // namespace sycl

// Throws sycl::exception if the library cannot be loaded, or if part of the program was compiled
// for another interface version.
__attribute__((visibility("default"))) const sycl::detail::library &
lockstep_sycl_library_of(unsigned border);
// Inlined into each source: a copy that the linker chose could have the interface version of
// another source.
[[gnu::always_inline]] inline const sycl::detail::library &lockstep_sycl_library() {
  return lockstep_sycl_library_of(LOCKSTEP_SYCL_BORDER);
}
// Called by the code that lockstep++ adds to object files.
extern "C" __attribute__((visibility("default"))) void
lockstep_sycl_add_image(const sycl::detail::image *image);
extern "C" __attribute__((visibility("default"))) void
lockstep_sycl_remove_image(const sycl::detail::image *image);
