; RUN: lockstep-opt -passes='lane-ids,canonicalize-flow,unmasked-loops' --local-size=64,1,1 %s | FileCheck %s
; RUN: lockstep-opt -passes='lane-ids,canonicalize-flow,unmasked-loops,linearize,packetize' --local-size=64,1,1 %s | FileCheck %s --check-prefix=LANES
; RUN: lockstep-opt -passes='lane-ids,canonicalize-flow,unmasked-loops' --local-size=40,1,1 %s | FileCheck %s --check-prefix=PARTIAL
; `for (i = id; i < n; i += step) sum += a[i]`, as loop rotation leaves it: a guard in front.

; CHECK-LABEL: define void @lockstep.kernel
; CHECK: [[ALL:%.*]] = call i1 @__lockstep_all_lanes(i1 %enter, {{.*}})
; CHECK: br i1 [[ALL]], label %loop.full.preheader, label %[[GUARD:entry.split]]
; CHECK: [[GUARD]]:
; CHECK: %enter.from = phi i1 [ %enter, %entry ], [ [[AGAIN:%.*]], %loop.parted ]
; CHECK: %local.id.from = phi i64 [ %local.id, %entry ], [ [[NEXT:%.*]], %loop.parted ]
; CHECK: phi i32 [ 0, %entry ], [ [[MORE:%.*]], %loop.parted ]
; CHECK: br i1 %enter.from, label %loop.preheader, label %done
; CHECK: done:
; CHECK: phi i32 [ {{.*}}, %[[GUARD]] ], [ %more.lcssa, %done.loopexit ]
; CHECK: loop.full:
; CHECK: [[STAY:%.*]] = call i1 @__lockstep_all_lanes(i1 %again.full, {{.*}})
; CHECK: br i1 [[STAY]], label %loop.full, label %loop.parted
; CHECK: loop.parted:
; CHECK: [[MORE]] = phi i32 [ %more.full, %loop.full ]
; CHECK: [[NEXT]] = phi i64 [ %next.full, %loop.full ]
; CHECK: [[AGAIN]] = phi i1 [ %again.full, %loop.full ]
; CHECK: br label %[[GUARD]]

; All lanes: the last one says it, 15 above the first.
; LANES: call i1 @__lockstep_all_lanes(i1 true, i64 %{{.*}}, i64 %n, i64 15, i32 36)
; LANES: loop.full:
; LANES-NOT: masked
; LANES: load <16 x i32>, ptr addrspace(1)
; LANES: call i1 @__lockstep_all_lanes(i1 true, i64 %next.full, i64 %n, i64 15, i32 36)

; Lanes that are not there have nothing against it.
; PARTIAL-DAG: [[LANE:%.*]] = call i64 @__lockstep_lane()
; PARTIAL-DAG: [[THERE:%.*]] = call i64 @__lockstep_active_lanes()
; PARTIAL: icmp uge i64 {{%.*}}, [[THERE]]

define void @lockstep.kernel(ptr addrspace(1) %a, i64 %n, i64 %step, ptr addrspace(1) %out) #0 {
entry:
  %i0 = call i64 @__lockstep_local_id(i32 0)
  %enter = icmp ult i64 %i0, %n
  br i1 %enter, label %loop, label %done

loop:
  %i = phi i64 [ %i0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %value = load i32, ptr addrspace(1) %at
  %more = add i32 %sum, %value
  %next = add i64 %i, %step
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done

done:
  %result = phi i32 [ 0, %entry ], [ %more, %loop ]
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %i0
  store i32 %result, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-sub-group-size"="16" }
