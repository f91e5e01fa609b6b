; RUN: lockstep-opt -passes='canonicalize-flow,linearize' %s | FileCheck %s
; The phi is undefined for lanes that come by %else, so the analysis calls it uniform. What lanes from %then brought must
; survive the visit of %else.

; CHECK-LABEL: @kernel
; CHECK-NOT: {{poison|undef}}, i32 %value
; CHECK: select i1 %{{.*}}, i32 %value, i32 undef
; CHECK-NOT: i32 {{undef|poison}}
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %apart = icmp ult i64 %lane, 5
  br i1 %apart, label %then, label %else
then:
  %value = load i32, ptr addrspace(1) %q
  br label %join
else:
  %elsewhere = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  store i32 2, ptr addrspace(1) %elsewhere
  br label %join
join:
  %either = phi i32 [ %value, %then ], [ undef, %else ]
  br i1 %apart, label %use, label %end
use:
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  store i32 %either, ptr addrspace(1) %place
  br label %end
end:
  ret void
}

; One byte of four is undefined, and only that one: poison would spread to the word.
; CHECK-LABEL: @word
; CHECK: %high.word = zext i8 undef to i16
define void @word(ptr addrspace(1) %p, ptr addrspace(1) %q) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %apart = icmp ult i64 %lane, 5
  br i1 %apart, label %then, label %join
then:
  %value = load i8, ptr addrspace(1) %q
  br label %join
join:
  %low = phi i8 [ %value, %then ], [ 0, %entry ]
  %high = phi i8 [ undef, %then ], [ undef, %entry ]
  %low.word = zext i8 %low to i16
  %high.word = zext i8 %high to i16
  %shifted = shl i16 %high.word, 8
  %word = or i16 %shifted, %low.word
  %byte = and i16 %word, 255
  %place = getelementptr i16, ptr addrspace(1) %p, i64 %lane
  store i16 %byte, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
