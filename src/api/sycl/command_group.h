// A command group: records the calls of a command group function and makes an operation of them.
#pragma once

#include "runtime/device/kernel.h"
#include "runtime/graph/command.h"
#include "runtime/graph/operation.h"
#include "runtime/memory/access.h"

#include "sycl/detail/graph_library.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::sycl_api {

class Buffer;
class Device;
class ExecutableGraph;
class GraphNode;
struct ImageKernel;
class KernelBundle;
class Queue;
class StreamLog;

// An accessor: a range of bytes of a buffer, by offset in the root buffer.
struct Requirement {
  std::shared_ptr<Buffer> buffer;
  runtime::AccessMode mode;
  std::size_t begin, end;
};

runtime::Accesses accesses_of(const std::vector<Requirement> &requirements);

// Everything that a launch is prepared from, so that its shape and arguments can be changed.
struct RecordedLaunch {
  std::shared_ptr<const Device> device;
  runtime::Kernel *kernel = nullptr;
  std::shared_ptr<runtime::Kernel> keep; // null: the program's device image keeps the kernel alive
  sycl::detail::launch_shape shape;
  std::vector<std::byte> block;
  std::vector<uint64_t> local_sizes;
  std::vector<compiler::LocalArgument> local_arguments;
  std::vector<uint32_t> images{}; // as LaunchArguments::images
  // Parameters of a free-function kernel whose arguments were set; else null.
  const std::vector<sycl::detail::parameter_place> *parameters = nullptr;
  const ImageKernel *in_image = nullptr;           // null: a kernel of another language
  std::vector<std::shared_ptr<Buffer>> memories{}; // arguments may hold addresses of these
  struct ImagePlace {
    uint32_t offset; // in the block: the address of the descriptor
    std::shared_ptr<Buffer> memory;
  };
  std::vector<ImagePlace> image_places{};

  std::unique_ptr<runtime::Operation> make(const std::vector<Requirement> &requirements) const;
};

class CommandGroup final : public sycl::detail::command_group_interface {
public:
  explicit CommandGroup(Queue &queue, bool is_recorded = false)
      : queue_(queue), is_recorded_(is_recorded) {}

  // ---- for graphs (command_graph.h)
  using NodeType = sycl::ext::oneapi::experimental::node_type;
  struct Parameter {
    sycl::detail::dynamic_parameter_pointer parameter;
    int index;
  };
  NodeType type() const { return type_; }
  bool is_barrier() const { return type_ == NodeType::ext_oneapi_barrier; }
  // nodes that it depends on
  const std::vector<std::shared_ptr<GraphNode>> &nodes() const { return nodes_; }
  const std::shared_ptr<ExecutableGraph> &graph() const { return graph_; } // graph that it replays
  std::optional<RecordedLaunch> take_launch() { return std::move(launch_); }
  const std::vector<Parameter> &parameters() const { return parameters_; }
  bool is_of(const Queue &queue) const { return &queue_ == &queue; }
  Queue &queue() const { return queue_; }

  const std::vector<runtime::CommandRef> &dependencies() const { return dependencies_; }
  const std::vector<Requirement> &requirements() const { return requirements_; }
  const std::vector<std::shared_ptr<const void>> &kept() const { return kept_; }
  // Streams to print after the command.
  const std::vector<std::shared_ptr<const StreamLog>> &streams() const { return streams_; }
  bool has_host_task() const { return bool(host_task_); }
  std::function<void()> take_host_task();
  // Null: the function requested no command.
  std::unique_ptr<runtime::Operation> make_operation();

