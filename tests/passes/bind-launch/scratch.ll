; RUN: lockstep-opt -nvidia=sm_90 -passes=bind-launch %s | FileCheck %s
; The scratch memory of collectives has room for the 32 sub-groups of a CUDA block, not for those of a CPU.

; CHECK: @lockstep.group.scratch = internal addrspace(3) global [33 x i64] poison, align 64
; CHECK: store i64 1, ptr addrspace(3) @lockstep.group.scratch
@lockstep.group.scratch = internal addrspace(3) global [4097 x i64] undef, align 64
define void @kernel() {
  store i64 1, ptr addrspace(3) @lockstep.group.scratch
  ret void
}
