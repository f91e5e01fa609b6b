// A value that nodes of a graph use and that the program changes (dynamic_parameter of
// sycl_ext_oneapi_graph).
#pragma once

#include "api/sycl/buffer.h"
#include "api/sycl/command_graph.h"
#include "api/sycl/error.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace lockstep::sycl_api {

// Lists the node bodies that use the parameter.
class DynamicParameter final : public sycl::detail::dynamic_parameter_interface {
public:
  explicit DynamicParameter(std::weak_ptr<CommandGraph> graph) : graph_(std::move(graph)) {}
  bool is_of(const CommandGraph &graph) const { return is_same(graph_, graph.weak_from_this()); }
  void add(const std::shared_ptr<NodeBody> &body, int index) { // requires the graph's mutex
    uses_.push_back({body, index});
  }
  void update(const void *value, std::size_t bytes, const sycl::detail::buffer_pointer &buffer,
              std::size_t offset, std::size_t size) override {
    const auto graph = graph_.lock();
    if (!graph)
      return;
    AfterUnlock dropped;
    std::lock_guard lock(graph->mutex());
    for (const Use &use : uses_)
      if (auto body = use.body.lock()) {
        update(*body, use.index, value, bytes, std::static_pointer_cast<Buffer>(buffer), offset,
               size, dropped);
        dropped.push_back(std::move(body));
      }
  }

private:
  struct Use {
    std::weak_ptr<NodeBody> body;
    int index;
  };
  static void update(NodeBody &body, int index, const void *value, std::size_t bytes,
                     const std::shared_ptr<Buffer> &buffer, std::size_t offset, std::size_t size,
                     AfterUnlock &dropped) {
    RecordedLaunch &launch = *body.launch;
    std::size_t at, size_at;
    if (launch.parameters) {
      if (buffer)
        raise(sycl::errc::feature_not_supported,
              "a dynamic parameter changes an accessor of a kernel that is a function of C++");
      at = launch.parameters->at(std::size_t(index)).offset;
      size_at = launch.parameters->at(std::size_t(index)).bytes;
    } else {
      const compiler::KernelArg &argument = launch.kernel->info().args[std::size_t(index)];
      at = argument.offset;
      size_at = argument.size;
    }
    std::byte *place = launch.block.data() + at;
    if (buffer) {
      const std::byte *before = nullptr;
      std::memcpy(&before, place, sizeof before);
      for (Requirement &one : body.requirements) {
        const std::byte *begin = one.buffer->state().memory()->data();
        if (before >= begin + one.begin && before < begin + one.end) {
          const std::size_t first = buffer->offset_in_root() + offset;
          dropped.push_back(one.buffer);
          one = {buffer, one.mode, first, first + size};
          break;
        }
      }
    }
    std::memcpy(place, value, std::min(bytes, size_at));
    dropped.push_back(body.operation);
    body.operation = launch.make(body.requirements);
  }

  const std::weak_ptr<CommandGraph> graph_;
  std::vector<Use> uses_;
};

} // namespace lockstep::sycl_api
