; RUN: lockstep-opt -passes=unmasked-guards %s 2>&1 | FileCheck %s
; A product of matrices whose rows and columns have an end: the whole code exists twice.

; CHECK: remark: {{.*}}rows of which all work-items pass this guard run together

; CHECK-LABEL: @product
; CHECK: %inside = and i1 %row.inside, %column.inside
; CHECK-NEXT: [[SAFE:%.*]] = freeze i1 %inside
; CHECK-NEXT: %all = call i1 @__lockstep_all_lanes(i1 [[SAFE]], i64 0, i64 0, i64 0, i32 0)
; CHECK-NEXT: br i1 %all, label %loop.full, label %entry.divergent
; CHECK: entry.divergent:
; CHECK-NEXT: br i1 %inside, label %loop, label %end
; CHECK: loop:
; CHECK: %k = phi i64 [ 0, %entry.divergent ], [ %k.next, %loop ]
; CHECK: end:
; CHECK-NEXT: %result = phi float [ -1.000000e+00, %entry.divergent ], [ %sum.next, %loop ], [ [[SUM:%.*]], %loop.full ]
; CHECK: loop.full:
; CHECK: phi i64 [ 0, %entry ], [ {{%.*}}, %loop.full ]
; CHECK: [[SUM]] = fadd
; CHECK: br i1 {{%.*}}, label %loop.full, label %end
define void @product(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %row.inside = icmp ult i64 %y, %n
  %column.inside = icmp ult i64 %x, %n
  %row = mul i64 %y, %n
  %inside = and i1 %row.inside, %column.inside
  br i1 %inside, label %loop, label %end
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %row, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %b.row = mul i64 %k, %n
  %b.index = add i64 %b.row, %x
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %product = fmul float %a.value, %b.value
  %sum.next = fadd float %sum, %product
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %result = phi float [ -1.0, %entry ], [ %sum.next, %loop ]
  %index = add i64 %row, %x
  %to = getelementptr float, ptr addrspace(1) %c, i64 %index
  store float %result, ptr addrspace(1) %to
  ret void
}

; An early return, in groups of one row of which the launch offers several.
; CHECK-LABEL: @early
; CHECK: %beyond = icmp uge i64 %row, %n
; CHECK-NEXT: [[SAFE:%.*]] = freeze i1 %beyond
; CHECK-NEXT: [[NOT:%.*]] = xor i1 [[SAFE]], true
; CHECK-NEXT: %all = call i1 @__lockstep_all_lanes(i1 [[NOT]],
; CHECK-NEXT: br i1 %all, label %loop.full, label %entry.divergent
; CHECK: store float
; CHECK: store float
define void @early(ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #1 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %row = call i64 @__lockstep_group_id(i32 1)
  %beyond = icmp uge i64 %row, %n
  br i1 %beyond, label %end, label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %k
  %value = load float, ptr addrspace(1) %b.at
  %to = getelementptr [64 x float], ptr addrspace(1) %c, i64 %row, i64 %x
  store float %value, ptr addrspace(1) %to
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="16,16,1" "lockstep-sub-group-size"="16" }
attributes #1 = { "lockstep-local-size"="64,1,1" "lockstep-neighbor-groups"="1,4,1" "lockstep-sub-group-size"="16" }
