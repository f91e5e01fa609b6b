// sycl_ext_oneapi_graph: explicit and recorded graphs, submission, updates, and the errors of each.
#include <sycl/sycl.hpp>

#include "check.h"

#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace node_property = exp::property::node;
namespace graph_property = exp::property::graph;
using sycl::range;

constexpr std::size_t count = 100;

struct Memory {
  explicit Memory(sycl::queue &of, std::size_t elements = count)
      : queue(of), data(sycl::malloc_shared<int>(elements, of)) {
    for (std::size_t i = 0; i < elements; ++i)
      data[i] = int(i);
  }
  ~Memory() { sycl::free(data, queue); }
  sycl::queue &queue;
  int *const data;
};

TEST(the_device_has_graphs) {
  const sycl::device device;
  EXPECT(device.has(sycl::aspect::ext_oneapi_graph));
  EXPECT(device.has(sycl::aspect::ext_oneapi_limited_graph));
  EXPECT_EQ(SYCL_EXT_ONEAPI_GRAPH, 1);
}

TEST(an_explicit_graph_runs_as_often_as_it_is_submitted) {
  sycl::queue queue;
  Memory a(queue), b(queue), sum(queue);
  exp::command_graph graph(queue.get_context(), queue.get_device());
  EXPECT(graph.empty());
  int *x = a.data, *y = b.data, *z = sum.data;
  exp::node grow = graph.add(
      [&](sycl::handler &group) { group.parallel_for(range(count), [=](auto i) { x[i] += 1; }); });
  exp::node set = graph.add([&](sycl::handler &group) { group.fill(y, 7, count); });
  exp::node add = graph.add(
      [&](sycl::handler &group) {
        group.parallel_for(range(count), [=](auto i) { z[i] = x[i] + y[i]; });
      },
      {node_property::depends_on(grow, set)});
  exp::node copy =
      graph.add([&](sycl::handler &group) { group.memcpy(y, z, count * sizeof(int)); });
  graph.make_edge(add, copy);
  EXPECT(!graph.empty());
  auto executable = graph.finalize();
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(x[i], i); // nothing has run
  for (int round = 1; round <= 3; ++round) {
    queue.ext_oneapi_graph(executable).wait();
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(z[i], i + round + 7);
      EXPECT_EQ(y[i], z[i]);
    }
  }
  EXPECT(add.get_predecessors() == (std::vector{grow, set}));
  EXPECT(add.get_successors() == std::vector{copy});
  EXPECT(graph.get_nodes() == (std::vector{grow, set, add, copy}));
  EXPECT(graph.get_root_nodes() == (std::vector{grow, set}));
  EXPECT(grow.get_type() == exp::node_type::kernel);
  EXPECT(set.get_type() == exp::node_type::memfill);
  EXPECT(copy.get_type() == exp::node_type::memcpy);
}

// Their launches count the groups that have ended, or that have reached a barrier.
TEST(reductions_and_barriers_of_all_groups_are_repeated) {
  sycl::queue queue;
  Memory values(queue), sum(queue, 1), most(queue, 1), arrived(queue, 2);
  int *const x = values.data, *const all = sum.data, *const groups = arrived.data;
  groups[1] = 0;
  struct Greatest {
    int operator()(int a, int b) const { return a > b ? a : b; }
  };
  exp::command_graph graph(queue.get_context(), queue.get_device());
  graph.add([&](sycl::handler &group) {
    group.parallel_for(sycl::nd_range<1>(count, 10), sycl::reduction(all, sycl::plus<>()),
                       sycl::reduction(most.data, Greatest()),
                       [=](sycl::nd_item<1> at, auto &total, auto &greatest) {
                         total += x[at.get_global_id()];
                         greatest.combine(x[at.get_global_id()]);
                       });
  });
  graph.add([&](sycl::handler &group) {
    group.parallel_for(
        sycl::nd_range<1>(40, 10), exp::properties{exp::use_root_sync}, [=](sycl::nd_item<1> at) {
          if (at.get_local_id(0) == 0)
            sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(
                groups[0])++;
          sycl::group_barrier(at.ext_oneapi_get_root_group());
          if (at.get_global_id(0) == 0)
            groups[1] += groups[0];
        });
  });
  auto executable = graph.finalize();
  for (int i = 0; i < 3; ++i)
    queue.ext_oneapi_graph(executable).wait();
  EXPECT_EQ(all[0], 3 * 4950);
  EXPECT_EQ(most.data[0], 99);
  EXPECT_EQ(groups[1], 4 + 8 + 12);
}

