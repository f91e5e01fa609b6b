// Conversions to and from half that machine code may call: no x86 converts double to half, and only
// those with F16C know half at all. LLVM then calls the functions named __truncdfhf2, __truncsfhf2
// and __extendhfsf2 of compiler runtime libraries, which a process need not have loaded; ORC gets
// these instead.
#pragma once

extern "C" {
_Float16 lockstep_half_from_double(double value); // rounds to nearest even
_Float16 lockstep_half_from_float(float value);   // rounds to nearest even
float lockstep_float_from_half(_Float16 value);
}
