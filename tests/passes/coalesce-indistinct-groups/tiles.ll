; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes='coalesce-indistinct-groups' %s | FileCheck %s
; Tiles whose work-items know their global ids alone, and access rows of memory alone: each row is a call, as long as 1 KiB.

; CHECK: define void @rows({{.*}}) #[[ROWS:[0-9]+]]
; CHECK: %x = call range(i64 0, 256) i64 @__lockstep_local_id(i32 0)
; CHECK: %column = add i64 %left, %x
; CHECK-NOT: add i64 %above
; CHECK: %line = mul i64 %second, %pitch
define void @rows(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %pitch) #0 {
  %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 0)
  %second = call i64 @__lockstep_group_id(i32 1)
  %left = shl i64 %first, 4
  %column = or disjoint i64 %left, %x
  %above = shl i64 %second, 2
  %row = or disjoint i64 %above, %y
  %line = mul i64 %row, %pitch
  %index = add i64 %line, %column
  %from = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr float, ptr addrspace(1) %b, i64 %index
  store float %value, ptr addrspace(1) %to
  ret void
}

; The row below, and the column beside: LLVM has added the constants to the local ids first.
; CHECK: define void @beside({{.*}}) #[[ROWS]]
; CHECK: %global.id = add i64 %left, %x
; CHECK-NEXT: %column = add i64 %global.id, 1
; CHECK: %row = add i64 %second, 1
; CHECK-NEXT: %line = mul i64 %row, %pitch
define void @beside(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %pitch) #0 {
  %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 0)
  %second = call i64 @__lockstep_group_id(i32 1)
  %left = shl i64 %first, 4
  %next = add nuw nsw i64 %x, 1
  %column = add i64 %next, %left
  %above = shl i64 %second, 2
  %below = add nuw nsw i64 %y, 1
  %row = add i64 %above, %below
  %line = mul i64 %row, %pitch
  %index = add i64 %line, %column
  %from = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %from
  %to = getelementptr float, ptr addrspace(1) %b, i64 %index
  store float %value, ptr addrspace(1) %to
  ret void
}

; What is written lies in columns: tiles are better.
; CHECK: define void @columns({{.*}}) #[[AS_IT_WAS:[0-9]+]]
define void @columns(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %pitch) #0 {
  %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 0)
  %second = call i64 @__lockstep_group_id(i32 1)
  %left = shl i64 %first, 4
  %column = or disjoint i64 %left, %x
  %above = shl i64 %second, 2
  %row = or disjoint i64 %above, %y
  %line = mul i64 %row, %pitch
  %index = add i64 %line, %column
  %from = getelementptr float, ptr addrspace(1) %a, i64 %index
  %value = load float, ptr addrspace(1) %from
  %other.line = mul i64 %column, %pitch
  %other.index = add i64 %other.line, %row
  %to = getelementptr float, ptr addrspace(1) %b, i64 %other.index
  store float %value, ptr addrspace(1) %to
  ret void
}

; An image: what is done where a texel is outside does not count. Coordinates are an int2; LLVM extends a sign by shifts.
; CHECK: define void @image({{.*}}) #[[BYTES:[0-9]+]]
define void @image(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %pitch, i32 %width) #0 {
  %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 0)
  %second = call i64 @__lockstep_group_id(i32 1)
  %left = shl i64 %first, 4
  %column = or disjoint i64 %left, %x
  %above = shl i64 %second, 2
  %row = or disjoint i64 %above, %y
  %column.narrow = trunc i64 %column to i32
  %row.narrow = trunc i64 %row to i32
  %at.x = insertelement <2 x i32> poison, i32 %column.narrow, i64 0
  %at = insertelement <2 x i32> %at.x, i32 %row.narrow, i64 1
  %beside = add <2 x i32> %at, <i32 1, i32 -1>
  %beside.x = extractelement <2 x i32> %beside, i64 0
  %beside.y = extractelement <2 x i32> %beside, i64 1
  %is.inside = icmp ult i32 %beside.x, %width
  %all.x = call i1 @__lockstep_all_lanes(i1 %is.inside, i64 0, i64 0, i64 0, i32 0)
  %all.y = call i1 @__lockstep_all_lanes(i1 true, i64 0, i64 0, i64 0, i32 0)
  %all = and i1 %all.x, %all.y
  br i1 %all, label %inside, label %outside

