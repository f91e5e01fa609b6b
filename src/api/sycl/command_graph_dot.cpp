// Prints graphs for `dot`: one line per node, with its type and the kernel's name, and its edges.
#include "api/sycl/command_graph.h"

#include <fmt/format.h>

namespace lockstep::sycl_api {
namespace {

constexpr const char *type_names[] = {"empty",   "subgraph",  "kernel",       "memcpy",
                                      "memset",  "memfill",   "prefetch",     "memadvise",
                                      "barrier", "host_task", "async_malloc", "async_free"};

std::string escaped(const std::string &text) {
  std::string result;
  for (const char one : text)
    result += one == '"' || one == '\\' ? fmt::format("\\{}", one) : std::string(1, one);
  return result;
}

std::string label_of(const GraphNode &node, bool verbose) {
  const NodeBody &body = *node.body;
  std::string label = fmt::format("{}\\n{}", node.index(), type_names[int(body.type)]);
  if (body.launch)
    label += "\\n" + escaped(body.launch->kernel->info().name);
  if (!verbose)
    return label;
  if (body.launch) {
    const auto &shape = body.launch->shape;
    for (int d = 0; d < shape.dimensions; ++d)
      label += fmt::format("{}{}", d ? " x " : "\\nrange ", shape.global[d]);
    if (!body.launch->local_sizes.empty() || !body.launch->block.empty())
      label += fmt::format("\\n{} bytes of arguments", body.launch->block.size());
  }
  if (body.operation)
    for (const runtime::Access &access : body.operation->accesses())
      label += fmt::format("\\n{} {} bytes at {}", writes(access.mode) ? "writes" : "reads",
                           access.memory.size(), static_cast<const void *>(access.memory.data()));
  return label;
}

} // namespace

std::string dot_of(const GraphNode::Pointers &nodes, bool verbose) {
  std::string text = "digraph dependencies {\n";
  for (const auto &node : nodes) {
    text +=
        fmt::format("  n{} [shape=box, label=\"{}\"];\n", node->index(), label_of(*node, verbose));
    for (const GraphNode *before : node->before)
      text += fmt::format("  n{} -> n{};\n", before->index(), node->index());
  }
  return text + "}\n";
}

} // namespace lockstep::sycl_api
