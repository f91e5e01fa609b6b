; RUN: lockstep-opt -passes=place-local-memory %s | FileCheck %s
; In module order, each variable at its own alignment.

; CHECK-NOT: addrspace(3) global
; CHECK: %[[FIELD:.*]] = getelementptr inbounds i8, ptr %group, i64 48
; CHECK: %local.memory = load ptr addrspace(3), ptr %[[FIELD]]
; CHECK: %b = getelementptr inbounds i8, ptr addrspace(3) %local.memory, i64 16
; CHECK: store i8 1, ptr addrspace(3) %{{.*}}
; CHECK: store float 0.000000e+00, ptr addrspace(3) %b
@a = internal addrspace(3) global [3 x i8] undef, section "lockstep.local", align 1
@b = internal addrspace(3) global [4 x float] undef, section "lockstep.local", align 16

define void @lockstep.workgroup(ptr %launch, ptr %group) {
  store i8 1, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @a, i64 2)
  store float 0.0, ptr addrspace(3) @b
  ret void
}
