// Declares the factory functions of all benchmarks, one for each line of questions.def.
#pragma once

#include "benchmarks/harness/benchmark.h"

namespace lockstep::benchmarks {

#define BENCHMARK(name, question) Benchmark name(Scale scale);
#include "benchmarks/questions.def"
#undef BENCHMARK

} // namespace lockstep::benchmarks
