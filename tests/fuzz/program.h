// The abstract syntax of a generated kernel. generate_*.cpp makes it, print.cpp prints it as OpenCL
// C, and interpreter.h executes it. Expressions are typed and have no effects; everything that
// changes state or waits is a statement.
#pragma once

#include "estimate.h"
#include "operations.h"
#include "structure.h"
#include "together.h"
#include "value.h"
#include "view.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::fuzz {

// ---- memory

enum class Space {
  input,          // global, read only
  output,         // global; each work-item has `slots` elements of its own
  local,          // local memory, `slots` elements for each work-item of the group; see Phase
  scratch,        // the same in global memory, one part for each work-group
  local_counter,  // `slots` counters in local memory; only atomics of one kind, order-independent;
                  // see Phase
  global_counter, // the same in global memory, never read by the kernel
  table,          // program-scope constant, or global memory with initial values that never change
  tickets,        // `slots` counters in global memory, one for each statement that draws from it
  variable,       // program-scope global memory; each work-item has `slots` elements of its own
  estimate,       // like output, but each element is right within an error and never read
  packets,        // packets written into a pipe, in any order; see Pipes
};

// What work-items may do with a shared array between two barriers. Only a barrier can change it.
enum class Phase : uint8_t {
  own,    // each work-item its own slots; counters: atomics
  shared, // all items may read everything, none writes
};

struct Array {
  Space space;
  Type type;               // without lanes: `structure` is the type of the elements
  uint32_t slots;          // per work-item for output, local, scratch; otherwise in total
  bool long_index = false; // `within` is added to a number of type size_t
  bool strided = false;    // slot k of item i is at k * items + i, else at i * slots + k
  bool argument = false;   // local memory: a kernel argument, otherwise declared in the kernel
  AtomicOp atomic{};       // of counters
  std::string name{};
  std::vector<uint64_t> initial{}; // table: lanes of all elements; input: filled from the seed
  int structure = -1;
  std::vector<uint8_t> bytes{}; // in place of `initial`, for structures and program-scope variables
  bool in_global = false;       // a table in global memory
  DataType data() const { return {type, structure, 0}; }
};

inline bool has_phase(Space s) {
  return s == Space::local || s == Space::scratch || s == Space::local_counter;
}
inline bool is_local(Space s) {
  return s == Space::local || s == Space::local_counter;
}
// Every function can access these by name.
inline bool is_program_scope(Space s) {
  return s == Space::table || s == Space::variable;
}
// Each item of the launch has elements of its own.
inline bool is_of_launch(Space s) {
  return s == Space::output || s == Space::variable || s == Space::estimate;
}

// The address space of a pointer's target.
enum class AddressSpace : uint8_t { in_private, in_local, in_global, in_constant, generic };

// The root of a location: an object or a pointer of the function, an element of an array of the
// program, or the result of a function.
enum class Root : uint8_t { object, pointer, element, result };

// ---- expressions

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

enum class ExprKind {
  literal,
  variable, // ref: variable of the function
  load, // ref: array; args[0]: index (uint), taken modulo the extent; own: of the item's own slots
  private_load, // ref: private array of the function
  vector_load,  // vloadn; ref: input array of scalars; args[0]: index, modulo the number of whole
                // vectors
  lane,         // one component of a vector variable, by a computed index: ref: variable; args[0]
  query,        // op: Query; args[0], if any: dimension
  operation,    // op: Op (operations.h)
  condition,    // args: scalar ? a : b; only one is evaluated
  convert,      // to `type`
  reinterpret,  // as_type; floats are cleaned before and after
  make,         // vector from scalars and vectors, or one scalar for all lanes
  swizzle,      // args[0], lanes; op: spelling
  call,         // ref: function without group operations; args: values, structures, pointers
  builtin,      // op: number in builtins(); base
  convert_rounded, // to `type`; op: Rounding; saturate
  view_load,       // view; args[0]: number of the vector, modulo how many there are
  // Structures and pointers. `place`, `structure`, `call` and `condition` may have a structure as
  // their type. The type of `address` and `pointer` is that of their target.
  place,      // the value at a location; as expr[0] of some statements the location itself
  structure,  // a new structure: args are the leaves that `paths` lead to, the rest is 0
  address,    // args[0]: a location
  pointer,    // ref: pointer of the function; args[0], if it is an array of them: index
  difference, // between two pointers in one array: args; in elements
  same,       // args: two pointers; op: 0 for ==, 1 for !=, 2 for <, 3 for <=
};

