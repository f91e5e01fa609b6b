// Closed memory: pages that the program must not access, and reports of its accesses.
//
// An access causes a memory fault. The fault may have interrupted any code, including the C
// library's allocator, so that the handler is async-signal-safe. It finds the region in a lock-free
// table, and copies registers and stack into one of a few records. Then it opens the page and waits
// briefly for the reporting thread. That thread may need a lock that the faulting thread holds. In
// that case the faulting thread continues without the report.
//
// Which accesses are errors depends on what the program may do at the time. So a caller that
// changes this calls settle() first, which decides all accesses until then. Accesses and changes
// are thus seen in the order in which they happened.
#pragma once

#include "runtime/check/report/findings.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace lockstep::runtime {

struct HostFault;

class ClosedMemory {
public:
  struct HostAccess {
    std::byte *address;
    bool writes;
    const char *what() const { return writes ? "write" : "read"; }
  };
  struct Report {
    Finding finding;  // without the place
    const char *kind; // each place is reported once per kind
  };
  // Memory that is closed, at least in part.
  class Region {
  public:
    // Requires the mutex. Returns nothing if the program may make this access.
    virtual std::optional<Report> report_of(const HostAccess &access) = 0;

  protected:
    ~Region() = default;

  private:
    friend class ClosedMemory;
    int64_t entry_ = -1;      // in the table
    unsigned generation_ = 0; // of the process that added it (platform/linux/fork.h)
  };

  static void start(); // once, before a region is added
  // Guards all regions and the program's rights to them.
  static std::mutex &mutex();

  // of_host_code excludes kernels: they use other memory, so that a kernel that faults here has
  // left its buffer.
  enum class ReportedCode { of_all_code, of_host_code };
  // The following functions require the mutex. `by_key`: closed by protection keys.
  static void add(Region &region, std::byte *begin, std::byte *end, bool by_key,
                  ReportedCode accesses = ReportedCode::of_all_code);
  static void remove(Region &region); // waits for handlers of the region, and settles its accesses
  static void settle();
  static void about_to_change(const Region &region); // of the program's rights there; settles

  // Requires that the caller does not hold the mutex. Writes all reports so far, at the end of the
  // process.
  static void report_all();
};

} // namespace lockstep::runtime
