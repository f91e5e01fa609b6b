// Compares random graphs of commands over several queues, in-order and out-of-order, with a serial
// model.
//
// Every command that accesses a cell waits for all earlier conflicting commands, through an event,
// an in-order queue or a barrier. So any schedule that respects the edges gives the model's result.
// A schedule that misses an edge probably fails: the commands that could overtake are short. Some
// wait for user events that are set late and in random order.
#include "opencl_fixture.h"

#include <algorithm>
#include <deque>
#include <random>
#include <thread>

using namespace lockstep::test;

namespace {

constexpr size_t cell_bytes = 4096; // every cell has its own buffer
constexpr size_t cell_ints = cell_bytes / sizeof(int);

struct Cell {
  Memory buffer;
  std::vector<int> model = std::vector<int>(cell_ints, 0);
  cl_event last_write = nullptr;       // owned by Graph::events
  std::vector<cl_event> reads_since{}; // reads of the data that last_write wrote
};

class Graph {
public:
  Graph(cl_context context, std::vector<cl_command_queue> queues, std::vector<Cell> &cells,
        unsigned seed)
      : context_(context), queues_(std::move(queues)), cells_(cells), random_(seed) {}

  void run(int commands) {
    for (int i = 0; i < commands; ++i)
      add_command(i);
    for (cl_command_queue queue : queues_)
      EXPECT_EQ(clFlush(queue), CL_SUCCESS);
    std::shuffle(gates_.begin(), gates_.end(), random_);
    for (cl_event gate : gates_)
      EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    for (cl_command_queue queue : queues_)
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    for (const Event &event : events_)
      EXPECT_EQ(status_of(event), CL_COMPLETE);
    for (const auto &[got, expected] : reads_)
      EXPECT_EQ(got, expected);
  }

private:
  unsigned pick(unsigned limit) { return random_() % limit; }

  // Flushes, because commands of another queue may wait for the event.
  cl_command_queue queue() {
    for (cl_command_queue each : queues_)
      clFlush(each);
    return queues_[pick(queues_.size())];
  }

  static void follow_read(const Cell &cell, std::vector<cl_event> &wait) {
    if (cell.last_write)
      wait.push_back(cell.last_write);
  }
  static void follow_write(const Cell &cell, std::vector<cl_event> &wait) {
    follow_read(cell, wait);
    wait.insert(wait.end(), cell.reads_since.begin(), cell.reads_since.end());
  }
  void wrote(Cell &cell, cl_event event) {
    cell.last_write = event;
    cell.reads_since.clear();
  }