  void depends_on(const sycl::detail::event_pointer &event) override;
  void require(const sycl::detail::buffer_pointer &buffer, sycl::detail::access_kind kind,
               std::size_t offset, std::size_t bytes) override;
  void require(const sycl::detail::image_pointer &image, sycl::detail::access_kind kind) override;
  sycl::detail::stream_log *stream_memory(std::size_t total, std::size_t of_item) override;
  void *local_memory(std::size_t bytes, std::size_t alignment, std::size_t words) override;
  void launch(const sycl::detail::kernel_reference &kernel, const void *function, std::size_t bytes,
              const sycl::detail::launch_shape &shape) override;
  void launch(const sycl::detail::kernel_pointer &kernel,
              const sycl::detail::launch_shape &shape) override;
  void set_argument(int index, const void *value, std::size_t bytes, const void *object,
                    std::size_t object_bytes) override;
  void set_image_argument(int index, const sycl::detail::image_words &image, int dimensions,
                          const void *object, std::size_t object_bytes) override;
  void set_local_argument(int index, std::size_t bytes, const void *object,
                          std::size_t object_bytes) override;
  void use_bundle(const sycl::detail::kernel_bundle_pointer &bundle) override;
  void set_constant(const std::string &name, const void *value, std::size_t bytes) override;
  bool get_constant(const std::string &name, void *to, std::size_t bytes) const override;
  void host_task(std::function<void()> task) override;
  std::vector<const sycl::detail::buffer_interface *> required() const override;
  void keep(std::shared_ptr<const void> memory) override;
  void keep_memory(const sycl::detail::buffer_pointer &buffer) override;
  void *launch_memory(std::size_t bytes, std::size_t alignment, bool is_zeroed) override;
  sycl::detail::reduction_groups groups_for_reductions() const override;
  void copy(void *to, const void *from, std::size_t bytes) override;
  void fill(void *to, const void *pattern, std::size_t pattern_bytes, std::size_t count) override;
  void copy(const sycl::detail::memory_box &to, const sycl::detail::memory_box &from) override;
  void fill(const sycl::detail::memory_box &to, const void *pattern) override;
  void hint(const void *memory, std::size_t bytes) override;
  void barrier() override;
  void update_host(const sycl::detail::memory_box &from) override;
  void replay(const sycl::detail::executable_graph_pointer &graph) override;
  void register_parameter(const sycl::detail::dynamic_parameter_pointer &parameter,
                          int index) override {
    parameters_.push_back({parameter, index});
  }

private:
  void set(NodeType type, std::unique_ptr<runtime::Operation> operation);
  runtime::Accesses accesses() const;
  void check_alone() const;
  void check_accessors(const ImageKernel &kernel, std::span<const std::byte> function) const;
  static void check_local_arguments(const RecordedLaunch &launched);
  void find_local_arguments(const ImageKernel &kernel, RecordedLaunch &launched) const;
  std::shared_ptr<runtime::Kernel> kernel_for(ImageKernel &kernel) const;
  std::vector<std::byte> block_of_function(const std::vector<sycl::detail::parameter_place> &places,
                                           const compiler::KernelInfo &info) const;
  void launch(const ImageKernel &kernel, RecordedLaunch launched);
  void launch(RecordedLaunch launched);

  Queue &queue_;
  const bool is_recorded_;
  NodeType type_ = NodeType::empty;
  std::vector<std::shared_ptr<GraphNode>> nodes_;
  std::shared_ptr<ExecutableGraph> graph_;
  std::optional<RecordedLaunch> launch_;
  std::vector<Parameter> parameters_;
  std::vector<runtime::CommandRef> dependencies_;
  std::vector<Requirement> requirements_;
  struct LocalMemory {
    uint64_t mark, bytes, alignment, words;
  };
  std::vector<LocalMemory> local_memories_;
  struct Image {
    sycl::detail::image_words words;
    std::shared_ptr<Buffer> memory;
  };
  std::vector<Image> images_;
  struct Argument {
    std::string value;
    std::size_t local_bytes = 0;
    std::string object{}; // what a C++ function gets
    std::optional<sycl::detail::image_words> image{};
    int dimensions = 0; // dimensions of the image
  };
  // Write an argument into the argument block of a launch.
  void place_argument(const Argument &given, const compiler::KernelInfo &kernel, std::size_t index,
                      RecordedLaunch &to) const;
  void place_image(const Argument &given, const compiler::KernelInfo &kernel, std::size_t index,
                   RecordedLaunch &to) const;
  std::map<int, Argument> arguments_; // of a kernel object
  std::map<std::string, std::string> constants_;
  std::shared_ptr<KernelBundle> bundle_;
  std::vector<std::shared_ptr<const void>> kept_;
  std::vector<std::shared_ptr<Buffer>> memories_;
  std::vector<std::shared_ptr<const StreamLog>> streams_;
  std::unique_ptr<runtime::Operation> operation_;
  std::function<void()> host_task_;
};

} // namespace lockstep::sycl_api
