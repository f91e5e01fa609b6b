// Facts about the source of a program that the front end records beside those of names.def.
#pragma once

namespace lockstep::compiler {

// Module flags, 1 if any part of the program has it.
// const_casts_flag: the const of a pointer's pointee is cast away.
// exact_sqrt_flag: compiled with -cl-fp32-correctly-rounded-divide-sqrt.
inline constexpr const char *const_casts_flag = "lockstep-const-casts";
inline constexpr const char *exact_sqrt_flag = "lockstep-exact-sqrt";

// A word of KernelArg::type_qualifiers beside "const", in a program with const_casts_flag: the kernel
// may write what the argument points to.
inline constexpr const char *may_be_written = "may be written";

} // namespace lockstep::compiler