// Lanes of a vector with 2 * `count` lanes, as .lo, .hi, .even, .odd.
enum class Half : uint8_t { lo, hi, even, odd };
std::vector<uint8_t> half_lanes(Half half, uint8_t count);

enum class Query : uint8_t {
  global_id,
  local_id,
  group_id,
  local_size,
  global_size,
  num_groups,
  global_offset,
  enqueued_local_size, // by dimension
  work_dim,
  global_linear,
  local_linear,
  group_linear,
  local_count,
};
inline bool by_dimension(Query q) {
  return q <= Query::enqueued_local_size;
}
inline bool is_uniform(Query q) {
  return q != Query::global_id && q != Query::local_id && q != Query::global_linear &&
         q != Query::local_linear;
}

struct Expr {
  ExprKind kind;
  Type type;
  int op = 0;
  int ref = -1;
  bool own = false;
  // Load of an input or of own slots: the index is below the extent and is printed without a
  // modulo.
  bool within = false;
  // The index is a sum whose first term is printed with the array, like a pointer to a row.
  bool from_row = false;
  bool cut = false;      // the reducer put 1 here
  bool saturate = false; // convert_rounded
  Type base{};           // the base type of a builtin
  View view;
  std::vector<ExprPtr> args;
  std::vector<uint8_t> lanes;
  Value literal;
  // A location: args are its indices in the order of the path, beginning with the root's.
  int structure = -1;       // its type, if not a value
  bool fixed = false;       // the reducer may not cut it
  bool pun = false;         // within a union: a float may have any bits
  Root root = Root::object; // of `ref`
  std::vector<uint8_t> members;
  int component = -1; // of a vector
  std::vector<Path> paths;
  bool is_structure() const { return structure >= 0; }
  bool is_pointer() const { return kind == ExprKind::address || kind == ExprKind::pointer; }
};

// ---- statements

struct Stmt;
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

enum class StmtKind {
  declare,     // ref: variable; expr[0]: initial value
  assign,      // ref: variable; expr[0]; lanes: only these components
  assign_lane, // ref: vector variable; expr[0]: index of the component, expr[1]: value
  point,       // ref: private array that is a pointer: to targets[0] if expr[0], else to targets[1]
  store,       // ref: array; expr[0]: index, expr[1]: value; own as in a load
  private_store, // ref: private array; expr[0]: index, expr[1]: value
  atomic,        // ref: counter; expr[0]: index, expr[1]: operand
  branch,        // expr[0]; blocks[0], blocks[1] (may be empty)
  for_loop,      // ref: variable; expr[0] initial, expr[1] condition, expr[2] next value; blocks[0]
  while_loop,    // ref: iteration counter (uint); expr[0]: limit, expr[1]: condition; blocks[0]
  do_loop,       // the same
  tangle, // loop with two entries (goto): ref: iteration counter; expr[0]: limit, expr[1]: enter at
          // the second block?, expr[2]: repeat?; blocks[0], blocks[1]
  choice, // switch: expr[0]; blocks[i] is case i; falls[i]; the last one is the default
  leave,  // break
  next,   // continue
  give_back,  // return; expr[0] in a function with a result
  barrier,    // flags
  call,       // calls: function; ref: variable for the result or -1; expr: arguments; private_array
  async_copy, // ref: local array; source: input array; stride; expr[0]: offset; and the wait
  view_store, // view; style: Rounding of a half; expr[0]: number of the vector, expr[1]: value
  exchange,   // ref: variable for the result; view: an array, of which the item's own element
              // expr[0]; style: Exchange; expr[1]: operand, expr[2]: what a comparison expects
  ticket,     // a number from slot `style` of array `source` into variable ref, which no other item
              // gets; then counter view.array at expr[0] and with expr[1]
  flag,       // the first to set flag `style` changes counter view.array at expr[0] with expr[1]
  two_results, // style: TwoResults; ref: first result; view: element expr[0] of the item's own for
               // the second, or variable `source`; expr[1], expr[2]: arguments
  fence,       // style; without visible effect
  text,        // printf by the item with the number `source`: text, formats; expr: values
  copy_back,   // async copy from local array `source` to the group's part of scratch array ref
  together,    // ref: variable; expr[0]: value, expr[1]: number; of a sub-group or the whole group
  estimate,    // ref: array; expr[0]: index, then the leaves of `estimate`
  object,      // declares ref: object; expr: what is in it, or in each of its elements
  copy,        // expr[0]: location, expr[1]: structure
  set,         // expr[0]: location, expr[1]: value
  pointer,     // declares ref: pointer; expr: its target, or that of each of its elements
  aim,         // ref: pointer; expr[0]: target; expr[1], if it is an array of pointers: index
  nest,        // blocks[0], then a label for `jump`s out of it; ref: number of that label
  jump,        // goto; ref: number of an enclosing nest
  again,       // a loop made with goto; otherwise like do_loop
  maze,        // blocks[0], with labels and gotos; ref: variable that counts jumps and iterations
  label,       // ref: its number; blocks[0] follows it and contains none of the maze's labels
  go_to,       // if expr[1], and if ++ref < expr[0] unless ref is -1; to one of `labels`, chosen by
               // expr[2]
  counted_loop, // style 0: while (++ref < expr[0] && expr[1]); 1: the same as do-while; blocks[0]
};

