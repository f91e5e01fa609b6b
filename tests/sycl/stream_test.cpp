// Text from kernels: the same text as from host streams, in the order of work-items, within the
// limits of the stream.
#include <sycl/sycl.hpp>

#include "check.h"

#include <cstdint>
#include <iomanip>
#include <sstream>
#include <unistd.h>

namespace {

// The text written to standard output while `run` runs.
template <class Run> std::string printed_by(const Run &run) {
  char name[] = "/tmp/lockstep_stream_test_XXXXXX";
  const int file = mkstemp(name), kept = dup(1);
  unlink(name);
  std::fflush(stdout);
  dup2(file, 1);
  run();
  std::fflush(stdout);
  dup2(kept, 1);
  std::string text(std::size_t(lseek(file, 0, SEEK_END)), '\0');
  EXPECT_EQ(std::size_t(pread(file, text.data(), text.size(), 0)), text.size());
  close(file);
  close(kept);
  return text;
}

} // namespace

TEST(items_in_order) {
  sycl::queue queue;
  constexpr std::size_t count = 200;
  const std::string got = printed_by([&] {
    queue
        .submit([&](sycl::handler &h) {
          sycl::stream out(1 << 16, 256, h);
          h.parallel_for(sycl::nd_range<1>(count, 20), [=](sycl::nd_item<1> me) {
            out << "item " << me.get_global_id(0);
            if (me.get_local_id(0) % 3 == 0)
              out << " of group " << int(me.get_group(0)) - 5;
            out << '\n';
          });
        })
        .wait();
  });
  std::ostringstream wanted;
  for (std::size_t i = 0; i < count; ++i) {
    wanted << "item " << i;
    if (i % 20 % 3 == 0)
      wanted << " of group " << int(i / 20) - 5;
    wanted << '\n';
  }
  EXPECT(got == wanted.str());
}

TEST(values_and_manipulators) {
  sycl::queue queue;
  const auto all = [](const auto &out, auto endl, auto hex, auto oct, auto dec, auto showbase,
                      auto noshowbase, auto showpos, auto noshowpos, auto fixed, auto scientific,
                      auto precise, auto wide) {
    out << 42 << ' ' << -7 << ' ' << 3000000000u << ' ' << std::int64_t(-1) << ' '
        << std::uint64_t(-1) << endl;
    out << showpos << 42 << ' ' << 1.5f << noshowpos << ' ' << 42 << endl;
    out << hex << 255 << ' ' << -1 << ' ' << std::int16_t(-2) << ' ' << showbase << 255 << ' '
        << oct << 8 << noshowbase << ' ' << 8 << dec << ' ' << 8 << endl;
    out << 0.1 << ' ' << 1e20 << ' ' << 2.0f / 3 << ' ' << fixed << 1.25 << ' ' << precise(2)
        << 3.14159 << ' ' << scientific << 12345.678 << endl;
    out << wide(8) << "ab" << 'c' << endl;
  };
  const std::string got = printed_by([&] {
    queue
        .submit([&](sycl::handler &h) {
          sycl::stream out(4096, 1024, h);
          h.single_task([=] {
            all(
                out, sycl::endl, sycl::hex, sycl::oct, sycl::dec, sycl::showbase, sycl::noshowbase,
                sycl::showpos, sycl::noshowpos, sycl::fixed, sycl::scientific,
                [](int n) { return sycl::setprecision(n); }, [](int n) { return sycl::setw(n); });
          });
        })
        .wait();
  });
  const std::string wanted = "42 -7 3000000000 -1 18446744073709551615\n"
                             "+42 +1.5 42\n"
                             "ff ffffffff fffe 0xff 010 10 8\n"
                             "0.1 1e+20 0.666667 1.250000 3.14 1.23e+04\n"
                             "      ab       c\n";
  if (got != wanted)
    std::printf("got:\n%swanted:\n%s", got.c_str(), wanted.c_str());
  EXPECT(got == wanted);
}

struct Point {
  int x, y;
};
const sycl::stream &operator<<(const sycl::stream &to, const Point &point) {
  return to << point.x << '|' << sycl::dec << point.y << '|' << point.x;
}

