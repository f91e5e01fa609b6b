// The state of the generator.
//
// Expressions are made in generate_expression.cpp. Statements are made in generate_statement.cpp,
// generate_flow.cpp, generate_jumps.cpp, generate_maze.cpp and generate_bounded.cpp. Structures are
// made in generate_structures.cpp, generate_places.cpp and generate_pointers.cpp, and whole
// programs in generate.cpp.
//
// Two invariants keep every program legal.
//
// Uniformity: a variable marked `uniform` has the same value in all work-items of a group whenever
// it is read. It is only assigned expressions over uniform values, and only in uniform flow
// (Flow::uniform), which all items of the group execute together. Barriers, and calls of functions
// with barriers, occur in uniform flow only.
//
// Phases: each array that work-items share is in one of two phases (program.h): either each item
// uses its own slots, or all items only read. Only a barrier changes phases, with the fence flag of
// that array's memory. Control flow joins only with equal phases: branches and loop bodies that
// change phases end with a barrier that restores the initial ones.
#pragma once

#include "generate.h"
#include "random.h"

namespace lockstep::fuzz {

struct Flow {
  bool uniform = true;     // all items of the group execute this together
  bool barriers = true;    // and may execute a barrier
  bool may_return = false; // a single item may leave the function
  enum class Loop {
    none,
    uniform,
    divergent
  } loop = Loop::none;    // what break and continue would leave here
  bool in_switch = false; // break would leave the switch
  bool tangled = false;   // in a loop with two entries, whose convergence points are unknown
  int depth = 0;
  double weight = 1; // estimated executions per call of the function
  std::vector<Phase> loop_phases;
  int exit = -1; // of the innermost nest: a possible target of gotos
  bool exit_uniform = false;
  std::vector<Phase> exit_phases;
  bool may_jump() const { return exit >= 0 && (uniform || !exit_uniform); }
};

// Limits of an expression.
struct Use {
  int depth = 3;        // of the tree
  bool uniform = false; // only values that are the same in all items of the group
  bool shared = true;   // may read memory that work-items share
  Use deeper() const { return {depth - 1, uniform, shared}; }
};

// The path to a part of an object in memory, and its type.
struct Way {
  Root root = Root::object;
  int ref = -1;
  bool own = false; // as in a load
  std::vector<uint8_t> members{};
  DataType data{};
  uint32_t count = 0; // of the array that this is an element of, if any
  bool pun = false;
  bool addressable = true; // naturally aligned, and not in a union
  bool read_only = false;
  AddressSpace space = AddressSpace::in_private;
  std::vector<Target> targets{};
};

// Returns the expression itself if it already has the type.
ExprPtr convert_to(Type type, ExprPtr e);

class Generator {
public:
  Generator(uint64_t seed, const Capabilities &capabilities)
      : random_(seed), later_(seed ^ 0x51f0a7d3), can_(capabilities) {
    program_.seed = seed;
  }
  Program run();

private:
  // generate.cpp
  void choose_launch();
  void choose_types();
  void choose_sub_groups();
  void make_arrays();
  void add_array(Space space, Type type, uint32_t slots);
  void fill(Array &array);
  void kernel();
  void kernel_prologue(Block &block);
  void kernel_epilogue(Block &block);
  Value random_value(Type type);
  Type memory_type();
  Type any_type() { return random_.pick(types_); }
  Type scalar_type();

  // generate_function.cpp
  void begin_function(const std::string &name);
  void add_private_array();
  void pure_function();
  void finish_pure_function();
  void give_back(Block &out, Use use);
  void group_function();

  // generate_expression.cpp
  ExprPtr expression(Type type, Use use);
  ExprPtr leaf(Type type, Use use);
  ExprPtr operation(Type type, Use use);
  ExprPtr operation_with(Op op, Type operand, Type result, Use use);
  ExprPtr comparison(Type type, Use use);
  ExprPtr reinterpretation(Type type, Use use);
  ExprPtr composition(Type type, Use use);
  ExprPtr function_call(Type type, Use use);
  ExprPtr array_load(Type type, Use use);
  ExprPtr vector_load(Type type, Use use);
  std::vector<int> readable_vectors(Elem elem, bool uniform) const;
  ExprPtr query(Use use);
  ExprPtr truth(Use use);
  ExprPtr index(Use use) {
    if (rows_) // so that lanes load adjacent elements, or the same one
      return expression(type_uint, {std::min(use.depth, 1), true, use.shared});
    return expression(type_uint, {std::min(use.depth, 2), use.uniform, use.shared});
  }
  bool may_read(const Array &array, size_t number, Use use) const;
  ExprPtr cleaned(ExprPtr e);
  // A value that may be stored: a float in a variable or in memory is never NaN, infinite or large.
  ExprPtr value(Type type, Use use) { return cleaned(expression(type, use)); }

