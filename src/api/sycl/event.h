// Events: a command of the graph, together with the error list of its queue.
#pragma once

#include "api/sycl/of_process.h"
#include "runtime/graph/command.h"

#include "sycl/detail/library.hpp"

#include <memory>
#include <vector>

namespace lockstep::sycl_api {

class ErrorList;
class GraphNode;

class Event final : public OfProcess, public sycl::detail::event_interface {
public:
  Event() = default; // without a command: complete
  Event(runtime::CommandRef command, std::vector<runtime::CommandRef> after,
        std::shared_ptr<ErrorList> errors, bool has_times, sycl::detail::context_pointer context)
      : command_(std::move(command)), after_(std::move(after)), errors_(std::move(errors)),
        has_times_(has_times), context_(std::move(context)) {}
  // For a recorded command, which does not run itself.
  explicit Event(std::shared_ptr<GraphNode> node) : node_(std::move(node)) {}

  const std::shared_ptr<GraphNode> &node() const { return node_; } // null: not recorded in a graph

  const runtime::CommandRef &command() const { return command_; }           // null: complete
  const sycl::detail::context_pointer &context() const { return context_; } // null: complete

  // The OpenCL events that it was made of.
  const std::vector<std::shared_ptr<void>> &natives() const { return natives_; }
  void set_natives(std::vector<std::shared_ptr<void>> natives) { natives_ = std::move(natives); }

  const void *identity() const override {
    return command_ ? static_cast<const void *>(command_.get()) : this;
  }
  void wait() override;
  void throw_asynchronous() override;
  std::vector<sycl::detail::event_pointer> wait_list() override;
  std::uint64_t profiling_time(int number) override;
  void get_info(int number, void *to) const override;

private:
  void check_runs() const;

  const std::shared_ptr<GraphNode> node_;
  const runtime::CommandRef command_;
  const std::vector<runtime::CommandRef> after_; // the events that the program passed
  const std::shared_ptr<ErrorList> errors_;
  const bool has_times_ = false;
  const sycl::detail::context_pointer context_;
  std::vector<std::shared_ptr<void>> natives_;
};

} // namespace lockstep::sycl_api
