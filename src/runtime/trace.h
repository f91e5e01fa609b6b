// A listener that writes what happens as a timeline, in the format of Chrome's traces (an array of JSON objects), which
// chrome://tracing and ui.perfetto.dev show.
//
// Each queue is a row, or several where its commands overlap; a command is a bar in it from its begin to its end, with its
// number, the numbers of those it comes after, when it was made and when it got ready, and the bytes that it accesses. An
// arrow leads from each command to those that come after it. Work-groups, if wanted, are bars in rows of the threads that
// ran them.
//
// The file is written in blocks, and whenever a thread of the program has waited for a command; a process that ends at once
// leaves an array without its end, which viewers accept.
#pragma once

#include "runtime/events.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lockstep::runtime {

class Trace final : public Listener {
public:
  // "%p" in the name is the number of the process. Tells on stderr if the file cannot be written.
  Trace(const std::string &file, bool with_groups);
  ~Trace() override; // when nothing runs
  Trace(const Trace &) = delete;
  Trace &operator=(const Trace &) = delete;

  // Completes the file; what happens later is not in it.
  void close();

  void command_made(const Command &) override;
  void command_enqueued(const Command &, const CommandQueue &) override;
  void edge_added(const Command &before, const Command &after, EdgeKind) override;
  void command_ready(const Command &) override;
  void command_begun(const Command &) override;
  void command_ended(const Command &, Status) override;
  void command_gone(const Command &) override;
  void command_awaited(const Command &) override;
  void groups_begun(const Launch &, const Size &id, const Size &count) override;
  void groups_ended(const Launch &, const Size &id, const Size &count) override;

private:
  struct Node; // a command
  struct Row {
    unsigned number;
    bool is_taken = false;
  };
  struct Run { // of work-groups
    uint64_t begun, serial;
    int thread;
  };

  std::shared_ptr<Node> node_of(const Command &command);
  void begin(Node &node, uint64_t time);
  Row &take_row(const CommandQueue *queue);
  void add_arrows(Node &node);
  void name_row(int process, int row, const std::string &name);
  void add_thread(int thread);
  void add(std::string_view event);
  void write();

  const bool with_groups_;
  const int process_;
  const uint64_t start_;
  std::mutex mutex_;
  int file_ = -1;
  bool is_empty_ = true;
  std::string text_; // not written yet
  std::unordered_map<const Command *, std::shared_ptr<Node>> nodes_;
  std::map<const CommandQueue *, std::pair<unsigned, std::vector<std::unique_ptr<Row>>>> queues_;
  std::map<std::tuple<const Launch *, Size>, Run> runs_;
  std::map<int, uint64_t> threads_; // serial of the last groups that each began
  uint64_t commands_ = 0, arrows_ = 0, serial_ = 0;
  unsigned rows_ = 0;
};

// LOCKSTEP_TRACE and LOCKSTEP_TRACE_GROUPS (docs/environment.md).
void start_trace_if_wanted();

} // namespace lockstep::runtime
