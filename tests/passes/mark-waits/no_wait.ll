; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>&1 | FileCheck %s
; Loops that end by themselves or because somebody else made progress.

; CHECK-NOT: remark
; CHECK-NOT: __lockstep_wait
; CHECK-NOT: lockstep-form

; The swap expects what it read.
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

; A maximum of floats: leaves the loop as well where the memory is large enough already.
define void @maximum(ptr addrspace(1) %p, float %value) {
entry:
  %first = load i32, ptr addrspace(1) %p
  br label %loop
loop:
  %old = phi i32 [ %first, %entry ], [ %seen, %try ]
  %now = bitcast i32 %old to float
  %enough = fcmp oge float %now, %value
  br i1 %enough, label %end, label %try
try:
  %new = bitcast float %value to i32
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

; The atomic load decides about a store, not about the end.
define void @histogram(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %count) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %value = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %large = icmp ugt i32 %value, %i
  br i1 %large, label %then, label %join
then:
  store i32 %i, ptr addrspace(1) %q
  br label %join
join:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}
