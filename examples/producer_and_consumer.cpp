// Two kernels in two queues that wait for each other.
//
// What it teaches: commands of different queues may run at the same time. If every wait ends
// eventually, they may depend on each other through memory: the consumer waits for the producer
// when the ring is empty, the producer for the consumer when it is full. The consumer is enqueued
// first, so on a device with one thread it must also yield.
//
// Checked against: a plain loop.
#include "example.h"

int main(int argc, char **argv) {
  return example::run(argc, argv, [](example::Example &e) {
    if (!example::may_wait(e, "producer and consumer"))
      return;
    cl::Program program = e.build("producer_and_consumer.cl", "-cl-std=CL3.0");
    const cl_uint count = cl_uint(e.size(1'000'000, 10'000));
    cl_uint state = 1, expected = 0;
    for (cl_uint i = 0; i < count; ++i) {
      state = state * 1664525u + 1013904223u;
      expected = expected * 31u + state;
    }
    cl::CommandQueue second(e.context, e.device);
    cl::Buffer ring(e.context, CL_MEM_READ_WRITE, 64 * sizeof(cl_uint));
    cl::Buffer put(e.context, CL_MEM_READ_WRITE, sizeof(cl_uint));
    cl::Buffer taken(e.context, CL_MEM_READ_WRITE, sizeof(cl_uint));
    cl::Buffer result(e.context, CL_MEM_READ_WRITE, sizeof(cl_uint));
    cl::Kernel produce(program, "produce"), consume(program, "consume");
    for (cl::Kernel *kernel : {&produce, &consume}) {
      kernel->setArg(0, ring);
      kernel->setArg(1, put);
      kernel->setArg(2, taken);
      kernel->setArg(3, count);
    }
    consume.setArg(4, result);
    double seconds = e.seconds([&] {
      e.queue.enqueueFillBuffer(put, cl_uint(0), 0, sizeof(cl_uint));
      e.queue.enqueueFillBuffer(taken, cl_uint(0), 0, sizeof(cl_uint));
      e.queue.finish();
      e.queue.enqueueNDRangeKernel(consume, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
      second.enqueueNDRangeKernel(produce, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
      second.finish();
    });
    e.row("producer and consumer, " + std::to_string(count) + " numbers",
          example::read<cl_uint>(e, result, 1)[0] == expected, seconds, count * 1e-6,
          "million numbers/s");
  });
}
