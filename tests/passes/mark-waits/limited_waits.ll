; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s
; Waits that end by themselves: a poll that counts, and a loop around it whose variable is halved until it is zero, although
; its value is chosen by what was polled. A loop that shifts a negative number comes to -1.

; CHECK: define void @polls({{.*}} #[[LIMITED:[0-9]+]]
; CHECK: define void @shifts({{.*}} #[[ENDLESS:[0-9]+]]
; CHECK-DAG: attributes #[[LIMITED]] = { {{.*}}"lockstep-lanes-wait-for-each-other"{{.*}}"lockstep-waits-are-limited" }
; CHECK-DAG: attributes #[[ENDLESS]] = { {{.*}}"lockstep-lanes-wait-for-each-other"{{.*}} }

define void @polls(ptr addrspace(1) %flag, i32 %id, i32 %n, i32 %total) {
entry:
  br label %round
round:
  %left = phi i32 [ %total, %entry ], [ %next, %join ]
  %half = sdiv i32 %left, 2
  %looks = icmp slt i32 %id, %half
  br i1 %looks, label %poll, label %tell
poll:
  %i = phi i32 [ 0, %round ], [ %i.next, %poll ]
  %seen = load volatile i32, ptr addrspace(1) %flag
  %unset = icmp ne i32 %seen, -1
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  %again = select i1 %unset, i1 %more, i1 false
  br i1 %again, label %poll, label %join
tell:
  store volatile i32 -1, ptr addrspace(1) %flag
  br label %join
join:
  %now = load volatile i32, ptr addrspace(1) %flag
  %go = icmp ne i32 %now, 2
  %next = select i1 %go, i32 %half, i32 %left
  %positive = icmp sgt i32 %next, 0
  %stay = select i1 %go, i1 %positive, i1 false
  br i1 %stay, label %round, label %end
end:
  ret void
}

define void @shifts(ptr addrspace(1) %flag, i32 %id, i32 %total) {
entry:
  br label %round
round:
  %left = phi i32 [ %total, %entry ], [ %half, %join ]
  %half = ashr i32 %left, 1
  %looks = icmp slt i32 %id, %half
  br i1 %looks, label %tell, label %join
tell:
  store volatile i32 -1, ptr addrspace(1) %flag
  br label %join
join:
  %now = load volatile i32, ptr addrspace(1) %flag
  %go = icmp ne i32 %now, 2
  %nonzero = icmp ne i32 %half, 0
  %stay = select i1 %go, i1 %nonzero, i1 false
  br i1 %stay, label %round, label %end
end:
  ret void
}