// How a packet is read from one pipe and another one is written.
enum class PipeWay : uint8_t {
  plain,
  reserved,  // by the item
  two,       // two consecutive packets at once; one is written
  group,     // one for each item of the group, reserved together
  sub_group, // the same
};

struct Stmt {
  StmtKind kind;
  int ref = -1;
  bool own = false;
  bool within = false;                            // store of own slots: as in a load
  bool cut = false;                               // dropped by the reducer
  bool needed = false;                            // not to be dropped: gives memory its first value
  bool fence_local = false, fence_global = false; // barrier
  int function = -1;
  int object = -1; // call: receives the structure that it returns
  int private_array = -1;
  int source = -1;
  uint32_t stride = 1;  // async_copy
  bool by_swap = false; // atomic: as a loop around a compare-and-swap
  Together together;
  Estimate estimate;
  std::array<int, 2> targets{};
  int style = 0; // how lanes are printed; see StmtKind
  PipeWay pipe_way{};
  View view;
  Ordering ordering;                // atomics
  std::vector<std::string> formats; // text
  std::vector<uint8_t> lanes;
  std::vector<bool> falls;
  std::vector<int> labels; // go_to
  std::vector<ExprPtr> expr;
  std::vector<Block> blocks;
};

// ---- functions, launch

struct Variable {
  Type type;
  std::string name;
  bool uniform = false;  // the same in all work-items of the group, whenever it is visible
  bool constant = false; // loop variables and iteration counters
};

struct PrivateArray {
  Type type;
  uint32_t slots;
  std::string name;
  bool parameter = false; // a pointer to an array of the caller
  bool pointer = false;   // to one of two others
  bool visible = true;    // to the generator
};

// A variable in memory: a structure, or an array of structures or values.
struct Object {
  DataType data;
  std::string name;
  bool visible = true;
};

// A possible target of a pointer: an array of the program, private memory (-1), or, through a
// parameter, memory that is only read (-2).
struct Target {
  int array = -1;
  bool own = false; // own slots only
  bool operator==(const Target &) const = default;
};

inline constexpr Target of_caller{-2};

struct Pointer {
  DataType data;       // of its target
  uint32_t slots = 0;  // 0: one pointer, else an array of pointers
  uint32_t extent = 0; // points to the first of this many; 0: to one that may be anywhere
  AddressSpace space = AddressSpace::in_private;
  bool read_only = false;
  std::string name{};
  bool visible = true;
  std::vector<Target> targets{};
  size_t since = 0;                              // number of objects before it
  std::pair<Root, int> within{Root::result, -1}; // points to elements of this object or array
};

