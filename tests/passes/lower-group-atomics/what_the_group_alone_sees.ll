; RUN: lockstep-opt -passes=lower-group-atomics %s | FileCheck %s
; Local memory, and what is in the scope of a work-group; all else keeps its atomics.

; CHECK-LABEL: @counts
; CHECK-NOT: atomicrmw add ptr addrspace(3)
; CHECK: load i32, ptr addrspace(3) %local
; CHECK: store i32 {{.*}}, ptr addrspace(3) %local
; CHECK: atomicrmw add ptr addrspace(1)
define void @counts(ptr addrspace(3) %local, ptr addrspace(1) %global) {
  %a = atomicrmw add ptr addrspace(3) %local, i32 1 monotonic
  %b = atomicrmw add ptr addrspace(1) %global, i32 %a monotonic
  ret void
}

; CHECK-LABEL: @scopes
; CHECK-NEXT: load i32, ptr addrspace(1) %global
; CHECK-NEXT: add i32
; CHECK-NEXT: store i32 {{.*}}, ptr addrspace(1) %global
; CHECK-NEXT: load i32, ptr addrspace(4) %generic
; CHECK-NEXT: store i32 2, ptr addrspace(4) %generic
; CHECK-NEXT: load i32, ptr addrspace(1) %global
; CHECK-NEXT: icmp eq
; CHECK-NEXT: select
; CHECK-NEXT: store i32 {{.*}}, ptr addrspace(1) %global
; CHECK-NOT: atomicrmw sub
; CHECK: atomicrmw add ptr addrspace(1) %global, i32 4 syncscope("device") monotonic
; CHECK-NEXT: cmpxchg ptr addrspace(1) %global, i32 4, i32 5 seq_cst seq_cst
; CHECK-NEXT: ret
define void @scopes(ptr addrspace(1) %global, ptr addrspace(4) %generic) {
  %a = atomicrmw add ptr addrspace(1) %global, i32 1 syncscope("workgroup") seq_cst
  %b = atomicrmw volatile xchg ptr addrspace(4) %generic, i32 2 syncscope("workgroup") acquire
  %c = cmpxchg ptr addrspace(1) %global, i32 2, i32 3 syncscope("workgroup") acq_rel monotonic
  %f = atomicrmw sub ptr addrspace(1) %global, i32 6 syncscope("subgroup") acq_rel
  %g = atomicrmw sub ptr addrspace(1) %global, i32 7 syncscope("singlethread") acq_rel
  %d = atomicrmw add ptr addrspace(1) %global, i32 4 syncscope("device") monotonic
  %e = cmpxchg ptr addrspace(1) %global, i32 4, i32 5 seq_cst seq_cst
  ret void
}

; What polls must read again, and what is polled be written at once: loads and stores stay atomic.
; CHECK-LABEL: @loads_and_stores
; CHECK-NEXT: load atomic i32, ptr addrspace(3) %local seq_cst
; CHECK-NEXT: store atomic i32 %a, ptr addrspace(3) %local release
; CHECK-NEXT: store atomic i32 %a, ptr addrspace(1) %global syncscope("workgroup") release
; CHECK-NEXT: store atomic i32 %a, ptr addrspace(3) %local monotonic
; CHECK-NEXT: store atomic i32 %a, ptr addrspace(1) %global seq_cst
; CHECK-NEXT: store i32 %a, ptr addrspace(3) %local
; CHECK-NEXT: fence syncscope("workgroup") seq_cst
; CHECK-NEXT: fence seq_cst
define void @loads_and_stores(ptr addrspace(3) %local, ptr addrspace(1) %global) {
  %a = load atomic i32, ptr addrspace(3) %local seq_cst, align 4
  store atomic i32 %a, ptr addrspace(3) %local seq_cst, align 4
  store atomic i32 %a, ptr addrspace(1) %global syncscope("workgroup") seq_cst, align 4
  store atomic i32 %a, ptr addrspace(3) %local monotonic, align 4
  store atomic i32 %a, ptr addrspace(1) %global seq_cst, align 4
  store i32 %a, ptr addrspace(3) %local
  fence syncscope("workgroup") seq_cst
  fence seq_cst
  ret void
}
