// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Declares what the headers need from <functional>, <iterator>, <mutex> and <thread>. For libstdc++
// it includes the internal headers of these parts. The complete headers include containers, streams
// and clocks, which would cost each source 0.1 s in each of the two compilations.
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
