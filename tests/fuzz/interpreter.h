// The state of the reference interpreter, and the operations of one work-item.
//
// interpret.cpp runs groups from barrier to barrier. interpret_item.cpp computes values, accesses
// memory and finds races. interpret_memory.cpp handles structures and pointers, byte by byte.
#pragma once

#include "interpret.h"
#include "linear_code.h"

#include <array>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

namespace lockstep::fuzz {

struct Illegal : std::runtime_error {
  using runtime_error::runtime_error;
};

using PrivateStorage = std::vector<Value>;
using Bytes = std::vector<uint8_t>;

// The address of something in memory, with the element of a shared array that contains it. Reads
// and writes are checked for races; taking the address is not.
struct Address {
  uint8_t *at = nullptr;
  int array = -1; // private memory
  uint32_t element = 0;
  unsigned bit_offset = 0, bit_width = 0; // for a bit-field
};

// The result of a function.
struct Result {
  Value value;
  Bytes bytes;
};

struct Frame {
  int function;
  int place = 0;
  std::map<int, int> rounds; // of the loop that begins at a step
  int result_variable = -1;  // in the caller
  int result_object = -1;
  std::vector<Value> variables;
  std::vector<PrivateStorage> own_arrays;
  std::vector<PrivateStorage *> arrays; // own arrays, or the caller's for parameters
  std::vector<Bytes> objects;
  std::vector<std::vector<Address>> pointers;
};

struct Item {
  uint32_t local[3], number; // number: within the group
  std::vector<std::unique_ptr<Frame>> frames;
  const Stmt *waits_at = nullptr;
  bool done = false;
};

struct Group {
  std::array<uint32_t, 3> id, size; // size: of this group
  uint32_t linear, count;
};

// The accesses to one element since the last barrier. Times are numbers of barriers.
struct Trace {
  static constexpr int nobody = -1, several = -2;
  uint32_t time = 0;
  int writer = nobody, reader = nobody, atomic = nobody;
};

class Interpreter {
public:
  Interpreter(const Program &program, NanSign nan_sign);
  std::vector<std::vector<uint8_t>> run();
  std::vector<std::string> lines() { return std::move(lines_); }
  std::vector<std::vector<double>> errors() { return std::move(errors_); }

private:
  void run_group(std::array<uint32_t, 3> id);
  void start(Item &item);
  void run_item(Item &item);
  void release(std::vector<Item> &items);
  bool release_sub_groups(std::vector<Item> &items);
  std::vector<int> moment(const Item &item) const;
  void compute_together(std::vector<Item *> &items);
  void async_copy(std::vector<Item> &items, const Stmt &s);
  void step_call(Item &item, const Stmt &s);
  void give_back(Item &item, const Result &result);
  void simple(Item &item, Frame &frame, const Stmt &s);
  bool memory_statement(Item &item, Frame &frame, const Stmt &s);
  uint32_t first_element(const Item &item, const Frame &frame, const View &view, uint8_t lanes,
                         uint32_t index) const;
  uint32_t lanes_of(const Frame &frame, const View &view) const;
  Value view_load(Item &item, Frame &frame, const Expr &e);
  void view_store(Item &item, Frame &frame, const Stmt &s);
  void exchange(Item &item, Frame &frame, const Stmt &s);
  void ticket(Item &item, Frame &frame, const Stmt &s);
  bool draw_packet(Frame &frame, const Stmt &s);
  void write_packet(uint32_t number);
  void two_results(Item &item, Frame &frame, const Stmt &s);
  void copy_back(const Stmt &s);
  void estimate(Item &item, Frame &frame, const Stmt &s);
  void print_text(Item &item, Frame &frame, const Stmt &s);
  void assign(Frame &frame, const Stmt &s, const Value &v);
  std::unique_ptr<Frame> frame_for(int function);

  Value evaluate_expr(Item &item, Frame &frame, const Expr &e);
  Value value_of(Item &item, Frame &frame, const Expr &e); // a NaN has any sign
  Value builtin(Item &item, Frame &frame, const Expr &e);
  Result call(Item &item, Frame &frame, const Expr &e);
  void pass_arguments(Item &item, Frame &caller, const std::vector<ExprPtr> &arguments,
                      Frame &called);
  uint64_t query(const Item &item, Query q, uint32_t dimension) const;
  uint32_t index(Item &item, Frame &frame, const Expr &e) {
    return uint32_t(evaluate_expr(item, frame, e).lane[0]);
  }
  bool truth(Item &item, Frame &frame, const Expr &e) {
    return evaluate_expr(item, frame, e).lane[0] != 0;
  }

  // As declared; a pointer may point to an array with more slots.
  uint32_t slots_of(const Frame &frame, int array) const {
    return program_.functions[frame.function].private_arrays[array].slots;
  }

  enum class Access { read, write, atomic };
  uint8_t *element(const Item &item, int array, bool own, uint32_t index, Access access);
  uint8_t *scalar(const Item &item, const View &view, uint32_t element, Access access);
  uint32_t element_number(const Item &item, int array, bool own, uint32_t index) const;
  void check(const Item &item, int array, uint32_t element, Access access);

  // interpret_memory.cpp
  void structure_statement(Item &item, Frame &frame, const Stmt &s);
  Bytes evaluate_structure(Item &item, Frame &frame, const Expr &e);
  Bytes new_structure(Item &item, Frame &frame, const Expr &e);
  Value read_place(Item &item, Frame &frame, const Expr &e);
  Value compare_pointers(Item &item, Frame &frame, const Expr &e);
  Address evaluate_pointer(Item &item, Frame &frame, const Expr &e);
  Address locate(Item &item, Frame &frame, const Expr &e, Bytes &temporary);
  Address root_of(Item &item, Frame &frame, const Expr &e, size_t &next, DataType &data,
                  Bytes &temporary);
  void check(const Item &item, const Address &address, Access access) {
    if (address.array >= 0 && !traces_[address.array].empty())
      check(item, address.array, address.element, access);
  }

  const Program &program_;
  const NanSign nan_sign_;
  std::vector<std::vector<Step>> code_;
  std::vector<std::map<int, int>> loop_ends_; // local arrays are refilled for each group
  std::vector<std::vector<uint8_t>> memory_; // also local arrays, which are refilled for each group
  std::vector<std::vector<Trace>> traces_;
  Group group_{};
  uint32_t local_time_ = 1, global_time_ = 1;
  uint64_t steps_ = 0;
  std::set<int> flags_set_;
  uint32_t packets_written_ = 0;
  std::set<uint32_t> item_flags_; // items whose flag is set
  std::vector<std::vector<double>> errors_;
  std::vector<std::string> lines_;
};

} // namespace lockstep::fuzz
