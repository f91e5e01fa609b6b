; RUN: lockstep-opt -passes='make-coroutine,coro-early,cgscc(coro-split),coro-cleanup,finish-coroutine' %s 2>/dev/null | FileCheck %s
; What the function has stored in the frame it does not load again, although an acquiring load stands between. What resumes
; the coroutine loads it.

; CHECK: define internal void @lockstep.sub_group(
; CHECK: store ptr %launch, ptr %launch.spill.addr
; CHECK: load atomic
; CHECK-NOT: .reload{{[0-9]*}} = load
; CHECK: store i64 %{{.*}}, ptr %launch
; CHECK: define internal {{.*}}void @lockstep.sub_group.resume(
; CHECK: [[LAUNCH:%launch.reload.*]] = load ptr, ptr %launch.reload.addr
; CHECK: store i64 {{.*}}, ptr [[LAUNCH]]
define void @lockstep.sub_group(ptr %launch, ptr %group, ptr %frame, i64 %sub.group) "lockstep-local-memory"="8" {
entry:
  %before = load i64, ptr %launch
  %flag = load atomic i64, ptr %group acquire, align 8
  %waits = icmp eq i64 %flag, 0
  br i1 %waits, label %wait, label %end
wait:
  call void @__lockstep_suspend(i32 2, i32 0, i1 false)
  br label %end
end:
  store i64 %before, ptr %launch
  ret void
}

declare void @__lockstep_suspend(i32, i32, i1)