TEST(a_recorded_queue_runs_nothing) {
  sycl::queue queue{sycl::property::queue::in_order()};
  Memory memory(queue);
  int *x = memory.data;
  exp::command_graph graph(queue);
  graph.begin_recording(queue);
  EXPECT(queue.ext_oneapi_get_state() == exp::queue_state::recording);
  EXPECT(queue.ext_oneapi_get_graph() == graph);
  for (int step = 0; step < 5; ++step)
    queue.parallel_for(range(count), [=](auto i) { x[i] = x[i] * 3 + step; });
  graph.end_recording();
  EXPECT(queue.ext_oneapi_get_state() == exp::queue_state::executing);
  EXPECT_EQ(graph.get_nodes().size(), 5);
  EXPECT_EQ(graph.get_root_nodes().size(), 1);
  queue.wait();
  EXPECT_EQ(x[9], 9);
  auto executable = graph.finalize();
  queue.parallel_for(range(count), [=](auto i) { x[i] += 1; });
  queue.ext_oneapi_graph(executable);
  queue.parallel_for(range(count), [=](auto i) { x[i] *= 2; });
  queue.wait();
  for (std::size_t i = 0; i < count; ++i) {
    int expected = int(i) + 1;
    for (int step = 0; step < 5; ++step)
      expected = expected * 3 + step;
    EXPECT_EQ(x[i], expected * 2);
  }
}

// A queue with a command that depends on a recorded one is recorded too.
TEST(events_make_edges_between_queues) {
  sycl::queue queue, other(queue.get_context(), queue.get_device());
  Memory memory(queue);
  int *x = memory.data;
  exp::command_graph graph(queue);
  graph.begin_recording(queue);
  sycl::event first = queue.single_task([=] { x[0] = 1; });
  sycl::event second = other.single_task(first, [=] { x[0] = x[0] * 10 + 2; });
  EXPECT(other.ext_oneapi_get_state() == exp::queue_state::recording);
  sycl::event third = queue.submit([&](sycl::handler &group) {
    group.depends_on(second);
    group.host_task([=] { x[0] = x[0] * 10 + 3; });
  });
  queue.single_task(third, [=] { x[0] = x[0] * 10 + 4; });
  graph.end_recording();
  EXPECT(other.ext_oneapi_get_state() == exp::queue_state::executing);
  auto executable = graph.finalize();
  for (int round = 0; round < 3; ++round) {
    x[0] = 0;
    queue.submit([&](sycl::handler &group) { group.ext_oneapi_graph(executable); }).wait();
    EXPECT_EQ(x[0], 1234);
  }
  const exp::node node = exp::node::get_node_from_event(third);
  EXPECT(node.get_type() == exp::node_type::host_task);
  EXPECT(node.get_predecessors() == std::vector{exp::node::get_node_from_event(second)});
}

TEST(barriers_of_a_recorded_queue) {
  sycl::queue queue;
  Memory memory(queue);
  int *x = memory.data;
  exp::command_graph graph(queue);
  graph.begin_recording(queue);
  queue.single_task([=] { x[0] = 5; });
  queue.single_task([=] { x[1] = 6; });
  sycl::event barrier = queue.ext_oneapi_submit_barrier();
  queue.single_task([=] { x[2] = x[0] * x[1]; });
  graph.end_recording(queue);
  EXPECT_EQ(exp::node::get_node_from_event(barrier).get_predecessors().size(), 2);
  EXPECT_EQ(exp::node::get_node_from_event(barrier).get_successors().size(), 1);
  auto executable = graph.finalize();
  queue.ext_oneapi_graph(executable).wait();
  EXPECT_EQ(x[2], 30);
}

