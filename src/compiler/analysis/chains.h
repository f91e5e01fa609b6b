// Recognizes loops that compute in registers alone and carry floats from one iteration to the next:
//
//    for (i = 0; i < n; ++i) x = fma(x, a, b);
//
// Each operation waits for the one before, so the loop is as slow as the latency, unless several
// sub-groups run at once (interleave-sub-groups).
#pragma once

namespace llvm {
class Loop;
}

namespace lockstep::compiler {

// Whether the innermost loop is such a chain. It may still diverge.
bool is_chain(const llvm::Loop &loop);

} // namespace lockstep::compiler