// Each statement starts without manipulators, nested ones with those around them; base prefix and
// sign stay.
TEST(manipulators_hold_for_a_statement) {
  sycl::queue queue;
  const std::string got = printed_by([&] {
    queue
        .submit([&](sycl::handler &h) {
          sycl::stream out(4096, 1024, h), other(4096, 1024, h);
          h.single_task([=] {
            out << '[' << sycl::setw(5) << 42 << 7 << "]" << sycl::endl << 3 << '\n';
            out << '[' << 42 << "]\n";
            out << sycl::hex << 255 << sycl::endl << 254 << '\n';
            out << 255 << '\n';
            out << sycl::oct << 8 << ' ' << sycl::fixed << 0.5f << ' ' << sycl::setprecision(2)
                << 3.14159f << '\n';
            out << 8 << ' ' << 0.5f << ' ' << 3.14159f << '\n';
            out << sycl::scientific << 1.0f << sycl::defaultfloat << 2.0f << '\n' << sycl::hexfloat;
            out << 1.0f << '\n';
            out << sycl::setw(3) << sycl::int2(1, 2) << sycl::id<2>(3, 4) << '\n';
            out << sycl::hex << Point{16, 17} << ' ' << 18 << '\n';
            out << Point{16, 17} << sycl::hex << 19 << '\n';
            out << sycl::hex;
            out << 20 << '\n' << sycl::showpos << sycl::hex << sycl::showbase << 21 << '\n';
            out << 22 << '\n' << sycl::noshowpos;
            out << 23 << ' ' << sycl::hex << 24 << '\n' << sycl::noshowbase;
            for (int i = 0; i < 2; ++i)
              i == 0 ? out << sycl::hex << 26 << '\n' : out << 26 << '\n';
            other << sycl::hex;
          });
        })
        .wait();
  });
  const std::string wanted =
      "[   42    7    ]\n    3    \n[42]\nff\nfe\n255\n10 0.500000 3.14\n8 0.5 3.14159\n"
      "1.000000e+002\n1\n  1,   2{  3,   4}  \n10|17|16 12\n16|17|1613\n"
      "20\n0x15\n+22\n23 0x18\n1a\n26\n";
  if (got != wanted)
    std::printf("got:\n%swanted:\n%s", got.c_str(), wanted.c_str());
  EXPECT(got == wanted);
}

TEST(points_and_vectors) {
  sycl::queue queue;
  const std::string got = printed_by([&] {
    queue
        .submit([&](sycl::handler &h) {
          sycl::stream out(4096, 1024, h);
          h.parallel_for(sycl::nd_range<2>({2, 2}, {1, 2}), [=](sycl::nd_item<2> me) {
            if (me.get_global_linear_id() == 3)
              out << me << ' ' << me.get_global_range() << ' ' << sycl::int3(1, -2, 3) << ' '
                  << true << ' ' << sycl::half(0.5f) << sycl::endl;
          });
        })
        .wait();
  });
  EXPECT(got == "nd_item(global_id: {1, 1}, local_id: {0, 1}) {2, 2} 1, -2, 3 true 0.5\n");
}

// Characters beyond a limit are dropped; the others stay.
TEST(limits) {
  sycl::queue queue;
  const auto run = [&](std::size_t total, std::size_t of_item, bool flushes) {
    return printed_by([&] {
      queue
          .submit([&](sycl::handler &h) {
            sycl::stream out(total, of_item, h);
            EXPECT_EQ(out.size(), total);
            EXPECT_EQ(out.get_work_item_buffer_size(), of_item);
            h.single_task([=] {
              for (int i = 0; i < 1000; ++i) {
                out << "0123456789";
                if (flushes)
                  out << sycl::flush;
              }
            });
          })
          .wait();
    });
  };
  EXPECT_EQ(run(20000, 100, true).size(), 10000u);
  EXPECT(run(20000, 15, false) == "012345678901234");
  EXPECT(run(25, 100, true) == "0123456789012345678901234");
}

// In the group code of a hierarchical kernel: printed once.
TEST(of_a_group) {
  sycl::queue queue;
  const std::string got = printed_by([&] {
    queue
        .submit([&](sycl::handler &h) {
          sycl::stream out(4096, 1024, h);
          h.parallel_for_work_group(sycl::range<1>(3), sycl::range<1>(8), [=](sycl::group<1> g) {
            out << "group " << g[0] << '\n';
            g.parallel_for_work_item([&](sycl::h_item<1> me) {
              if (me.get_local_id(0) == 7)
                out << "last of " << g[0] << sycl::endl;
            });
          });
        })
        .wait();
  });
  EXPECT(got == "group 0\nlast of 0\ngroup 1\nlast of 1\ngroup 2\nlast of 2\n");
}