TEST(accessors_make_edges) {
  sycl::queue queue;
  sycl::buffer<int> a{range(count)}, b{range(count)};
  exp::command_graph graph(queue, {graph_property::assume_buffer_outlives_graph()});
  exp::node first = graph.add([&](sycl::handler &group) {
    sycl::accessor out(a, group, sycl::write_only, sycl::no_init);
    group.parallel_for(range(count), [=](auto i) { out[i] = int(i[0]); });
  });
  exp::node second = graph.add([&](sycl::handler &group) {
    sycl::accessor in(a, group, sycl::read_only);
    sycl::accessor out(b, group, sycl::write_only);
    group.parallel_for(range(count), [=](auto i) { out[i] = in[i] * 2; });
  });
  exp::node third = graph.add([&](sycl::handler &group) {
    sycl::accessor out(a, group, sycl::read_write);
    group.parallel_for(range(count), [=](auto i) { out[i] += 1; });
  });
  EXPECT(second.get_predecessors() == std::vector{first});
  EXPECT(third.get_predecessors() == (std::vector{first, second}));
  auto executable = graph.finalize();
  for (int round = 0; round < 3; ++round) {
    queue.ext_oneapi_graph(executable);
    queue.submit([&](sycl::handler &group) { // ordered after the graph
      sycl::accessor in(a, group, sycl::read_only);
      sycl::accessor out(b, group, sycl::read_write);
      group.parallel_for(range(count), [=](auto i) { out[i] += in[i]; });
    });
  }
  const sycl::host_accessor result(b, sycl::read_only);
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(result[i], 3 * i + 1);
}

// A graph that is submitted twice runs twice in sequence, on any queues.
TEST(a_graph_runs_once_at_a_time) {
  sycl::queue queue, other(queue.get_context(), queue.get_device());
  Memory memory(queue);
  int *x = memory.data;
  exp::command_graph graph(queue);
  graph.add([&](sycl::handler &group) {
    group.single_task([=] {
      for (int i = 0; i < 1000; ++i)
        x[0] = x[0] + 1;
    });
  });
  auto executable = graph.finalize();
  for (int i = 0; i < 20; ++i)
    (i % 2 ? queue : other).ext_oneapi_graph(executable);
  queue.wait();
  other.wait();
  EXPECT_EQ(x[0], 20000);
}

TEST(a_graph_in_a_graph) {
  sycl::queue queue;
  Memory memory(queue);
  int *x = memory.data;
  exp::command_graph inner(queue);
  exp::node one =
      inner.add([&](sycl::handler &group) { group.single_task([=] { x[1] = x[0] + 1; }); });
  inner.add([&](sycl::handler &group) { group.single_task([=] { x[2] = x[1] * 2; }); },
            {node_property::depends_on(one)});
  auto executable_inner = inner.finalize();
  exp::command_graph outer(queue);
  exp::node before =
      outer.add([&](sycl::handler &group) { group.single_task([=] { x[0] = 20; }); });
  exp::node nested =
      outer.add([&](sycl::handler &group) { group.ext_oneapi_graph(executable_inner); },
                {node_property::depends_on(before)});
  EXPECT(nested.get_type() == exp::node_type::subgraph);
  outer.add([&](sycl::handler &group) { group.single_task([=] { x[3] = x[2] + 1; }); },
            {node_property::depends_on_all_leaves()});
  auto executable = outer.finalize();
  queue.ext_oneapi_graph(executable).wait();
  EXPECT_EQ(x[3], 43);
  x[0] = 1;
  queue.ext_oneapi_graph(executable_inner).wait();
  EXPECT_EQ(x[2], 4);
}

