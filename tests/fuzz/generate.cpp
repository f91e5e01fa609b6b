#include "generate.h"

#include "generator.h"

namespace lockstep::fuzz {

namespace {

using Size = std::array<uint32_t, 3>;

// Unusual sizes, common sizes, and sizes around that of a vector register.
const std::vector<Size> local_sizes[3] = {
    {{1, 1, 1},
     {2, 1, 1},
     {3, 1, 1},
     {5, 1, 1},
     {7, 1, 1},
     {8, 1, 1},
     {13, 1, 1},
     {16, 1, 1},
     {17, 1, 1},
     {31, 1, 1},
     {32, 1, 1},
     {33, 1, 1},
     {64, 1, 1},
     {65, 1, 1},
     {100, 1, 1},
     {128, 1, 1},
     {256, 1, 1},
     {1000, 1, 1}},
    {{1, 1, 1},
     {17, 3, 1},
     {8, 8, 1},
     {16, 4, 1},
     {3, 5, 1},
     {1, 7, 1},
     {4, 1, 1},
     {32, 2, 1},
     {2, 33, 1}},
    {{1, 1, 1}, {4, 4, 4}, {3, 2, 5}, {1, 1, 9}, {7, 3, 2}, {16, 2, 2}, {2, 1, 3}}};

} // namespace

void Generator::choose_launch() {
  Launch &launch = program_.launch;
  launch.dimensions = random_.weighted({5, 3, 2}) + 1;
  launch.local = random_.pick(local_sizes[launch.dimensions - 1]);
  launch.local_given = !random_.chance(8);
  const bool non_uniform = random_.chance(30);
  for (uint32_t d = 0; d < launch.dimensions; ++d) {
    uint32_t groups = random_.between(1, launch.dimensions > 1 ? 2 : launch.local[0] <= 8 ? 40 : 4);
    launch.global[d] = groups * launch.local[d];
    uint32_t missing = random_.below(launch.local[d]);
    if (non_uniform && program_.opencl_3 && can_.non_uniform_groups)
      launch.global[d] -= missing;
    if (random_.chance(25))
      launch.offset[d] =
          random_.chance(20) ? (uint64_t(1) << 33) + random_.below(100) : random_.between(1, 1000);
  }
  program_.required_size =
      random_.chance(20) && launch.local_given && !(non_uniform && can_.non_uniform_groups);
  while (launch.group_items() > can_.max_group_size)
    for (uint32_t &size : launch.local)
      size = (size + 1) / 2;
  if (!launch.local_given)
    launch.local = {1, 1, 1};
}

void Generator::choose_types() {
  program_.uses_double = random_.chance(25) && can_.fp64;
  types_ = {type_int, type_uint};
  const bool vectors = random_.chance(40);
  const uint32_t more = random_.between(1, 4);
  static const std::vector<uint8_t> lanes = {2, 3, 4, 4, 8, 16};
  for (uint32_t i = 0; i < more; ++i) {
    Type type{Elem(random_.below(int(Elem::f16))), 1};
    if (vectors && random_.chance(60))
      type.lanes = random_.pick(lanes);
    if (type.elem == Elem::f64 && !program_.uses_double)
      type.elem = Elem::f32;
    types_.push_back(type);
  }
  Random own(program_.seed ^ 0x61d83fe7); // an own generator, so that other programs do not change
  program_.uses_half = can_.fp16 && !program_.fast && own.chance(20);
  if (!program_.uses_half)
    return;
  for (Type &type : types_)
    if (is_float(type.elem) || (type.elem != Elem::i32 && own.chance(30)))
      type.elem = own.chance(70) ? Elem::f16 : type.elem;
  types_.push_back({Elem::f16, vectors ? own.pick(lanes) : uint8_t(1)});
}

Type Generator::scalar_type() {
  return {any_type().elem, 1};
}

// Arrays in memory hold scalars and vectors of two or more lanes, but not of three: the content of
// their padding is unknown.
Type Generator::memory_type() {
  Type type = any_type();
  if (type.lanes == 3 || (type.lanes > 4 && random_.chance(70)))
    type.lanes = 4;
  return type;
}

Value Generator::random_value(Type type) {
  Value v(type);
  for (unsigned i = 0; i < type.lanes; ++i) {
    const uint64_t bits_of_it = random_.next();
    if (is_float(type.elem)) {
      // Mostly small multiples of a half or a quarter; sometimes a denormal or a long mantissa.
      double number = double(int64_t(bits_of_it >> 52) - 2048) / 4;
      if (random_.chance(20) && !program_.fast)
        number = double(bits_of_it >> 11) * 0x1p-48;
      if (random_.chance(3) && !program_.fast)
        number = type.elem == Elem::f16   ? 0x1.8p-20
                 : type.elem == Elem::f32 ? 0x1.8p-140
                                          : 0x1.8p-1040;
      v.lane[i] = from_floating(type.elem, number);
      continue;
    }
    switch (random_.below(4)) {
    case 0:
      v.lane[i] = wrap(type.elem, bits_of_it);
      break;
    case 1:
      v.lane[i] = wrap(type.elem, uint64_t(1) << (bits_of_it & 63));
      break;
    case 2:
      v.lane[i] = wrap(type.elem, -(bits_of_it & 3));
      break;
    default:
      v.lane[i] = bits_of_it & 31;
      break;
    }
  }
  return v;
}

void Generator::fill(Array &array) {
  for (uint32_t i = 0; i < element_count(program_, array); ++i) {
    Value v = random_value(array.type);
    array.initial.insert(array.initial.end(), v.lane, v.lane + array.type.lanes);
  }
}

void Generator::add_array(Space space, Type type, uint32_t slots) {
  static const char *const names[] = {"input",     "output", "in_group", "scratch",  "count_group",
                                      "count_all", "table",  "tickets",  "variable", "estimate"};
  Array array{space, type, slots};
  array.name = names[int(space)] + std::to_string(program_.arrays.size());
  array.strided = random_.chance(50);
  array.argument = random_.chance(30) && !rows_;
  array.atomic = AtomicOp(random_.below(atomic_op_count));
  // The effect of every operation is visible from 0, except for `and` and `min`, which need all
  // bits.
  if (space == Space::global_counter)
    array.initial.assign(
        slots, array.atomic == AtomicOp::bit_and || array.atomic == AtomicOp::min ? 0x7fffffff : 0);
  if (space == Space::tickets)
    array.initial.assign(slots, 0);
  if ((space == Space::table || space == Space::input) && type.lanes)
    fill(array);
  program_.arrays.push_back(std::move(array));
}

void Generator::make_arrays() {
  const Type counter_types[] = {type_uint, type_int};
  for (uint32_t i = random_.between(1, 2); i > 0; --i)
    add_array(Space::input, memory_type(), rows_ ? product_slots : 1u << random_.between(4, 10));
  add_array(Space::output, type_ulong,
            random_.between(2, 4)); // the first one takes the kernel's final value
  if (random_.chance(60))
    add_array(Space::output, memory_type(), random_.between(1, 3));
  if (random_.chance(40))
    add_array(Space::table, memory_type(), random_.between(3, 8));
  if (random_.chance(40))
    add_array(Space::global_counter, counter_types[random_.below(2)], random_.between(1, 4));
  if (random_.chance(40))
    add_array(Space::tickets, type_uint, random_.between(1, 4));
  half_ = random_.chance(30) && !rows_;
  if (half_) {
    const Type halves{random_.chance(50) ? Elem::u16 : Elem::i16,
                      random_.pick(std::vector<uint8_t>{1, 1, 2, 4})};
    add_array(Space::input, halves, 1u << random_.between(4, 8));
    add_array(Space::output, halves, random_.between(2, 6));
  }
  if (!program_.launch.local_given)
    return;
  for (uint32_t i = random_.below(3); i > 0; --i)
    add_array(Space::local, random_.chance(50) ? program_.arrays[0].type : memory_type(),
              random_.between(1, 3));
  if (random_.chance(40))
    add_array(Space::scratch, memory_type(), random_.between(1, 2));
  if (random_.chance(rows_ ? 10 : 40))
    add_array(Space::local_counter, counter_types[random_.below(2)], random_.between(1, 4));
}

// Initializes every element that a work-item may read.
void Generator::kernel_prologue(Block &block) {
  auto fill_slots = [&](uint32_t slots, auto make) {
    auto s = make_stmt(StmtKind::for_loop, new_variable(type_uint, false, true));
    s->expr.push_back(make_literal(type_uint, 0));
    s->expr.push_back(make_operation(Op::less, read(s->ref), make_literal(type_uint, slots)));
    s->expr.push_back(make_operation(Op::add, read(s->ref), make_literal(type_uint, 1)));
    Block body;
    ExprPtr at = read(s->ref);
    visible_.push_back(s->ref);
    body.push_back(make(std::move(at)));
    visible_.pop_back();
    s->blocks.push_back(std::move(body));
    block.push_back(std::move(s));
  };
  // Initial values may be read from arrays filled earlier, so arrays become visible one by one.
  const size_t private_arrays = random_.between(0, 2);
  for (size_t i = 0; i < private_arrays; ++i) {
    add_private_array();
    PrivateArray array = function_.private_arrays.back();
    function_.private_arrays.pop_back();
    auto make = [&](ExprPtr at) {
      auto s = make_stmt(StmtKind::private_store, int(i));
      s->expr.push_back(std::move(at));
      s->expr.push_back(value(array.type, {2, false, false}));
      return s;
    };
    fill_slots(array.slots, make);
    function_.private_arrays.push_back(array);
  }
  bool shared = false;
  for (size_t i = 0; i < program_.arrays.size(); ++i) {
    const Array &array = program_.arrays[i];
    if (array.space == Space::local || array.space == Space::scratch)
      fill_slots(array.slots, [&](ExprPtr at) {
        if (array.structure < 0)
          return make_store(int(i), true, std::move(at), value(array.type, {2, false, false}));
        auto to = make_expr(ExprKind::place, type_none);
        to->root = Root::element;
        to->ref = int(i);
        to->own = true;
        to->structure = array.structure;
        to->args.push_back(std::move(at));
        return make_copy(std::move(to), structure_value(array.structure, {2, false, false}));
      });
    shared |= has_phase(array.space);
    if (array.space != Space::local_counter)
      continue;
    auto first = make_stmt(StmtKind::branch);
    first->expr.push_back(
        make_operation(Op::equal, make_query(Query::local_linear), make_literal(type_uint, 0)));
    first->blocks.resize(2);
    const bool all_bits = array.atomic == AtomicOp::bit_and || array.atomic == AtomicOp::min;
    for (uint32_t slot = 0; slot < array.slots; ++slot)
      first->blocks[0].push_back(make_store(int(i), false, make_literal(type_uint, slot),
                                            make_literal(array.type, all_bits ? 0x7fffffff : 0)));
    block.push_back(std::move(first));
  }
  if (shared) {
    auto s = make_stmt(StmtKind::barrier);
    s->fence_local = s->fence_global = true;
    block.push_back(std::move(s));
  }
  for (StmtPtr &s : block) {
    s->needed = true;
    for (Block &inner : s->blocks)
      for (StmtPtr &store : inner)
        store->needed = true;
  }
}

// Combines everything that a work-item still knows into one number and stores it to the output.
void Generator::kernel_epilogue(Block &block) {
  int output = 0;
  while (program_.arrays[output].space != Space::output)
    ++output;
  const std::vector<int> seen = visible_;
  const int hash = declare_as(block, type_ulong, false, true, make_literal(type_ulong, 17));
  auto mix = [&](Block &to, ExprPtr lane) {
    const Elem same_size = to_unsigned(lane->type.elem);
    if (is_float(lane->type.elem)) {
      auto e = make_expr(ExprKind::reinterpret, {same_size, 1});
      e->args.push_back(std::move(lane));
      lane = std::move(e);
    }
    auto wide = make_expr(ExprKind::convert, type_ulong);
    wide->args.push_back(std::move(lane));
    auto s = make_stmt(StmtKind::assign, hash);
    s->expr.push_back(make_operation(
        Op::add, make_operation(Op::multiply, read(hash), make_literal(type_ulong, 1000003)),
        std::move(wide)));
    to.push_back(std::move(s));
  };
  auto mix_all = [&](Block &to, Type type, auto make) {
    for (uint8_t lane = 0; lane < type.lanes; ++lane) {
      if (type.lanes == 1) {
        mix(to, make());
        continue;
      }
      auto e = make_expr(ExprKind::swizzle, {type.elem, 1});
      e->args.push_back(make());
      e->lanes.push_back(lane);
      mix(to, std::move(e));
    }
  };
  for (int v : seen)
    mix_all(block, function_.variables[v].type, [&] { return read(v); });
  for (size_t i = 0; i < function_.private_arrays.size(); ++i)
    for (uint32_t slot = 0;
         !function_.private_arrays[i].pointer && slot < function_.private_arrays[i].slots; ++slot)
      mix_all(block, function_.private_arrays[i].type, [&] {
        auto e = make_expr(ExprKind::private_load, function_.private_arrays[i].type);
        e->ref = int(i);
        e->args.push_back(make_literal(type_uint, slot));
        return e;
      });
  auto mix_leaves = [&](Root root, int ref, const DataType &data, bool own, uint32_t slots) {
    for (uint32_t slot = 0; slot < slots; ++slot)
      for (ExprPtr &leaf : leaves_of(root, ref, data, own, slot))
        mix(block, std::move(leaf));
  };
  for (size_t i = 0; i < function_.objects.size(); ++i)
    if (const Object &object = function_.objects[i]; object.visible)
      mix_leaves(Root::object, int(i), object.data, false, std::max(1u, object.data.count));
  for (size_t i = 0; i < program_.arrays.size(); ++i) {
    const Array &array = program_.arrays[i];
    if (array.space == Space::variable || (array.space == Space::local && array.structure >= 0))
      mix_leaves(Root::element, int(i), array.data(), true, array.slots);
  }
  for (size_t i = 0; i < program_.arrays.size(); ++i)
    for (uint32_t slot = 0; program_.arrays[i].space == Space::local &&
                            program_.arrays[i].structure < 0 && slot < program_.arrays[i].slots;
         ++slot)
      mix_all(block, program_.arrays[i].type, [&] {
        return make_load(int(i), program_.arrays[i].type, true, make_literal(type_uint, slot));
      });
  block.push_back(make_store(output, true, make_literal(type_uint, 0), read(hash)));
}

void Generator::kernel() {
  begin_function("tested");
  in_kernel_ = true;
  cost_limit_ = large_ ? 3000 : 1000;
  for (uint32_t i = random_.between(1, 4); i > 0; --i) {
    const int parameter = new_variable(any_type(), true, false);
    function_.parameters.push_back(parameter);
    visible_.push_back(parameter);
    program_.arguments.push_back(random_value(function_.variables[parameter].type));
  }
  add_row_arguments();
  if (structures_)
    kernel_structures();
  kernel_prologue(function_.body);
  Flow flow;
  const uint32_t statements = rows_ ? random_.between(1, 5) : random_.between(4, large_ ? 40 : 14);
  for (uint32_t i = 0; i < statements; ++i)
    statement(function_.body, flow);
  if (rows_)
    product_loop(function_.body, flow);
  for (uint32_t i = own_rows_ < 0 ? 0 : random_.between(1, 3); i > 0; --i)
    own_row_loop(function_.body, flow);
  if (!rows_ && random_.chance(40)) { // no barrier follows, so items may return one by one
    flow.uniform = flow.barriers = false;
    flow.may_return = true;
    for (uint32_t i = random_.between(1, 5); i > 0; --i)
      statement(function_.body, flow);
  }
  kernel_epilogue(function_.body);
  program_.functions.push_back(std::move(function_));
}

// Uses a random generator of its own, so that the programs of all other seeds do not change.
void Generator::choose_sub_groups() {
  Random own(program_.seed ^ 0x5b6a2d9c);
  if (can_.sub_groups && program_.opencl_3 && program_.launch.local_given && own.chance(50))
    program_.sub_group_size = 1u << own.below(7);
}

Program Generator::run() {
  large_ = random_.chance(15);
  program_.struct_argument = random_.chance(15);
  program_.padding = random_.between(1, 80);
  program_.opencl_3 = random_.chance(60);
  program_.c11_atomics = random_.chance(50) && program_.opencl_3 && can_.c11_atomics;
  choose_options();
  choose_launch();
  choose_types();
  choose_sub_groups();
  choose_rows();
  choose_structures();
  make_arrays();
  if (structures_)
    make_structure_arrays();
  make_estimates();
  make_own_rows();
  make_pipes();
  for (uint32_t i = rows_ ? 0 : random_.below(3); i > 0; --i)
    pure_function();
  for (uint32_t i = structures_ ? random_.below(3) : 0; i > 0; --i)
    changing_function();
  if (program_.launch.local_given && !rows_)
    for (uint32_t i = random_.below(3); i > 0; --i)
      group_function();
  kernel();
  return std::move(program_);
}

Program generate(uint64_t seed, const Capabilities &capabilities) {
  return Generator(seed, capabilities).run();
}

} // namespace lockstep::fuzz