  // generate_estimate.cpp
  void make_estimates();
  void grow(Stmt &s, Type type, int depth, Use use);
  void estimate(Block &out, const Flow &flow);

  // generate_builtin.cpp
  ExprPtr builtin(Type type, Use use);
  ExprPtr exact(ExprPtr x);
  void choose_options();
  ExprPtr shuffle(Type type, Use use);
  ExprPtr rounded_conversion(Type type, Use use);
  ExprPtr vector_literal(Type type, Use use);
  std::vector<uint8_t> some_lanes(uint8_t of, uint8_t count);
  std::vector<uint8_t> different_lanes(uint8_t of);

  // generate_view.cpp
  uint32_t reach(const View &view) const;
  bool can_align(const View &view, uint32_t step) const;
  std::vector<View> views(Elem elem, bool half, bool store, Use use) const;
  std::optional<View> some_view(std::vector<View> candidates, uint8_t lanes, bool half);
  ExprPtr view_load(Type type, Use use);
  void view_store(Block &out, const Flow &flow);
  Ordering ordering(bool loads, bool stores);
  void exchange(Block &out, const Flow &flow);
  int some_counter();
  ExprPtr closed(Type type, int variable);
  void ticket(Block &out, const Flow &flow);
  void make_pipes();
  PipeWay pipe_way(const Flow &flow);
  void flag(Block &out, const Flow &flow);
  void two_results(Block &out, const Flow &flow);
  void fence(Block &out);
  void copy_back(Block &out);
  void text(Block &out, const Flow &flow);
  void memory_statement(Block &out, const Flow &flow);

  // generate_rows.cpp
  void choose_rows();
  bool may_ask(Query query, Use use) const;
  ExprPtr product(int input, int counter, uint32_t rounds);
  void product_loop(Block &out, const Flow &flow);

  // generate_own_rows.cpp
  void make_own_rows();
  void add_row_arguments();
  uint32_t row_shift();
  ExprPtr own_row_index(int counter);
  ExprPtr own_row_load(int counter);
  void own_row_loop(Block &out, const Flow &flow);

  // generate_bounded.cpp
  ExprPtr id_of_item(Type type);
  ExprPtr bound_of_items(Type type);
  void bounded_part(Block &out, const Flow &flow);
  void strided_loop(Block &out, const Flow &outer);

  // generate_flow.cpp
  void branch(Block &out, const Flow &flow);
  Block loop_body(Flow flow, bool uniform, double rounds);
  void loop(Block &out, const Flow &flow);
  void for_loop(Block &out, const Flow &outer, bool uniform);
  void while_loop(Block &out, const Flow &outer, bool uniform);
  void tangle(Block &out, const Flow &flow);
  void choice(Block &out, const Flow &flow);
  void leave_loop(Block &out, const Flow &flow);
  void leave_function(Block &out, const Flow &flow);

  // generate_structures.cpp
  void choose_structures();
  Elem any_elem();
  Type member_type();
  DataType member_data(size_t room);
  void fill_union(Structure &u, size_t size);
  void add_bit_fields(Structure &s);
  void add_structure();
  void fill_structure(int structure, uint8_t *memory);
  void add_structure_array(Space space, uint32_t slots);
  void add_variable();
  void make_structure_arrays();
  int any_structure();
  int new_object(DataType data);
  void structure_parameters();
  void kernel_structures();
  std::vector<ExprPtr> leaves_of(Root root, int ref, const DataType &data, bool own,
                                 uint32_t index);

  // generate_places.cpp
  bool may_access(const Target &target, Use use, bool write) const;
  void add_parts(Way way, std::vector<Way> &out) const;
  void add_element_ways(Use use, bool write, bool plain, std::vector<Way> &out) const;
  std::vector<Way> ways(Use use, bool write, bool plain) const;
  ExprPtr small_index(Use use);
  ExprPtr place(const Way &way, Use use);
  ExprPtr adapted(Type type, ExprPtr e);
  ExprPtr member_of_result(Type type, Use use);
  ExprPtr place_value(Type type, Use use);
  void random_leaves(const DataType &data, const Path &path, std::vector<Leaf> &out);
  ExprPtr new_structure(int structure, Use use);
  ExprPtr structure_call(int structure, Use use);
  ExprPtr call_of(int function, Use use);
  ExprPtr structure_value(int structure, Use use);
  void declare_object(Block &out, const Flow &flow);
  void copy_structure(Block &out, const Flow &flow);
  void set_member(Block &out, const Flow &flow);
  void structure_statement(Block &out, const Flow &flow);