TEST(ranges_can_be_updated) {
  sycl::queue queue;
  Memory memory(queue);
  int *x = memory.data;
  exp::command_graph graph(queue);
  exp::node node = graph.add(
      [&](sycl::handler &group) { group.parallel_for(range(10), [=](auto i) { x[i] = 500; }); });
  auto executable = graph.finalize({graph_property::updatable()});
  node.update_range(range(50));
  queue.ext_oneapi_graph(executable).wait();
  EXPECT_EQ(x[9], 500);
  EXPECT_EQ(x[10], 10); // not updated yet
  executable.update(node);
  queue.ext_oneapi_graph(executable).wait();
  EXPECT_EQ(x[49], 500);
  EXPECT_EQ(x[50], 50);
  EXPECT_THROW(sycl::errc::invalid, "dimensions", node.update_range(range(2, 2)));
}

exp::command_graph<> scaling_graph(sycl::queue &queue, int *to, int factor) {
  exp::command_graph graph(queue);
  exp::node node = graph.add([&](sycl::handler &group) {
    group.parallel_for(range(count), [=](auto i) { to[i] = int(i[0]) * factor; });
  });
  graph.add([&](sycl::handler &group) { group.host_task([=] { to[0] = -factor; }); },
            {node_property::depends_on(node)});
  return graph;
}

TEST(a_whole_graph_can_be_updated) {
  sycl::queue queue;
  Memory a(queue), b(queue);
  auto executable = scaling_graph(queue, a.data, 2).finalize({graph_property::updatable()});
  queue.ext_oneapi_graph(executable);
  executable.update(scaling_graph(queue, b.data, 3));
  queue.ext_oneapi_graph(executable).wait();
  queue.wait();
  for (std::size_t i = 1; i < count; ++i) {
    EXPECT_EQ(a.data[i], 2 * i);
    EXPECT_EQ(b.data[i], 3 * i);
  }
  EXPECT_EQ(a.data[0], -2);
  EXPECT_EQ(b.data[0], -3);
}

// An object of the program whose destructor calls the program.
std::shared_ptr<void> at_end_of_object(std::function<void()> function) {
  return std::shared_ptr<void>(nullptr, [function](void *) { function(); });
}

// Objects that a graph drops are destroyed without a lock: their destructors may use the graph.
TEST(objects_that_an_update_drops_may_use_the_graph) {
  sycl::queue queue;
  int dropped = 0;
  std::function<void()> use_graph;
  const auto task_graph = [&](std::shared_ptr<void> held) {
    exp::command_graph graph(queue);
    graph.add([&](sycl::handler &group) { group.host_task([held] {}); });
    return graph;
  };
  auto executable = task_graph(at_end_of_object([&] {
                      ++dropped;
                      use_graph();
                    })).finalize({graph_property::updatable()});
  const auto other = task_graph(nullptr);
  use_graph = [&] {
    executable.update(other);
    queue.ext_oneapi_graph(executable).wait();
  };
  executable.update(other);
  EXPECT_EQ(dropped, 1);
}

TEST(objects_that_a_graph_refuses_may_use_it) {
  sycl::queue queue;
  sycl::buffer<int> buffer{range(4)};
  exp::command_graph graph(queue); // without assume_buffer_outlives_graph
  int dropped = 0;
  const auto invalid_group = [&](sycl::handler &group) {
    sycl::accessor uses(buffer, group, sycl::write_only_host_task);
    group.host_task([held = at_end_of_object([&] {
                       ++dropped;
                       (void)graph.get_nodes();
                     })] {});
  };
  EXPECT_THROW(sycl::errc::invalid, "assume_buffer_outlives_graph", graph.add(invalid_group));
  EXPECT_EQ(dropped, 1);
  EXPECT_THROW(sycl::errc::invalid, "assume_buffer_outlives_graph",
               exp::dynamic_command_group(graph, {invalid_group}));
  EXPECT_EQ(dropped, 2);
  graph.begin_recording(queue);
  EXPECT_THROW(sycl::errc::invalid, "assume_buffer_outlives_graph", queue.submit(invalid_group));
  EXPECT_EQ(dropped, 3);
  graph.end_recording();
}