inside:
  %line.number = sext i32 %beside.y to i64
  %line = mul i64 %line.number, %pitch
  %line.begin = getelementptr i8, ptr addrspace(1) %a, i64 %line
  %beside.wide = sext i32 %beside.x to i64
  %from = getelementptr i8, ptr addrspace(1) %line.begin, i64 %beside.wide
  %value = load i8, ptr addrspace(1) %from
  br label %end

outside:
  %clamped = call i32 @llvm.smin.i32(i32 %beside.x, i32 %width)
  %clamped.wide = sext i32 %clamped to i64
  %nearest = getelementptr i8, ptr addrspace(1) %a, i64 %clamped.wide
  %other = load i8, ptr addrspace(1) %nearest
  br label %end

end:
  %texel = phi i8 [ %value, %inside ], [ %other, %outside ]
  %high = shl i64 %column, 32
  %column.wide = ashr exact i64 %high, 32
  %to = getelementptr i8, ptr addrspace(1) %b, i64 %column.wide
  store i8 %texel, ptr addrspace(1) %to
  ret void
}

; Elements of four bytes: LLVM extends and multiplies by two shifts, or by one and a mask.
; CHECK: define void @words({{.*}}) #[[ROWS]]
define void @words(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
  %first = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %first, 4
  %column = or disjoint i64 %left, %x
  %high = shl i64 %column, 32
  %byte = ashr exact i64 %high, 30
  %from = getelementptr i8, ptr addrspace(1) %a, i64 %byte
  %value = load i32, ptr addrspace(1) %from, align 1
  %times.four = shl i64 %column, 2
  %unsigned.byte = and i64 %times.four, 17179869180
  %to = getelementptr i8, ptr addrspace(1) %b, i64 %unsigned.byte
  store i32 %value, ptr addrspace(1) %to, align 1
  ret void
}

; The same where it may be outside, with an atomic: groups stay as they are.
; CHECK: define void @atomic({{.*}}) #[[AS_IT_WAS]]
define void @atomic(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %width) #0 {
  %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
  %first = call i64 @__lockstep_group_id(i32 0)
  %left = shl i64 %first, 4
  %column = or disjoint i64 %left, %x
  %narrow = trunc i64 %column to i32
  %is.inside = icmp ult i32 %narrow, %width
  %all = call i1 @__lockstep_all_lanes(i1 %is.inside, i64 0, i64 0, i64 0, i32 0)
  br i1 %all, label %inside, label %outside

inside:
  %to = getelementptr i8, ptr addrspace(1) %b, i64 %column
  store i8 1, ptr addrspace(1) %to
  br label %end

outside:
  %old = atomicrmw add ptr addrspace(1) %a, i32 1 monotonic
  br label %end

end:
  ret void
}

; A work-item asks for its place in the second dimension.
; CHECK: define void @place({{.*}}) #[[AS_IT_WAS]]
define void @place(ptr addrspace(1) %a, i64 %pitch) #0 {
  %x = call range(i64 0, 16) i64 @__lockstep_local_id(i32 0)
  %y = call range(i64 0, 4) i64 @__lockstep_local_id(i32 1)
  %first = call i64 @__lockstep_group_id(i32 0)
  %second = call i64 @__lockstep_group_id(i32 1)
  %left = shl i64 %first, 4
  %column = or disjoint i64 %left, %x
  %above = shl i64 %second, 2
  %row = or disjoint i64 %above, %y
  %line = mul i64 %row, %pitch
  %index = add i64 %line, %column
  %to = getelementptr i64, ptr addrspace(1) %a, i64 %index
  store i64 %y, ptr addrspace(1) %to
  ret void
}

declare i1 @__lockstep_all_lanes(i1, i64, i64, i64, i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

; CHECK-DAG: attributes #[[ROWS]] = { "lockstep-calls-per-group"="1,4,1" "lockstep-coalesced-groups"="0,16,0" "lockstep-local-size"="256,1,1"
; CHECK-DAG: attributes #[[BYTES]] = { "lockstep-calls-per-group"="1,4,1" "lockstep-coalesced-groups"="0,64,0" "lockstep-local-size"="1024,1,1"
; CHECK-DAG: attributes #[[AS_IT_WAS]] = { "lockstep-local-size"="16,4,1"
attributes #0 = { "lockstep-local-size"="16,4,1" "lockstep-neighbor-groups"="64,1,1" }
