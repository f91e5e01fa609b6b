// Generates loops in which each work-item walks its own row of one array, with reads and writes a
// few elements apart. A compiler may process such loops by rows instead of columns if no iteration
// reads what an earlier one wrote.
#include "generator.h"

namespace lockstep::fuzz {

namespace {

constexpr uint32_t most_rounds = 40, furthest = 24; // elements from the counter

} // namespace

// Uses a random generator of its own, like choose_sub_groups.
void Generator::make_own_rows() {
  Random own(program_.seed ^ 0x71c9e04b);
  if (!own.chance(25))
    return;
  std::vector<Elem> elems = {Elem::u8,  Elem::i16, Elem::i32, Elem::i32,
                             Elem::u32, Elem::f32, Elem::f32, Elem::u64};
  if (program_.uses_double)
    elems.push_back(Elem::f64);
  Array array{Space::output, {own.pick(elems), 1}, most_rounds + furthest + own.below(3)};
  array.name = "rows" + std::to_string(program_.arrays.size());
  array.long_index = own.chance(50);
  own_rows_ = int(program_.arrays.size());
  program_.arrays.push_back(std::move(array));
}

// Adds kernel arguments for offsets and trip counts. With constants, the compiler would unroll the
// loops and know the distances.
void Generator::add_row_arguments() {
  if (own_rows_ < 0)
    return;
  auto add = [&](uint32_t number) {
    const int variable = new_variable(type_uint, true, true);
    function_.parameters.push_back(variable);
    program_.arguments.push_back(splat(type_uint, number));
    return variable;
  };
  row_rounds_ = add(random_.between(1, most_rounds));
  for (int &shift : row_shifts_)
    shift = add(row_shift());
}

uint32_t Generator::row_shift() {
  static const std::vector<uint32_t> ahead = {0, 0, 0, 1, 2, 7, 8, 15, 16, 17, furthest};
  return random_.pick(ahead);
}

// The index of the counter's element of the row, or of one near it.
ExprPtr Generator::own_row_index(int counter) {
  if (random_.chance(20))
    return make_operation(Op::add, read(counter), make_literal(type_uint, row_shift()));
  ExprPtr shift = random_.chance(60)
                      ? read(row_shifts_[random_.below(uint32_t(row_shifts_.size()))])
                      : make_literal(type_uint, row_shift());
  ExprPtr index = make_operation(Op::add, std::move(shift), read(counter));
  index->from_row = true;
  return index;
}

ExprPtr Generator::own_row_load(int counter) {
  ExprPtr e = make_load(own_rows_, program_.arrays[own_rows_].type, true, own_row_index(counter));
  e->within = true;
  return e;
}

void Generator::own_row_loop(Block &out, const Flow &outer) {
  const Type type = program_.arrays[own_rows_].type;
  const int sum = declare_as(out, type, false, false, value(type, use(outer, false)));
  auto s = make_stmt(StmtKind::for_loop, new_variable(type_uint, true, true));
  s->expr.push_back(make_literal(type_uint, 0));
  s->expr.push_back(make_operation(Op::less, read(s->ref), read(row_rounds_)));
  s->expr.push_back(make_operation(Op::add, read(s->ref), make_literal(type_uint, 1)));
  Block body;
  for (uint32_t i = random_.between(1, 4); i > 0; --i) {
    // Products of floats would become denormal, and a build option permits flushing those to 0.
    const Op op = is_float(type.elem) || random_.chance(70) ? Op::add : Op::multiply;
    if (random_.chance(50)) {
      auto add = make_stmt(StmtKind::assign, sum);
      add->expr.push_back(cleaned(make_operation(op, read(sum), own_row_load(s->ref))));
      body.push_back(std::move(add));
    } else {
      ExprPtr what = random_.chance(50)
                         ? read(sum)
                         : cleaned(make_operation(op, own_row_load(s->ref), read(sum)));
      auto store = make_store(own_rows_, true, own_row_index(s->ref), std::move(what));
      store->within = true;
      body.push_back(std::move(store));
    }
  }
  cost_ += 5 * outer.weight * most_rounds;
  s->blocks.push_back(std::move(body));
  out.push_back(std::move(s));
}

} // namespace lockstep::fuzz
