// Pages that the program should not touch, and reports of its touches.
//
// A touch is a memory fault. The handler of the fault may have interrupted any code, the C library's allocator included, so it
// is async-signal-safe: it finds the region in a table that is read without locks, copies registers and stack into one of a
// few records, opens the page, and waits a moment for the thread that writes reports. That thread may need a lock which the
// touching thread holds; hence the wait is short, and the touching thread goes on without the report then.
//
// What a touch means depends on what the program may do at that time. So whoever changes that, says what the touches until
// then were (settle) before the change: touches and changes are seen in the order in which they happened.
#pragma once

#include "runtime/check/findings.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace lockstep::runtime {

struct HostFault;

class ClosedMemory {
public:
  struct Touch {
    std::byte *address;
    bool writes;
    const char *what() const { return writes ? "write" : "read"; }
  };
  struct Report {
    Finding finding;  // without the place
    const char *kind; // each place is reported once for each kind
  };
  // Memory that is closed, all of it or in part.
  class Region {
  public:
    // With the mutex. Nothing: the program may do that.
    virtual std::optional<Report> report_of(const Touch &touch) = 0;

  protected:
    ~Region() = default;

  private:
    friend class ClosedMemory;
    int64_t entry_ = -1;      // in the table
    unsigned generation_ = 0; // of the process that added it (support/fork.h)
  };

  static void start(); // once, before a region is added
  // Guards all regions, and what the program may do with them.
  static std::mutex &mutex();

  // Of host code: kernels have other memory, so one that faults there has left its buffer.
  enum class Touches { of_all_code, of_host_code };
  // The rest with the mutex. `by_key`: closed by protection keys.
  static void add(Region &region, std::byte *begin, std::byte *end, bool by_key,
                  Touches touches = Touches::of_all_code);
  static void remove(Region &region); // no handler uses it any more, and its touches are settled
  static void settle();
  static void about_to_change(const Region &region); // what the program may do there; settles

  // Without it: writes the reports of all touches so far, at the end of the process.
  static void report_all();
};

} // namespace lockstep::runtime
