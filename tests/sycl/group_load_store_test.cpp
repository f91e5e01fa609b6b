// sycl_ext_oneapi_group_load_store: both placements, groups and sub-groups, scalars, spans and
// vectors, compared with the host.
#include <sycl/sycl.hpp>

#include "check.h"

#include <sycl/ext/oneapi/experimental/group_load_store.hpp>

#include <array>
#include <numeric>
#include <vector>

namespace {

namespace oneapi = sycl::ext::oneapi::experimental;

constexpr std::size_t groups = 3, size = 32, each = 4, count = groups * size * each;

struct Pixel {
  short red, green, blue;
  bool operator==(const Pixel &other) const {
    return red == other.red && green == other.green && blue == other.blue;
  }
};

template <class T> T value(std::size_t i) {
  return T(i * 7 + 1);
}
template <> Pixel value<Pixel>(std::size_t i) {
  return {short(i), short(2 * i), short(3 * i)};
}

// Loads by `load`, which gets a group, a pointer to the group's part and 4 elements, and returns
// what the work-items received, in the order of their ids.
template <class T, class Load> std::vector<T> loaded(Load load) {
  std::vector<T> in(count), out(count);
  for (std::size_t i = 0; i < count; ++i)
    in[i] = value<T>(i);
  {
    sycl::buffer<T> from(in.data(), count), to(out.data(), count);
    sycl::queue().submit([&](sycl::handler &handler) {
      sycl::accessor source(from, handler, sycl::read_only);
      sycl::accessor target(to, handler, sycl::write_only);
      handler.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> item) {
        std::array<T, each> own{};
        load(item.get_group(),
             source.template get_multi_ptr<sycl::access::decorated::no>().get() +
                 item.get_group_linear_id() * size * each,
             own);
        for (std::size_t i = 0; i < each; ++i)
          target[item.get_global_linear_id() * each + i] = own[i];
      });
    });
  }
  return out;
}

template <class T> std::vector<T> expected(bool is_striped) {
  std::vector<T> result(count);
  for (std::size_t group = 0; group < groups; ++group)
    for (std::size_t item = 0; item < size; ++item)
      for (std::size_t i = 0; i < each; ++i)
        result[(group * size + item) * each + i] =
            value<T>(group * size * each + (is_striped ? item + i * size : item * each + i));
  return result;
}

template <class T> void spans_are_loaded() {
  EXPECT(loaded<T>([](auto group, const T *from, auto &own) {
           oneapi::group_load(group, from, sycl::span<T, each>(own.data(), each));
         }) == expected<T>(false));
  EXPECT(loaded<T>([](auto group, const T *from, auto &own) {
           oneapi::group_load(group, from, sycl::span<T, each>(own.data(), each),
                              oneapi::properties(oneapi::data_placement_blocked));
         }) == expected<T>(false));
  EXPECT(loaded<T>([](auto group, const T *from, auto &own) {
           oneapi::group_load(group, from, sycl::span<T, each>(own.data(), each),
                              oneapi::properties(oneapi::full_group, oneapi::contiguous_memory,
                                                 oneapi::data_placement_striped));
         }) == expected<T>(true));
}

TEST(group_loads_spans) {
  spans_are_loaded<int>();
  spans_are_loaded<char>();
  spans_are_loaded<double>();
  spans_are_loaded<Pixel>();
}

TEST(group_loads_vectors_and_scalars) {
  EXPECT(loaded<float>([](auto group, const float *from, auto &own) {
           sycl::vec<float, each> vector;
           oneapi::group_load(group, from, vector,
                              oneapi::properties(oneapi::data_placement_striped));
           for (int i = 0; i < int(each); ++i)
             own[i] = vector[i];
         }) == expected<float>(true));
  // A scalar is one element in both placements; four of them are striped.
  EXPECT(loaded<int>([](auto group, const int *from, auto &own) {
           for (std::size_t i = 0; i < each; ++i)
             oneapi::group_load(group, from + i * size, own[i]);
         }) == expected<int>(true));
}

TEST(group_stores_are_loads_reversed) {
  for (const bool is_striped : {false, true}) {
    std::vector<int> vectors(count), spans(count), scalars(count), wanted(count);
    std::iota(wanted.begin(), wanted.end(), 0);
    {
      sycl::buffer<int> a(vectors.data(), count), b(spans.data(), count), c(scalars.data(), count);
      sycl::queue().submit([&](sycl::handler &handler) {
        sycl::accessor to_a(a, handler), to_b(b, handler), to_c(c, handler);
        handler.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> item) {
          const auto group = item.get_group();
          const std::size_t first = item.get_group_linear_id() * size * each,
                            number = item.get_local_linear_id();
          sycl::vec<int, each> vector;
          std::array<int, each> own;
          for (std::size_t i = 0; i < each; ++i)
            vector[int(i)] = own[i] =
                int(first + (is_striped ? number + i * size : number * each + i));
          const sycl::span<const int, each> span(own.data(), each);
          if (is_striped) {
            const oneapi::properties striped(oneapi::data_placement_striped);
            oneapi::group_store(group, vector, &to_a[first], striped);
            oneapi::group_store(group, span, &to_b[first], striped);
            for (std::size_t i = 0; i < each; ++i)
              oneapi::group_store(group, own[i], &to_c[first + i * size]);
          } else {
            oneapi::group_store(group, vector, &to_a[first]);
            oneapi::group_store(group, span, &to_b[first]);
            for (std::size_t i = 0; i < each; ++i)
              to_c[first + number * each + i] = own[i];
          }
        });
      });
    }
    EXPECT(vectors == wanted);
    EXPECT(spans == wanted);
    EXPECT(scalars == wanted);
  }
}

TEST(sub_groups_store_what_they_load) {
  constexpr std::size_t items = 64;
  std::vector<long> in(items), out(items);
  std::iota(in.begin(), in.end(), 100L);
  {
    sycl::buffer<long> from(in.data(), items), to(out.data(), items);
    sycl::queue().submit([&](sycl::handler &handler) {
      sycl::accessor source(from, handler), target(to, handler);
      handler.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> item) {
        const auto group = item.get_sub_group();
        const std::size_t first = group.get_group_linear_id() * group.get_max_local_range()[0];
        long own = 0;
        oneapi::group_load(group, &source[first], own);
        oneapi::group_store(group, own, &target[first]);
      });
    });
  }
  EXPECT(out == in);
}

} // namespace