// A replay holds the lock of its graph.
TEST(a_replay_copies_no_object_of_a_host_task) {
  struct Counted {
    explicit Counted(int &of) : copies(of) {}
    Counted(const Counted &other) : copies(other.copies) { ++copies; }
    int &copies;
  };
  sycl::queue queue;
  int copies = 0, runs = 0;
  exp::command_graph graph(queue);
  graph.add([&](sycl::handler &group) {
    group.host_task([counted = Counted(copies), &runs] { ++runs; });
  });
  auto executable = graph.finalize();
  copies = 0;
  queue.ext_oneapi_graph(executable).wait();
  queue.ext_oneapi_graph(executable).wait();
  EXPECT_EQ(copies, 0);
  EXPECT_EQ(runs, 2);
}

TEST(dynamic_command_groups) {
  sycl::queue queue;
  Memory memory(queue);
  int *x = memory.data;
  exp::command_graph graph(queue);
  exp::dynamic_command_group choice(
      graph,
      {[=](sycl::handler &group) { group.single_task([=] { x[0] = 1; }); },
       [=](sycl::handler &group) { group.parallel_for(range(count), [=](auto i) { x[i] = 2; }); }});
  exp::node node = graph.add(choice);
  auto executable = graph.finalize({graph_property::updatable()});
  queue.ext_oneapi_graph(executable).wait();
  EXPECT_EQ(x[0], 1);
  EXPECT_EQ(x[5], 5);
  EXPECT_EQ(choice.get_active_index(), 0);
  choice.set_active_index(1);
  executable.update(node);
  queue.ext_oneapi_graph(executable).wait();
  EXPECT_EQ(x[0], 2);
  EXPECT_EQ(x[99], 2);
  EXPECT_THROW(sycl::errc::invalid, "index", choice.set_active_index(2));
  EXPECT_THROW(sycl::errc::invalid, "no command groups", exp::dynamic_command_group(graph, {}));
}

TEST(parameters_can_be_changed) {
  sycl::queue queue;
  Memory a(queue), b(queue);
  sycl::buffer<int> one{range(4)}, other{range(4)};
  auto bundle = exp::build(exp::create_kernel_bundle_from_source(
      queue.get_context(), exp::source_language::opencl,
      "kernel void scale(global int *to, int by, global int *note) {"
      "  to[get_global_id(0)] *= by; if (get_global_id(0) == 0) note[0] = by; }"));
  const sycl::kernel kernel = bundle.ext_oneapi_get_kernel("scale");
  exp::command_graph graph(queue, {graph_property::assume_buffer_outlives_graph()});
  exp::dynamic_parameter<int *> to(graph, a.data);
  exp::dynamic_parameter<int> by(graph, 2);
  sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::device,
                 sycl::access::placeholder::true_t>
      note_one(one), note_other(other);
  exp::dynamic_parameter note(graph, note_one);
  exp::node node = graph.add([&](sycl::handler &group) {
    group.require(note);
    group.set_arg(0, to);
    group.set_arg(1, by);
    group.set_arg(2, note);
    group.parallel_for(range(count), kernel);
  });
  auto executable = graph.finalize({graph_property::updatable()});
  queue.ext_oneapi_graph(executable);
  to.update(b.data);
  by.update(5);
  note.update(note_other);
  executable.update(node);
  queue.ext_oneapi_graph(executable).wait();
  EXPECT_EQ(a.data[50], 100);
  EXPECT_EQ(b.data[50], 250);
  EXPECT_EQ(sycl::host_accessor(one)[0], 2);
  EXPECT_EQ(sycl::host_accessor(other)[0], 5);
  EXPECT_THROW(sycl::errc::invalid, "dynamic parameter", queue.submit([&](sycl::handler &group) {
    group.set_arg(0, to);
    group.set_arg(1, 1);
    group.set_arg(2, note_one);
    group.require(note_one);
    group.parallel_for(range(1), kernel);
  }));
}

