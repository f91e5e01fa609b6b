// Facts about the source of a program that the front end records beside those of names.def.
#pragma once

namespace lockstep::compiler {

// Attribute of a function in which the const of a pointer's pointee is cast away.
inline constexpr const char *const_casts_attribute = "lockstep-casts-const";

// Module flags, 1 if any part of the program has it.
// const_casts_flag: the same, outside of functions that the front end can name.
// exact_sqrt_flag: compiled with -cl-fp32-correctly-rounded-divide-sqrt.
inline constexpr const char *const_casts_flag = "lockstep-const-casts";
inline constexpr const char *exact_sqrt_flag = "lockstep-exact-sqrt";

// A word of KernelArg::type_qualifiers beside "const", if the kernel may call a function with
// const_casts_attribute: it may write what the argument points to.
inline constexpr const char *may_be_written = "may be written";

} // namespace lockstep::compiler
