// Mistakes that people make in SYCL, one case each: mistakes CASE. ../../cli/mistakes_test.py has the
// advice that each report must end with.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr std::size_t many = 256, few = 64;
const sycl::nd_range<1> groups(many, few);

template <class T> T *numbers(sycl::queue &queue, std::size_t size = many) {
  T *made = sycl::malloc_shared<T>(size, queue);
  queue.fill(made, T(1), size).wait();
  return made;
}

// A histogram without atomics.
void histogram(sycl::queue &queue) {
  int *in = numbers<int>(queue), *bins = numbers<int>(queue);
  queue.parallel_for(sycl::range<1>(many), [=](sycl::id<1> i) { bins[in[i] & 15] += 1; }).wait();
}

// A sum in one element, of an nd_range.
void sum(sycl::queue &queue) {
  float *in = numbers<float>(queue), *sum = numbers<float>(queue);
  queue.parallel_for(groups, [=](sycl::nd_item<1> item) { *sum += in[item.get_global_id(0)]; })
      .wait();
}

// No barrier after local memory is filled.
void reverse_tile(sycl::queue &queue) {
  float *data = numbers<float>(queue);
  queue
      .submit([&](sycl::handler &group) {
        sycl::local_accessor<float> tile(few, group);
        group.parallel_for(groups, [=](sycl::nd_item<1> item) {
          int me = item.get_local_id(0);
          tile[me] = data[item.get_global_id(0)];
          data[item.get_global_id(0)] = tile[few - 1 - me];
        });
      })
      .wait();
}

// A tree whose loop has no barrier.
void tree(sycl::queue &queue) {
  float *in = numbers<float>(queue), *out = numbers<float>(queue);
  queue
      .submit([&](sycl::handler &group) {
        sycl::local_accessor<float> part(few, group);
        group.parallel_for(groups, [=](sycl::nd_item<1> item) {
          int me = item.get_local_id(0);
          part[me] = in[item.get_global_id(0)];
          group_barrier(item.get_group());
          for (int step = few / 2; step > 0; step /= 2)
            if (me < step)
              part[me] += part[me + step];
          if (me == 0)
            out[item.get_group(0)] = part[0];
        });
      })
      .wait();
}

// A group_barrier in a branch.
void barrier_in_branch(sycl::queue &queue) {
  int *data = numbers<int>(queue);
  queue
      .parallel_for(groups,
                    [=](sycl::nd_item<1> item) {
                      if (item.get_local_id(0) < 32)
                        group_barrier(item.get_group());
                      data[item.get_global_id(0)] += 1;
                    })
      .wait();
}

// A stencil in place.
void blur_in_place(sycl::queue &queue) {
  float *data = numbers<float>(queue);
  queue
      .parallel_for(sycl::range<1>(many - 2),
                    [=](sycl::id<1> i) { data[i + 1] = (data[i] + data[i + 1] + data[i + 2]) / 3; })
      .wait();
}

// An accessor reaches beyond its buffer.
void off_by_one(sycl::queue &queue) {
  sycl::buffer<int> in{sycl::range<1>(many)}, out{sycl::range<1>(many)};
  queue.submit([&](sycl::handler &group) {
    sycl::accessor from(in, group, sycl::read_only);
    sycl::accessor to(out, group, sycl::write_only);
    group.parallel_for(sycl::range<1>(many), [=](sycl::id<1> i) { to[i] = from[i[0] + 1]; });
  });
  queue.wait();
}

// Two kernels use USM, and nothing says which one comes first.
void no_depends_on(sycl::queue &queue) {
  int *data = numbers<int>(queue);
  queue.parallel_for(sycl::range<1>(many), [=](sycl::id<1> i) { data[i] = int(i); });
  queue.parallel_for(sycl::range<1>(many), [=](sycl::id<1> i) { data[i] *= 2; });
  queue.wait();
}

// The program reads its own memory while a buffer of it lives.
void read_before_buffer_ends(sycl::queue &queue) {
  std::vector<int> data(many * many);
  sycl::buffer<int> buffer(data.data(), data.size());
  queue.submit([&](sycl::handler &group) {
    sycl::accessor to(buffer, group, sycl::write_only);
    group.parallel_for(sycl::range<1>(data.size()), [=](sycl::id<1> i) { to[i] = int(i); });
  });
  queue.wait();
  std::printf("%d\n", data[many * few]);
}

// A pointer of one queue in another one.
void two_queues(sycl::queue &queue) {
  sycl::queue other(queue.get_context(), queue.get_device());
  int *data = numbers<int>(queue);
  std::vector<int> result(many);
  queue.parallel_for(sycl::range<1>(many), [=](sycl::id<1> i) { data[i] = int(i); });
  other.memcpy(result.data(), data, many * sizeof(int)).wait();
  queue.wait();
}

// A kernel reads device memory that nothing has written.
void never_written(sycl::queue &queue) {
  int *in = sycl::malloc_device<int>(many, queue), *out = numbers<int>(queue);
  queue
      .parallel_for(sycl::range<1>(many),
                    [=](sycl::id<1> i) {
                      if (in[i] > 0)
                        out[i] = 1;
                    })
      .wait();
}

const std::map<std::string, std::function<void(sycl::queue &)>> cases = {
    {"histogram", histogram},
    {"sum", sum},
    {"reverse_tile", reverse_tile},
    {"tree", tree},
    {"barrier_in_branch", barrier_in_branch},
    {"blur_in_place", blur_in_place},
    {"off_by_one", off_by_one},
    {"no_depends_on", no_depends_on},
    {"read_before_buffer_ends", read_before_buffer_ends},
    {"two_queues", two_queues},
    {"never_written", never_written}};

} // namespace

int main(int argc, char **argv) {
  const auto found = argc == 2 ? cases.find(argv[1]) : cases.end();
  if (found == cases.end())
    return 2;
  sycl::queue queue;
  found->second(queue);
}