// An exception of a host task reaches the handler of the queue to which the graph was submitted.
TEST(errors_of_host_tasks_reach_the_queue) {
  int seen = 0;
  sycl::queue making;
  sycl::queue queue(making.get_context(), making.get_device(), [&](sycl::exception_list all) {
    for (const auto &one : all)
      try {
        std::rethrow_exception(one);
      } catch (const std::runtime_error &thrown) {
        seen += std::string(thrown.what()) == "from a task";
      }
  });
  exp::command_graph graph(making);
  graph.add([&](sycl::handler &group) {
    group.host_task([] { throw std::runtime_error("from a task"); });
  });
  auto executable = graph.finalize();
  for (int i = 1; i <= 2; ++i) {
    queue.ext_oneapi_graph(executable);
    queue.wait_and_throw();
    EXPECT_EQ(seen, i);
  }
}

TEST(profiling_is_asked_for_when_a_graph_is_finalized) {
  sycl::queue queue{sycl::property::queue::enable_profiling()};
  Memory memory(queue);
  int *x = memory.data;
  exp::command_graph graph(queue);
  graph.add([&](sycl::handler &group) { group.single_task([=] { x[0] = 1; }); });
  auto timed = graph.finalize({graph_property::enable_profiling()});
  sycl::event event = queue.ext_oneapi_graph(timed);
  const auto start = event.get_profiling_info<sycl::info::event_profiling::command_start>();
  const auto end = event.get_profiling_info<sycl::info::event_profiling::command_end>();
  EXPECT(start <= end);
  auto untimed = graph.finalize();
  EXPECT_THROW(sycl::errc::invalid, "profiling",
               queue.ext_oneapi_graph(untimed)
                   .get_profiling_info<sycl::info::event_profiling::command_start>());
  queue.wait();
}

TEST(graphs_are_printed_for_dot) {
  sycl::queue queue;
  Memory memory(queue);
  exp::command_graph graph(queue);
  exp::node one = graph.add([&](sycl::handler &group) { group.memset(memory.data, 0, 16); });
  graph.add({node_property::depends_on(one)});
  const std::string path = "command_graph_test_" + std::to_string(graph.get_id()) + ".dot";
  graph.print_graph(path, true);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT(text.find("digraph") == 0);
  EXPECT(text.find("memset") != std::string::npos);
  EXPECT(text.find("n0 -> n1") != std::string::npos);
  std::remove(path.c_str());
  EXPECT_THROW(sycl::errc::invalid, ".dot", graph.print_graph("graph.txt"));
}

TEST(the_end_of_a_graph_ends_its_recording) {
  sycl::queue queue;
  try {
    exp::command_graph graph(queue);
    graph.begin_recording(queue);
    throw 1;
  } catch (int) {
  }
  EXPECT(queue.ext_oneapi_get_state() == exp::queue_state::executing);
  queue.wait();
}

// ---- errors

