; RUN: lockstep-opt -passes='interleave-sub-groups' %s | FileCheck %s
; Two sub-groups go through the loop while all lanes of both go on. What is left of it, which is of
; different length, runs for one after the other, each with the values that it came with.

; CHECK-LABEL: @kernel
; CHECK: entry:
; CHECK: %x = call i64 @__lockstep_local_id(i32 0)
; CHECK-NEXT: [[OTHER:%.*]] = add nuw nsw i64 %x, 16
; CHECK: loop:
; CHECK: %all.here = icmp ult i64 %next, %n
; CHECK-NEXT: [[HERE:%.*]] = icmp ult i64 {{.*}}, %n
; CHECK-NEXT: [[BOTH:%.*]] = and i1 %all.here, [[HERE]]
; CHECK-NEXT: %stay = call i1 @__lockstep_all_lanes(i1 [[BOTH]], i64 0, i64 0, i64 0, i32 0)
; CHECK: parted:
; CHECK: %more = icmp ult i64 %next, %end
; CHECK-NEXT: [[MORE:%.*]] = icmp ult i64 {{.*}}, %end
; CHECK-NEXT: br i1 %more, label %rest, label %[[MET:.*]]
; CHECK: rest:
; CHECK: br i1 %rest.more, label %rest, label %[[MET]]
; CHECK: [[MET]]:
; CHECK-NEXT: phi <16 x i32> [ %sum.rest.next, %rest ], [ %added, %parted ]
; CHECK-NEXT: br i1 [[MORE]], label %[[REST:.*]], label %[[LAST:.*]]
; CHECK: done:
; CHECK: store <16 x i32>
; CHECK-NEXT: store <16 x i32>
; CHECK: [[REST]]:
; CHECK: phi <16 x i32> [ {{.*}}, %[[MET]] ]
define void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n, i64 %end, i64 %step) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %i = phi i64 [ %x, %entry ], [ %next, %loop ]
  %sum = phi <16 x i32> [ zeroinitializer, %entry ], [ %added, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %value = load <16 x i32>, ptr addrspace(1) %at
  %added = add <16 x i32> %sum, %value
  %next = add i64 %i, %step
  %all.here = icmp ult i64 %next, %n
  %stay = call i1 @__lockstep_all_lanes(i1 %all.here, i64 0, i64 0, i64 0, i32 0)
  br i1 %stay, label %loop, label %parted
parted:
  %more = icmp ult i64 %next, %end
  br i1 %more, label %rest, label %done
rest:
  %i.rest = phi i64 [ %next, %parted ], [ %i.rest.next, %rest ]
  %sum.rest = phi <16 x i32> [ %added, %parted ], [ %sum.rest.next, %rest ]
  %at.rest = getelementptr i32, ptr addrspace(1) %a, i64 %i.rest
  %value.rest = load <16 x i32>, ptr addrspace(1) %at.rest
  %sum.rest.next = add <16 x i32> %sum.rest, %value.rest
  %i.rest.next = add i64 %i.rest, %step
  %rest.more = icmp ult i64 %i.rest.next, %end
  br i1 %rest.more, label %rest, label %done
done:
  %result = phi <16 x i32> [ %added, %parted ], [ %sum.rest.next, %rest ]
  %to = getelementptr i32, ptr addrspace(1) %b, i64 %x
  store <16 x i32> %result, ptr addrspace(1) %to
  ret void
}

; Of an index that grows by a constant from one to the next, the last one's last lane is asked; of
; one that does not, each.
; CHECK-LABEL: @index
; CHECK: call i1 @__lockstep_all_lanes(i1 true, i64 %next, i64 %n, i64 31, i32 36)
; CHECK: [[FIRST:%.*]] = add i64 %other.next, 15
; CHECK: icmp uge i64 [[FIRST]], %other.next
; CHECK: icmp ult i64 [[FIRST]], %n
; CHECK: [[SECOND:%.*]] = add i64 [[NEXT:%.*]], 15
; CHECK: icmp uge i64 [[SECOND]], [[NEXT]]
; CHECK: icmp ult i64 [[SECOND]], %n
; CHECK: call i1 @__lockstep_all_lanes(i1 %{{.*}}, i64 0, i64 0, i64 0, i32 0)
define void @index(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n, i64 %step) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %square = mul i64 %x, %x
  br label %loop
loop:
  %i = phi i64 [ %x, %entry ], [ %next, %loop ]
  %sum = phi <16 x i32> [ zeroinitializer, %entry ], [ %added, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %value = load <16 x i32>, ptr addrspace(1) %at
  %added = add <16 x i32> %sum, %value
  %next = add i64 %i, %step
  %stay = call i1 @__lockstep_all_lanes(i1 true, i64 %next, i64 %n, i64 15, i32 36)
  br i1 %stay, label %loop, label %other
other:
  %j = phi i64 [ %square, %loop ], [ %other.next, %other ]
  %product = phi <16 x i32> [ %added, %loop ], [ %multiplied, %other ]
  %other.at = getelementptr i32, ptr addrspace(1) %a, i64 %j
  %other.value = load <16 x i32>, ptr addrspace(1) %other.at
  %multiplied = mul <16 x i32> %product, %other.value
  %other.next = add i64 %j, %step
  %other.stay = call i1 @__lockstep_all_lanes(i1 true, i64 %other.next, i64 %n, i64 15, i32 36)
  br i1 %other.stay, label %other, label %done
done:
  %to = getelementptr i32, ptr addrspace(1) %b, i64 %x
  store <16 x i32> %multiplied, ptr addrspace(1) %to
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i1 @__lockstep_all_lanes(i1, i64, i64, i64, i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="32,1,1" "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
