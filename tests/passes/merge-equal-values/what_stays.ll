; RUN: lockstep-opt -passes=merge-equal-values %s | FileCheck %s
; Only equal expressions of values that are known at the join are merged.

; CHECK-LABEL: @different
; CHECK: phi i32 [ %x, %one ], [ %y, %two ]
define i32 @different(i32 %a, i1 %c) {
entry:
  br i1 %c, label %one, label %two
one:
  %x = add i32 %a, 1
  br label %join
two:
  %y = add i32 %a, 2
  br label %join
join:
  %sum = phi i32 [ %x, %one ], [ %y, %two ]
  ret i32 %sum
}

; Memory may change between the two loads.
; CHECK-LABEL: @loads
; CHECK: phi i32 [ %x, %one ], [ %y, %two ]
define i32 @loads(ptr addrspace(1) %p, i1 %c) {
entry:
  br i1 %c, label %one, label %two
one:
  %x = load i32, ptr addrspace(1) %p
  br label %join
two:
  store i32 1, ptr addrspace(1) %p
  %y = load i32, ptr addrspace(1) %p
  br label %join
join:
  %sum = phi i32 [ %x, %one ], [ %y, %two ]
  ret i32 %sum
}

; The next value of a loop is not that of the join.
; CHECK-LABEL: @loop
; CHECK: %t = phi i32 [ %first, %entry ], [ %next, %loop ]
define void @loop(i32 %n) {
entry:
  %first = add i32 %n, 1
  br label %loop
loop:
  %t = phi i32 [ %first, %entry ], [ %next, %loop ]
  %next = add i32 %t, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; The operand is known on one path only.
; CHECK-LABEL: @operand_of_path
; CHECK: phi i32 [ %x, %one ], [ %y, %two ]
define i32 @operand_of_path(ptr addrspace(1) %p, i1 %c) {
entry:
  br i1 %c, label %one, label %two
one:
  %a = load i32, ptr addrspace(1) %p
  %x = add i32 %a, 1
  br label %join
two:
  %b = load i32, ptr addrspace(1) %p
  %y = add i32 %b, 1
  br label %join
join:
  %sum = phi i32 [ %x, %one ], [ %y, %two ]
  ret i32 %sum
}