TEST(a_queue_that_records_cannot_be_waited_for) {
  sycl::queue queue, other(queue.get_context(), queue.get_device());
  Memory memory(queue);
  int *x = memory.data;
  exp::command_graph graph(queue), second(queue);
  sycl::event before = queue.single_task([=] { x[0] = 1; });
  graph.begin_recording(queue);
  sycl::event event = queue.single_task([=] { x[0] = 2; });
  EXPECT_THROW(sycl::errc::invalid, "waited for", queue.wait());
  EXPECT_THROW(sycl::errc::invalid, "recorded", event.wait());
  EXPECT_THROW(sycl::errc::invalid, "recorded",
               event.get_info<sycl::info::event::command_execution_status>());
  EXPECT_THROW(sycl::errc::invalid, "not recorded", queue.single_task(before, [=] { x[0] = 3; }));
  EXPECT_THROW(sycl::errc::invalid, "records already", graph.begin_recording(queue));
  EXPECT_THROW(sycl::errc::invalid, "another graph", second.end_recording(queue));
  EXPECT_THROW(sycl::errc::invalid, "explicitly", graph.add());
  graph.end_recording();
  EXPECT_THROW(sycl::errc::invalid, "ended", other.single_task(event, [=] { x[0] = 4; }));
  EXPECT_THROW(sycl::errc::invalid, "does not record", (void)queue.ext_oneapi_get_graph());
  EXPECT_THROW(sycl::errc::invalid, "no recorded", exp::node::get_node_from_event(before));
  queue.wait();
  EXPECT_EQ(x[0], 1);
}

TEST(wrong_edges_and_nodes) {
  sycl::queue queue;
  exp::command_graph graph(queue), other(queue);
  exp::node a = graph.add(), b = graph.add({node_property::depends_on(a)}), foreign = other.add();
  EXPECT(a.get_type() == exp::node_type::empty);
  EXPECT_THROW(sycl::errc::invalid, "itself", graph.make_edge(a, a));
  EXPECT_THROW(sycl::errc::invalid, "cycle", graph.make_edge(b, a));
  EXPECT_THROW(sycl::errc::invalid, "not a node", graph.make_edge(a, foreign));
  EXPECT_THROW(sycl::errc::invalid, "not a node", graph.add({node_property::depends_on(foreign)}));
  EXPECT_THROW(sycl::errc::invalid, "barrier",
               graph.add([&](sycl::handler &group) { group.ext_oneapi_barrier(); }));
  EXPECT_THROW(sycl::errc::invalid, "range", a.update_range(range(1)));
  EXPECT_THROW(sycl::errc::feature_not_supported, "recording",
               exp::command_graph(queue, {graph_property::enable_native_recording()}));
  auto fixed = graph.finalize();
  EXPECT_THROW(sycl::errc::invalid, "updatable", fixed.update(a));
  auto changing = graph.finalize({graph_property::updatable()});
  EXPECT_THROW(sycl::errc::invalid, "not made of", changing.update(foreign));
  EXPECT_THROW(sycl::errc::invalid, "other nodes", changing.update(other));
  exp::command_graph unchecked(queue, {graph_property::no_cycle_check()});
  exp::node c = unchecked.add(), d = unchecked.add({node_property::depends_on(c)});
  unchecked.make_edge(d, c);
  EXPECT_THROW(sycl::errc::invalid, "cycle", (void)unchecked.finalize());
}

TEST(buffers_must_outlive_a_graph_and_write_nothing_back) {
  sycl::queue queue;
  int data[4] = {};
  sycl::buffer<int> plain{range(4)}, back(data, range(4));
  auto use = [](sycl::buffer<int> &of) {
    return [&of](sycl::handler &group) {
      sycl::accessor out(of, group, sycl::write_only);
      group.single_task([=] { out[0] = 1; });
    };
  };
  exp::command_graph strict(queue), graph(queue, {graph_property::assume_buffer_outlives_graph()});
  EXPECT_THROW(sycl::errc::invalid, "assume_buffer_outlives_graph", strict.add(use(plain)));
  EXPECT_THROW(sycl::errc::invalid, "writes back", graph.add(use(back)));
  back.set_write_back(false);
  graph.add(use(back));
  graph.begin_recording(queue);
  queue.submit(use(plain));
  EXPECT_THROW(sycl::errc::invalid, "host accessor", sycl::host_accessor now(plain));
  graph.end_recording();
  const sycl::host_accessor now(plain);
}

} // namespace
