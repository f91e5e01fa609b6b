; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>&1 | FileCheck %s
; A wait that only the lock's memory can end: nothing changes after the first round
; unless the swap succeeds. The site is pure.

; CHECK: remark: waits: the loop ends when another work-item changes what is read here
; CHECK-LABEL: @spin
; CHECK-SAME: [[WAITS:#[0-9]+]]
; CHECK: %changed.0 = phi i1 [ true, %entry ], [ false, %[[BACK:.*]] ]
; CHECK: %pair = cmpxchg
; CHECK: %[[DONE:[0-9]+]] = extractvalue { i32, i1 } %pair, 1
; CHECK: %[[CHANGED:[0-9]+]] = or i1 %changed.0, %[[DONE]]
; CHECK: %[[OLD:[0-9]+]] = extractvalue { i32, i1 } %pair, 0
; CHECK: %[[WORD:[0-9]+]] = zext i32 %[[OLD]] to i64
; CHECK: %[[PLACE:[0-9]+]] = addrspacecast ptr addrspace(1) %lock to ptr addrspace(4)
; CHECK: call void @__lockstep_seen(ptr addrspace(4) %[[PLACE]], i64 %[[WORD]], i32 260) [[ALL:#[0-9]+]]
; CHECK: br i1 %done, label %end, label %[[BACK]]
; CHECK: [[BACK]]:
; CHECK-NEXT: call void @__lockstep_ends_with(i64 0, i32 276)
; CHECK-NEXT: call void @__lockstep_wait(i32 0, i1 %[[CHANGED]])
; CHECK-NEXT: br label %loop
; CHECK: attributes [[WAITS]] = { "lockstep-form"="resumable" "lockstep-lanes-wait-for-each-other" }
; Of four bytes, the first access; the record of a pure site says all.
; CHECK: attributes [[ALL]] = { {{.*}}"lockstep-wait-record-is-complete" }
; CHECK: !lockstep.sites = !{![[SITE:[0-9]+]]}
; CHECK: ![[SITE]] = distinct !{i32 1, !"", i32 0, i32 0, i32 1}
define void @spin(ptr addrspace(1) %lock) {
entry:
  br label %loop
loop:
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}
