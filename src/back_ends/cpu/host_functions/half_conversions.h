// Conversions to and from half for machine code. Most x86 processors cannot convert double to half,
// and only those with F16C convert half at all. LLVM then calls __truncdfhf2, __truncsfhf2 and
// __extendhfsf2 of compiler runtime libraries, which a process may not have loaded. ORC resolves
// these names to the functions below.
#pragma once

extern "C" {
_Float16 lockstep_half_from_double(double value); // rounds to nearest even
_Float16 lockstep_half_from_float(float value);   // rounds to nearest even
float lockstep_float_from_half(_Float16 value);
}