  void add_gate(std::vector<cl_event> &wait) {
    if (pick(10) != 0)
      return;
    cl_int status = 1;
    events_.emplace_back(clCreateUserEvent(context_, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    gates_.push_back(events_.back());
    wait.push_back(events_.back());
  }

  void add_command(int number) {
    Cell &to = cells_[pick(cells_.size())];
    Cell &from = cells_[pick(cells_.size())];
    std::vector<cl_event> wait;
    add_gate(wait);
    events_.emplace_back();
    Event &event = events_.back();
    auto list = [&] { return wait.empty() ? nullptr : wait.data(); };
    switch (pick(4)) {
    case 0: {
      size_t first = pick(cell_ints), count = pick(cell_ints - first) + 1;
      follow_write(to, wait);
      ASSERT_EQ(clEnqueueFillBuffer(queue(), to.buffer, &number, 4, first * 4, count * 4,
                                    wait.size(), list(), event.out()),
                CL_SUCCESS);
      std::fill_n(to.model.begin() + first, count, number);
      wrote(to, event);
      break;
    }
    case 1: {
      size_t count = pick(cell_ints) + 1, source = pick(cell_ints - count + 1),
             target = pick(cell_ints - count + 1);
      if (&to == &from)
        target = source < cell_ints / 2 ? cell_ints / 2 : 0, count = std::min(count, cell_ints / 4),
        source = std::min(source, cell_ints - count),
        target = target > source ? target + cell_ints / 4 : target;
      if (&to == &from && source < target + count && target < source + count)
        return add_marker(event, wait);
      follow_read(from, wait);
      follow_write(to, wait);
      ASSERT_EQ(clEnqueueCopyBuffer(queue(), from.buffer, to.buffer, source * 4, target * 4,
                                    count * 4, wait.size(), list(), event.out()),
                CL_SUCCESS);
      std::vector<int> moved(from.model.begin() + source, from.model.begin() + source + count);
      std::copy(moved.begin(), moved.end(), to.model.begin() + target);
      if (&to != &from)
        from.reads_since.push_back(event);
      wrote(to, event);
      break;
    }
    case 2: {
      follow_read(from, wait);
      reads_.emplace_back(std::vector<int>(cell_ints, -1), from.model);
      ASSERT_EQ(clEnqueueReadBuffer(queue(), from.buffer, CL_FALSE, 0, cell_bytes,
                                    reads_.back().first.data(), wait.size(), list(), event.out()),
                CL_SUCCESS);
      from.reads_since.push_back(event);
      break;
    }
    default:
      add_marker(event, wait);
    }
  }

  // Enqueues a marker or barrier that waits for an earlier event.
  void add_marker(Event &event, std::vector<cl_event> wait) {
    if (events_.size() > 2)
      if (cl_event earlier = events_[pick(events_.size() - 1)])
        wait.push_back(earlier);
    auto enqueue = pick(3) == 0 ? clEnqueueBarrierWithWaitList : clEnqueueMarkerWithWaitList;
    ASSERT_EQ(enqueue(queue(), wait.size(), wait.empty() ? nullptr : wait.data(), event.out()),
              CL_SUCCESS);
  }

  cl_context context_;
  std::vector<cl_command_queue> queues_;
  std::vector<Cell> &cells_;
  std::mt19937 random_;
  std::deque<Event> events_;
  std::vector<cl_event> gates_;
  std::deque<std::pair<std::vector<int>, std::vector<int>>> reads_;
};

class EventGraph : public DeviceTest {
protected:
  std::vector<Cell> make_cells(size_t count) {
    std::vector<Cell> cells(count);
    for (Cell &cell : cells)
      cell.buffer = make_buffer(cell_bytes, CL_MEM_COPY_HOST_PTR, cell.model.data());
    return cells;
  }
  void check(const std::vector<Cell> &cells) {
    for (const Cell &cell : cells)
      EXPECT_EQ(read<int>(cell.buffer, cell_ints), cell.model);
  }
};

TEST_F(EventGraph, OneOutOfOrderQueue) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    std::vector<Cell> cells = make_cells(6);
    Graph(context_, {queue}, cells, seed).run(150);
    check(cells);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST_F(EventGraph, SeveralQueuesOfBothKinds) {
  for (unsigned seed = 100; seed < 115; ++seed) {
    Queue a = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), b = make_queue(0),
          c = make_queue(0), d = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    std::vector<Cell> cells = make_cells(5);
    Graph(context_, {a, b, c, d}, cells, seed).run(200);
    check(cells);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST_F(EventGraph, SeveralThreadsShareTheQueues) {
  Queue a = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
        b = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  std::vector<std::vector<Cell>> cells;
  for (int i = 0; i < 4; ++i)
    cells.push_back(make_cells(3));
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < cells.size(); ++i)
    threads.emplace_back([&, i] { Graph(context_, {a, b}, cells[i], 1000 + i).run(150); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<Cell> &each : cells)
    check(each);
}

// Completing this chain by recursion would overflow the stack.
TEST_F(EventGraph, LongChain) {
  Queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Event gate = make_user_event();
  std::vector<Event> chain;
  cl_event previous = gate;
  for (int i = 0; i < 50000; ++i) {
    Event next;
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 1, &previous, next.out()), CL_SUCCESS);
    previous = next;
    chain.push_back(std::move(next));
  }
  ASSERT_EQ(clFlush(queue), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, &previous), CL_SUCCESS);
}

TEST_F(EventGraph, LongChainOfFailures) {
  Queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Event gate = make_user_event();
  std::vector<Event> chain;
  cl_event previous = gate;
  for (int i = 0; i < 20000; ++i) {
    Event next;
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 1, &previous, next.out()), CL_SUCCESS);
    previous = next;
    chain.push_back(std::move(next));
  }
  ASSERT_EQ(clSetUserEventStatus(gate, -5), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, &previous), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  for (const Event &event : chain)
    ASSERT_LT(status_of(event), 0);
}

// The failure affects only commands that depend on it, not later ones in the queue.
TEST_F(EventGraph, QueueWorksOnAfterAFailure) {
  for (cl_command_queue_properties kind :
       {cl_command_queue_properties{0},
        cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}}) {
    Queue queue = make_queue(kind);
    Memory buffer = make_buffer(64);
    Event gate = make_user_event(), failed, later;
    cl_event wait[] = {gate};
    const int one = 1, two = 2;
    ASSERT_EQ(clEnqueueFillBuffer(queue, buffer, &one, 4, 0, 64, 1, wait, failed.out()),
              CL_SUCCESS);
    ASSERT_EQ(clSetUserEventStatus(gate, -5), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
    ASSERT_EQ(clEnqueueFillBuffer(queue, buffer, &two, 4, 0, 64, 0, nullptr, later.out()),
              CL_SUCCESS);
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
    EXPECT_LT(status_of(failed), 0);
    EXPECT_EQ(status_of(later), CL_COMPLETE);
    EXPECT_EQ(read<int>(buffer, 16), std::vector<int>(16, 2));
  }
}

} // namespace