struct Function {
  std::string name;
  std::optional<Type> result;
  int result_structure = -1;          // in place of a value
  std::vector<int> object_parameters; // structures by value, after the other ones
  std::vector<int> pointer_parameters;
  std::vector<Object> objects;
  std::vector<Pointer> pointers;
  bool changes = false;        // writes through its pointers: called as a statement
  bool apart = false;          // not to be inlined
  std::vector<int> parameters; // variables; of the kernel: its by-value arguments
  std::vector<Variable> variables;
  std::vector<PrivateArray> private_arrays;
  Block body;
  bool group =
      false; // has group operations: called in uniform flow only; receives all shared arrays
  bool as_kernel = false; // printed as a kernel, called as a function
  bool item_free = false; // uses only its parameters: uniform for uniform arguments
  double cost = 0;
  std::vector<Phase> phases; // a group function: of the shared arrays at entry and exit
};

struct Launch {
  uint32_t dimensions = 1;
  bool local_given =
      true; // otherwise the program does not depend on the local size, and `local` is 1x1x1
  std::array<uint32_t, 3> global{1, 1, 1}, local{1, 1, 1};
  std::array<uint64_t, 3> offset{0, 0, 0};
  std::array<uint32_t, 3> groups() const;
  uint32_t items() const { return global[0] * global[1] * global[2]; }
  uint32_t group_items() const { return local[0] * local[1] * local[2]; } // of a whole group
  uint32_t group_count() const { return groups()[0] * groups()[1] * groups()[2]; }
};

// Tickets may be packets: for each statement that draws, the host fills a pipe with 0 to packets -
// 1, in order. A draw from an empty pipe does nothing. So the set of drawn numbers does not depend
// on the order of work-items. The packets written for them are the same up to their order, and the
// host sorts them. A kernel may not both read and write one pipe.
struct Pipes {
  uint32_t packets = 0; // 0: no pipes; otherwise whole reservations of all kinds
  int packet = 0;       // the type of a packet: see pipe_packet()
};

struct PipePacket {
  const char *type, *declaration; // in OpenCL C
  const char *made_of_number;     // the packet for number x, without effects
  const char *number;             // the number in packet p
  uint32_t size;
};
int pipe_packet_count();
const PipePacket &pipe_packet(int number);

// Where the host stores the arguments: buffers, or one of the kinds of shared virtual memory.
enum class HostMemory : uint8_t { buffers, coarse, fine, system };
const char *name(HostMemory memory);

struct Program {
  uint64_t seed = 0;
  HostMemory memory = HostMemory::buffers;
  Pipes pipes;
  bool opencl_3 = false;      // -cl-std=CL3.0, else CL1.2
  bool c11_atomics = false;   // atomic_fetch_..._explicit, else atomic_...
  bool required_size = false; // reqd_work_group_size
  bool uses_double = false;
  bool uses_half = false;      // as a type of values
  uint32_t sub_group_size = 0; // required; 0: no sub-group operations
  bool struct_argument =
      false; // the by-value arguments come in one structure, after `padding` ints
  uint32_t padding = 0;
  uint32_t flags = 0;      // at program scope, that are set once
  bool item_flags = false; // one for each item
  bool prints = false;
  std::string options; // of the build, in addition to the version
  bool fast = false;   // the compiler may assume that there is no NaN, infinity, -0 or denormal
  bool exact_division = false; // of float; also for square roots
  std::vector<Array> arrays;
  std::vector<Function> functions; // the kernel is the last
  std::vector<Value> arguments;    // for the kernel's parameters
  Structures structures;
  std::vector<std::vector<uint8_t>> objects; // the kernel's structures by value
  Launch launch;
  const Function &kernel() const { return functions.back(); }
};

// Are the elements packets of pipes (for tickets, of one pipe for each slot)?
inline bool is_pipe(const Program &program, const Array &array) {
  return program.pipes.packets && (array.space == Space::tickets || array.space == Space::packets);
}

// The number of elements of an array in memory, in this launch.
uint32_t element_count(const Program &program, const Array &array);
inline size_t element_size(const Program &program, const Array &array) {
  return size_of(array.data(), program.structures);
}

std::string print(const Program &program);
std::string describe(const Launch &launch);
std::string build_options(const Program &program);
// The printf conversion for a value, or in C for one lane of it. `format`: flags, width and
// precision; a bar; the conversion's letter.
std::string print_format(Type type, const std::string &format, bool of_lane);

} // namespace lockstep::fuzz
