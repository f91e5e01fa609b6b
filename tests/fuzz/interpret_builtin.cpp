#include "interpreter.h"

#include "builtins.h"
#include "conversions.h"

namespace lockstep::fuzz {

Value Interpreter::builtin(Item &item, Frame &frame, const Expr &e) {
  Value operands[4];
  for (size_t i = 0; i < e.args.size(); ++i)
    operands[i] = evaluate_expr(item, frame, *e.args[i]);
  if (e.kind == ExprKind::builtin)
    return evaluate_builtin(builtins()[e.op], e.base, e.type, std::span(operands, e.args.size()));
  const Elem from = operands[0].type.elem;
  const Guard guard = conversion_guard(from, e.type.elem, e.saturate);
  Value to(e.type);
  for (unsigned i = 0; i < e.type.lanes; ++i)
    to.lane[i] = convert_rounded(from, e.type.elem, guarded(guard, from, operands[0].lane[i]),
                                 e.saturate, Rounding(e.op));
  return to;
}

} // namespace lockstep::fuzz
