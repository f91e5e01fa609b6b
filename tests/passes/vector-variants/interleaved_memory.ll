; Private variables whose addresses are passed to kept functions are marked as interleaved, with what those functions take
; them for, if everybody accesses them in elements of one size. Where each lane's own element is meant, lane 0's address is
; passed, a scalar; an element that the lanes choose is a vector of addresses.
; RUN: lockstep-opt -passes=vector-variants %s | FileCheck %s

; CHECK-LABEL: define void @kernel
; CHECK: %words = alloca [4 x i32], align 4, !lockstep.interleaved ![[FOUR:[0-9]+]]
; CHECK: %other = alloca [4 x i32], align 4, !lockstep.interleaved ![[FOUR]]
; CHECK: %mixed = alloca [4 x i32], align 4{{$}}
; CHECK: %chosen.one = alloca i32, align 4{{$}}
; CHECK: %chosen.two = alloca i32, align 4{{$}}
; CHECK: %alone = alloca i32, align 4{{$}}
; CHECK: %second = getelementptr [4 x i32], ptr %words, i64 0, i64 1
; CHECK: %[[BACK:.*]] = mul i64 %{{.*}}, -4
; CHECK: %[[FIRST:.*]] = getelementptr i8, ptr %second, i64 %[[BACK]], !lockstep.address.of.first.lane
; CHECK: call void @outer(ptr %[[FIRST]], ptr %some)
define void @kernel(i64 %n) #0 {
  %words = alloca [4 x i32], align 4
  %other = alloca [4 x i32], align 4
  %mixed = alloca [4 x i32], align 4
  %chosen.one = alloca i32, align 4
  %chosen.two = alloca i32, align 4
  %alone = alloca i32, align 4
  %lane = call i64 @__lockstep_lane()
  %second = getelementptr [4 x i32], ptr %words, i64 0, i64 1
  %some = getelementptr [4 x i32], ptr %other, i64 0, i64 %lane
  call void @outer(ptr %second, ptr %some)
  store i64 0, ptr %mixed
  call void @changes(ptr %mixed)
  %choice = icmp eq i64 %lane, 0
  %chosen = select i1 %choice, ptr %chosen.one, ptr %chosen.two
  call void @sets(ptr %chosen)
  store i32 1, ptr %alone
  ret void
}

; Does not access it itself.
define internal void @outer(ptr %a, ptr %b) #1 {
  %third = getelementptr i8, ptr %a, i64 4
  call void @inner(ptr %third, ptr %b)
  ret void
}

define internal void @inner(ptr %to, ptr %from) #1 {
  %value = load i32, ptr %from
  store i32 %value, ptr %to
  ret void
}

define internal void @changes(ptr %p) #1 {
  store i32 1, ptr %p
  ret void
}

define internal void @sets(ptr %p) #1 {
  store i32 1, ptr %p
  ret void
}

; CHECK-LABEL: define internal void @sets.lanes(i4 %active.bits, <4 x ptr> %p)
; CHECK: %p.of.lane = extractelement <4 x ptr> %p, i64 %{{.*}}{{$}}
; CHECK-LABEL: define internal void @changes.lanes(i4 %active.bits, <4 x ptr> %p)
; CHECK: %p.of.lane = extractelement <4 x ptr> %p, i64 %{{.*}}{{$}}
; CHECK-LABEL: define internal void @outer.lanes(i4 %active.bits, ptr %a, <4 x ptr> %b)
; CHECK: %[[LANE:.*]] = call i64 @__lockstep_lane()
; CHECK: %[[AHEAD:.*]] = mul i64 %[[LANE]], 4
; CHECK: %a.of.lane = getelementptr i8, ptr %a, i64 %[[AHEAD]], !lockstep.interleaved ![[FOUR]]
; CHECK: %b.of.lane = extractelement <4 x ptr> %b, i64 %[[LANE]], !lockstep.interleaved ![[FOUR]]
; CHECK: %third = getelementptr i8, ptr %a.of.lane, i64 4
; CHECK: %[[FIRST:.*]] = getelementptr i8, ptr %third, {{.*}}, !lockstep.address.of.first.lane
; CHECK: call void @inner(ptr %[[FIRST]], ptr %b.of.lane)
; CHECK-LABEL: define internal void @inner.lanes(i4 %active.bits, ptr %to, <4 x ptr> %from)
; CHECK: ![[FOUR]] = !{i64 4}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
attributes #0 = { "lockstep-sub-group-size"="4" }
attributes #1 = { "lockstep-out-of-line" }
