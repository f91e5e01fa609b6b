// What SYCL's headers need of <functional>, <iterator>, <mutex> and <thread>. Of GCC's library these parts by themselves: the whole
// brings containers, streams and clocks, which would cost every source a tenth of a second on each side.
#pragma once

#include <cstddef>
#if defined(__GLIBCXX__) && __has_include(<bits/std_mutex.h>) && __has_include(<bits/std_function.h>)
#include <bits/functional_hash.h>
#include <bits/range_access.h>
#include <bits/refwrap.h>
#include <bits/std_function.h>
#include <bits/std_mutex.h>
#include <bits/stl_algobase.h>
#include <bits/stl_function.h>
#include <bits/stl_iterator.h>
#include <sys/sysinfo.h>
#else
#include <functional>
#include <iterator>
#include <mutex>
#include <thread>
#endif

namespace sycl::detail {

inline unsigned count_of_processors() {
#ifdef _SYS_SYSINFO_H
  return unsigned(::get_nprocs());
#else
  return std::thread::hardware_concurrency();
#endif
}

} // namespace sycl::detail
