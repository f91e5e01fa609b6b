// The state of the printer. Expressions are in print_expression.cpp, structures and pointers in
// print_structure.cpp, the rest in print.cpp.
#pragma once

#include "builtins.h"
#include "program.h"

#include <map>
#include <set>

namespace lockstep::fuzz {

std::string number(uint64_t v);
std::string literal(const Value &v);
// `style` chooses among the spellings of these lanes of a vector with `of` lanes.
std::string swizzle(const std::vector<uint8_t> &lanes, unsigned of, int style);

// The names of the array's pipes, separated by commas.
std::string pipe_names(const Program &program, const Array &array);
std::string pipe_parameters(const Program &program, const Array &array);

class Printer {
public:
  explicit Printer(const Program &program) : program_(program) {}
  std::string text();

private:
  std::string expression(const Expr &e);
  std::string plain(const Expr &e);
  bool said(const std::string &text, unsigned percent) const;
  std::string function_specifiers(const Function &f) const;
  std::string condition(const Expr &e);
  std::string step(const std::string &variable, const Expr &next);
  std::string compound(const std::string &variable, const Stmt &s);
  std::string divisor(Type type, const std::string &x);
  std::string operation(const Expr &e);
  std::string infix(Op op, Type type, const std::string &a, const std::string &b);
  std::string conversion(const Expr &e);
  std::string cleaned(Type type, const std::string &x);
  std::string query(const Expr &e);
  std::string builtin(const Expr &e);
  std::string rounded_conversion(const Expr &e);
  std::string view_pointer(const View &view);
  std::string view_place(const View &view, uint8_t lanes, const std::string &index);
  std::string view_load(const Expr &e);
  std::string count(const Array &array, const std::string &place, const std::string &operand,
                    const Ordering &ordering);
  std::string exchange_1(const Stmt &s, const std::string &place, const std::string &x);
  std::string bits_of(Type type, const std::string &x);
  std::string guarded(Guard guard, Type type, const std::string &x);
  std::string element(int array, bool own, const std::string &index);
  std::string element_within(int array, bool own, const Expr &index);
  std::string private_element(int array, const std::string &index);
  std::string lane_of(int variable, const std::string &index);
  std::string call(int function, const std::vector<ExprPtr> &arguments, int private_array);
  std::string atomic(const Stmt &s);

  // print_structure.cpp
  std::string place(const Expr &e);
  std::string root(const Expr &e, size_t &next, int &structure);
  std::string read_place(const Expr &e);
  std::string structure(const Expr &e);
  std::string address(const Expr &e);
  std::string compare_pointers(const Expr &e);
  std::string pointer_declaration(const Pointer &p) const;
  std::string initializer(const DataType &data, const uint8_t *bytes) const;
  std::string member(const Member &m, size_t number) const;
  std::string structure_types() const;
  std::string layout_checks() const;
  std::string program_variable(const Array &array) const;
  void structure_statement(const Stmt &s, int depth);
  void nest(const Stmt &s, int depth);

  void block(const Block &block, int depth);
  void statement(const Stmt &s, int depth);
  void simple_statement(const Stmt &s, int depth);
  bool memory_statement(const Stmt &s, int depth);
  void view_store(const Stmt &s, int depth);
  void exchange(const Stmt &s, int depth);
  void compare_exchange(const Stmt &s, const std::string &place, const std::string &x, int depth);
  void ticket(const Stmt &s, int depth);
  void pipe_ticket(const Stmt &s, const std::string &change, int depth);
  std::string pipe_prelude() const;
  void two_results(const Stmt &s, int depth);
  void fence(const Stmt &s, int depth);
  void copy_back(const Stmt &s, int depth);
  void text_statement(const Stmt &s, int depth);
  void loop(const Stmt &s, int depth);
  void tangle(const Stmt &s, int depth);
  std::string counts_on(const Stmt &s);
  void go_to(const Stmt &s, int depth);
  void choice(const Stmt &s, int depth);
  void async_copy(const Stmt &s, int depth);
  void line(int depth, const std::string &text) {
    body_ += std::string(2 * depth, ' ') + text + "\n";
  }

  std::string array_parameter(const Array &array) const;
  std::string element_name(const Array &array) const;
  bool passed_to(const Array &array, const Function &f) const;
  void function(const Function &f);
  std::string prelude() const;
  std::string swap_function(const Array &array) const;

  const Program &program_;
  const Function *function_ = nullptr;
  std::set<std::pair<Elem, uint8_t>> cleaned_;
  std::set<const Function *> called_;
  std::map<std::string, std::string> helpers_; // functions that expressions call, by name
  std::set<int> swaps_;                        // counters that change by compare-and-swap
  std::string body_;
};

} // namespace lockstep::fuzz