  // generate_pointers.cpp
  std::vector<Way> addressable(Use use, bool write) const;
  ExprPtr pointer_to(const Way &way, AddressSpace space, bool read_only, Use use);
  static void add_targets(Pointer &pointer, const Way &way);
  int new_pointer(Pointer pointer);
  StmtPtr pointer_to_first(Pointer &pointer, const Way &way, Use use);
  void declare_pointer(Block &out, const Flow &flow);
  void aim(Block &out, const Flow &flow);
  ExprPtr pointer_number(Type type, Use use);
  AddressSpace parameter_space(bool read_only);
  void pointer_parameter(AddressSpace space, bool read_only);
  bool pass_structures(const Function &f, Use use, std::vector<ExprPtr> &arguments);
  void changing_function();
  void call_changing(Block &out, const Flow &flow);
  void take_result(Block &out, const Function &f, Stmt &call);

  // generate_jumps.cpp
  void nest(Block &out, const Flow &flow);
  void jump(Block &out, const Flow &flow);
  void again(Block &out, const Flow &flow);

  // generate_maze.cpp
  struct Maze {
    Flow flow;
    std::vector<Phase> phases; // at each label
    std::vector<int> labels{};
    int jumps = -1; // the variable that counts jumps
    uint32_t limit = 0;
    bool breaks = false, continues = false; // whether to leave the enclosing construct so
  };
  std::vector<int> some_labels(const std::vector<int> &of);
  StmtPtr go_to(const Maze &maze, std::vector<int> labels, bool counts, bool uniform,
                bool choice_uniform);
  StmtPtr part(const Maze &maze, int label, const Flow &flow);
  void enclosed_parts(Block &out, const Maze &maze, size_t first, size_t last, int depth);
  void parts(Block &out, const Maze &maze, size_t first, size_t last, int depth);
  void meetings(Block &out, const Maze &maze);
  void maze(Block &out, const Flow &flow);

  // generate_statement.cpp
  Block block(Flow flow, int statements);
  void hide_private_arrays(size_t first);
  void hide_objects(size_t first_object, size_t first_pointer);
  void statement(Block &out, Flow &flow);
  void declare(Block &out, const Flow &flow);
  void assign(Block &out, const Flow &flow);
  void assign_lane(Block &out, const Flow &flow);
  void point(Block &out, const Flow &flow);
  void store(Block &out, const Flow &flow);
  void atomic(Block &out, const Flow &flow);
  void barrier(Block &out, std::vector<Phase> next);
  void random_barrier(Block &out);
  void restore(Block &out, const std::vector<Phase> &phases);
  void call_group_function(Block &out, const Flow &flow);
  void async_copy(Block &out);
  void tree_reduction(Block &out);
  void together(Block &out, const Flow &flow, bool of_group);
  Use use(const Flow &flow, bool uniform) const {
    return {int(random_.between(1, 3)), uniform && flow.uniform};
  }

  int new_variable(Type type, bool uniform, bool constant);
  int declare_as(Block &out, Type type, bool uniform, bool constant, ExprPtr initial);
  ExprPtr read(int variable) const;

  mutable Random random_;
  Random later_; // for later additions: generate_estimate.cpp
  Capabilities can_;
  Program program_;
  Function function_; // the function being generated
  bool in_kernel_ = false;
  std::vector<int> visible_;  // variables in scope
  std::vector<Phase> phases_; // of program_.arrays, at this point
  std::vector<Type> types_;   // that this program uses
  bool large_ = false;        // more and deeper statements
  // rows_: control flow is the same in all rows of the launch, and loops share their loads, so that
  // a compiler may run several rows of a group, or several groups of a row, at once. alike_: rows
  // differ only in the values of product loops, so they can share local memory too.
  bool rows_ = false, alike_ = false;
  int own_rows_ = -1;               // array of rows, one for each work-item; -1: none
  int row_rounds_ = -1;             // variable: the number of iterations of loops along them
  std::array<int, 3> row_shifts_{}; // variables: distances in elements from the counter
  bool half_ = false;               // the program has arrays of 16 bits, for halves
  uint32_t tickets_ = 0;            // slots that statements have taken
  bool structures_ = false;         // the program has structures and pointers
  bool estimates_ = false;          // the program has an array for estimates
  bool jumps_ = false;              // the program has nests and loops made with goto
  bool mazes_ = false;              // the program has gotos of all kinds
  uint32_t mazes_left_ = 0;         // in function_: large mazes take long to compile
  int labels_ = 0;
  static constexpr uint32_t product_slots = 1024; // of the inputs of product loops
  double cost_ = 0, cost_limit_ = 0;              // of function_, in statements per item
};

// Small makers of tree nodes.
ExprPtr make_expr(ExprKind kind, Type type);
ExprPtr make_literal(Type type, uint32_t number);
ExprPtr make_operation(Op op, ExprPtr a, ExprPtr b = nullptr, ExprPtr c = nullptr);
ExprPtr make_query(Query query, Type type = type_uint);
ExprPtr make_load(int array, Type type, bool own, ExprPtr index);
StmtPtr make_stmt(StmtKind kind, int ref = -1);
StmtPtr make_store(int array, bool own, ExprPtr index, ExprPtr value);
StmtPtr make_copy(ExprPtr to, ExprPtr what);

} // namespace lockstep::fuzz
