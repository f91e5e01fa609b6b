; RUN: env LOCKSTEP_FORM=auto LOCKSTEP_SUB_GROUP_SIZE=16 lockstep-opt -passes=mark-waits,choose-sub-group-size %s 2>&1 | FileCheck %s
; A spin lock waits for another work-item, and what comes after it may be waited for; a compare-and-swap retry loop and a loop over pieces of work do not.

; CHECK: one lane: a loop waits
; CHECK-NOT: one lane
; CHECK: @spin({{.*}} [[ONE:#[0-9]+]]
; CHECK: @retry({{.*}} [[SIXTEEN:#[0-9]+]]
; CHECK: @pieces({{.*}} [[SIXTEEN]]
; CHECK-DAG: attributes [[ONE]] = {{.*}}"lockstep-lanes-wait-for-each-other"{{.*}}"lockstep-sub-group-size"="1" }
; CHECK-DAG: attributes [[SIXTEEN]] = {{.*}}"lockstep-sub-group-size"="16" }
define void @spin(ptr addrspace(1) %lock, ptr addrspace(1) %flag) {
entry:
  br label %loop
loop:
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  store atomic i32 1, ptr addrspace(1) %flag release, align 4
  ret void
}

define void @retry(ptr addrspace(1) %p, i32 %factor) {
entry:
  %first = load i32, ptr addrspace(1) %p
  br label %loop
loop:
  %old = phi i32 [ %first, %entry ], [ %seen, %loop ]
  %new = mul i32 %old, %factor
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %done = icmp eq i32 %seen, %old
  br i1 %done, label %end, label %loop
end:
  ret void
}

define void @pieces(ptr addrspace(1) %next, i32 %count) {
entry:
  br label %loop
loop:
  %piece = atomicrmw add ptr addrspace(1) %next, i32 1 seq_cst
  %more = icmp ult i32 %piece, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}
