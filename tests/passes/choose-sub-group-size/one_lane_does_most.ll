; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=choose-sub-group-size %s 2>&1 | FileCheck %s
; Each 64th work-item, or the first one of a group of 64, sums up what others have written: most of the work is where one lane would
; be alone. Where all do as much, or the one does little, lanes win; and where two lanes of a sub-group may come there.

; CHECK-COUNT-2: remark: {{.*}}one lane: most of the work is where one work-item of a sub-group goes alone
; CHECK-NOT: remark
; CHECK: define void @each_64th({{.*}} #[[ONE_OF_64:[0-9]+]]
; CHECK: define void @first({{.*}} #[[FIRST:[0-9]+]]
; CHECK: define void @each_4th({{.*}} #[[FOURTH:[0-9]+]]
; CHECK: define void @once({{.*}} #[[MORE:[0-9]+]]
; CHECK: define void @all_do_as_much({{.*}} #[[MORE]]
; CHECK-DAG: attributes #[[ONE_OF_64]] = { {{.*}}"lockstep-sub-group-size"="1" }
; CHECK-DAG: attributes #[[FIRST]] = { {{.*}}"lockstep-sub-group-size"="1" }
; CHECK-DAG: attributes #[[FOURTH]] = { {{.*}}"lockstep-sub-group-size"="16" }
; CHECK-DAG: attributes #[[MORE]] = { {{.*}}"lockstep-sub-group-size"="16" }

define void @each_64th(ptr addrspace(3) %in, ptr addrspace(1) %out) "lockstep-local-size"="4096,1,1" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %low = and i64 %id, 63
  %is = icmp eq i64 %low, 0
  br i1 %is, label %loop, label %end
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = add i64 %id, %i
  %place = getelementptr float, ptr addrspace(3) %in, i64 %at
  %value = load float, ptr addrspace(3) %place
  %beside = getelementptr float, ptr addrspace(3) %place, i64 4096
  %weight = load float, ptr addrspace(3) %beside
  %product = fmul float %value, %weight
  %sum.next = fadd float %sum, %product
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, 64
  br i1 %more, label %loop, label %done
done:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %sum.next, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

define void @first(ptr addrspace(3) %in, ptr addrspace(1) %out) "lockstep-local-size"="64,1,1" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %is = icmp eq i64 %id, 0
  br i1 %is, label %loop, label %end
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = add i64 %id, %i
  %place = getelementptr float, ptr addrspace(3) %in, i64 %at
  %value = load float, ptr addrspace(3) %place
  %beside = getelementptr float, ptr addrspace(3) %place, i64 4096
  %weight = load float, ptr addrspace(3) %beside
  %product = fmul float %value, %weight
  %sum.next = fadd float %sum, %product
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, 64
  br i1 %more, label %loop, label %done
done:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %sum.next, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

define void @each_4th(ptr addrspace(3) %in, ptr addrspace(1) %out) "lockstep-local-size"="4096,1,1" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %low = and i64 %id, 3
  %is = icmp eq i64 %low, 0
  br i1 %is, label %loop, label %end
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = add i64 %id, %i
  %place = getelementptr float, ptr addrspace(3) %in, i64 %at
  %value = load float, ptr addrspace(3) %place
  %beside = getelementptr float, ptr addrspace(3) %place, i64 4096
  %weight = load float, ptr addrspace(3) %beside
  %product = fmul float %value, %weight
  %sum.next = fadd float %sum, %product
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, 64
  br i1 %more, label %loop, label %done
done:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %sum.next, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

define void @once(ptr addrspace(3) %in, ptr addrspace(1) %out) "lockstep-local-size"="256,1,1" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %is = icmp eq i64 %id, 0
  br i1 %is, label %then, label %end
then:
  store float 1.0, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

define void @all_do_as_much(ptr addrspace(3) %in, ptr addrspace(1) %out) "lockstep-local-size"="256,1,1" {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %at = add i64 %id, %i
  %place = getelementptr float, ptr addrspace(3) %in, i64 %at
  %value = load float, ptr addrspace(3) %place
  %sum.next = fadd float %sum, %value
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, 64
  br i1 %more, label %loop, label %decide
decide:
  %is = icmp eq i64 %id, 0
  br i1 %is, label %again, label %end
again:
  %k = phi i64 [ 0, %decide ], [ %k.next, %again ]
  %all = phi float [ 0.0, %decide ], [ %all.next, %again ]
  %from = getelementptr float, ptr addrspace(3) %in, i64 %k
  %other = load float, ptr addrspace(3) %from
  %all.next = fadd float %all, %other
  %k.next = add i64 %k, 1
  %go = icmp ult i64 %k.next, 64
  br i1 %go, label %again, label %done
done:
  store float %all.next, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32)
