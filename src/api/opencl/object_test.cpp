// Tests which pointers are recognized as handles, and how long a released handle stays
// recognizable.
#include "api/opencl/context.h"
#include "api/opencl/device.h"
#include "api/opencl/object.h"
#include "api/opencl/platform.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

using namespace lockstep::opencl;

namespace {

cl_context make_context() {
  return create_object<_cl_context>(std::vector<Ref<_cl_device_id>>(),
                                    std::vector<cl_context_properties>(), nullptr, nullptr);
}

TEST(Object, RecognizesItsOwnHandlesOnly) {
  cl_context context = make_context();
  EXPECT_TRUE(is_valid(context));
  EXPECT_FALSE(is_valid(reinterpret_cast<cl_platform_id>(context))) << "a handle of another kind";
  EXPECT_FALSE(is_valid(static_cast<cl_context>(nullptr)));
  char *address = reinterpret_cast<char *>(context);
  for (int offset : {-64, -8, -1, 1, 8, 16, 64})
    EXPECT_FALSE(is_valid(reinterpret_cast<cl_context>(address + offset))) << offset;
  // Addresses that must not be dereferenced.
  for (uintptr_t wild :
       {uintptr_t{1}, uintptr_t{0xdead0000}, ~uintptr_t{0}, uintptr_t{0x7fff00000000}})
    EXPECT_FALSE(is_valid(reinterpret_cast<cl_context>(wild)));
  int local = 0;
  EXPECT_FALSE(is_valid(reinterpret_cast<cl_context>(&local)));
  EXPECT_TRUE(release(context));
}

TEST(Object, ReleasedHandlesAreStale) {
  cl_context context = make_context();
  retain(context);
  EXPECT_TRUE(release(context));
  EXPECT_TRUE(is_valid(context));
  EXPECT_TRUE(release(context));
  EXPECT_FALSE(is_valid(context));
  EXPECT_EQ(context->dispatch, &icd_dispatch) << "the loader still finds its way";
}

TEST(Object, SlotsRestBeforeTheyAreReused) {
  cl_context stale = make_context();
  EXPECT_TRUE(release(stale));
  for (int i = 0; i < 200; ++i) {
    cl_context other = make_context();
    EXPECT_NE(other, stale) << i;
    EXPECT_TRUE(release(other));
  }
  EXPECT_FALSE(is_valid(stale));
}

TEST(Object, UsesKeepAnObjectAfterTheLastRelease) {
  cl_context context = make_context();
  {
    Ref use(context);
    EXPECT_TRUE(release(context));
    EXPECT_TRUE(is_valid(context)) << "a context can be queried from objects that use it";
    EXPECT_FALSE(release(context)) << "but the program has no reference to give back";
    retain(context);
  }
  EXPECT_TRUE(is_valid(context)) << "taken back";
  EXPECT_TRUE(release(context));
  EXPECT_FALSE(is_valid(context));
}

TEST(Object, ManyThreadsMakeAndReleaseHandles) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      std::vector<cl_context> mine;
      for (int i = 0; i < 2000; ++i) {
        mine.push_back(make_context());
        if (i % 3) {
          EXPECT_TRUE(is_valid(mine.back()));
          EXPECT_TRUE(release(mine.back()));
          mine.pop_back();
        }
      }
      EXPECT_EQ(std::set<cl_context>(mine.begin(), mine.end()).size(), mine.size());
      for (cl_context context : mine) {
        EXPECT_TRUE(is_valid(context));
        EXPECT_TRUE(release(context));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
