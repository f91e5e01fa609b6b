; Variables in which lanes hold what is theirs, or may.
; RUN: lockstep-opt -passes=share-private-arrays %s | FileCheck %s

; CHECK-LABEL: define void @values
; CHECK: %array = alloca [4 x i64], align 8{{$}}
define void @values() #0 {
  %array = alloca [4 x i64], align 8
  %lane = call i64 @__lockstep_lane()
  store i64 %lane, ptr %array
  ret void
}

; CHECK-LABEL: define void @places
; CHECK: %array = alloca [4 x i64], align 8{{$}}
define void @places() #0 {
  %array = alloca [4 x i64], align 8
  %lane = call i64 @__lockstep_lane()
  %place = getelementptr i64, ptr %array, i64 %lane
  store i64 1, ptr %place
  ret void
}

; What is loaded from one, which differs, goes to the other.
; CHECK-LABEL: define void @of_each_other
; CHECK: %a = alloca i64, align 8{{$}}
; CHECK: %b = alloca i64, align 8{{$}}
define void @of_each_other() #0 {
  %a = alloca i64, align 8
  %b = alloca i64, align 8
  %lane = call i64 @__lockstep_lane()
  store i64 %lane, ptr %a
  %loaded = load i64, ptr %a
  store i64 %loaded, ptr %b
  ret void
}

; CHECK-LABEL: define void @gets_away
; CHECK: %kept = alloca i64, align 8{{$}}
define void @gets_away() #0 {
  %kept = alloca i64, align 8
  store i64 1, ptr %kept
  call void @use(ptr %kept)
  ret void
}

; Lanes that are not in the branch keep the zero.
; CHECK-LABEL: define void @some_store
; CHECK: %flag = alloca i32, align 4{{$}}
define void @some_store(i64 %n, ptr addrspace(1) %to) #0 {
entry:
  %flag = alloca i32, align 4
  store i32 0, ptr %flag
  %lane = call i64 @__lockstep_lane()
  %is.low = icmp ult i64 %lane, %n
  br i1 %is.low, label %low, label %end

low:
  store i32 1, ptr %flag
  br label %end

end:
  %loaded = load i32, ptr %flag
  %own = getelementptr i32, ptr addrspace(1) %to, i64 %lane
  store i32 %loaded, ptr addrspace(1) %own
  ret void
}

; In each round other lanes come by, and find what they left there themselves.
; CHECK-LABEL: define void @alternating_halves
; CHECK: %count = alloca i32, align 4{{$}}
define void @alternating_halves(ptr addrspace(1) %to) #0 {
entry:
  %count = alloca i32, align 4
  %lane = call i64 @__lockstep_lane()
  br label %round

round:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %is.mine = icmp eq i64 %lane, %i
  br i1 %is.mine, label %mine, label %join

mine:
  %before = load i32, ptr %count
  %after = add i32 %before, 1
  store i32 %after, ptr %count
  br label %join

join:
  %next = add i64 %i, 1
  %is.last = icmp eq i64 %next, 8
  br i1 %is.last, label %end, label %round

end:
  ret void
}

; Each lane does as many rounds as it likes.
; CHECK-LABEL: define void @rounds_of_their_own
; CHECK: %count = alloca i32, align 4{{$}}
define void @rounds_of_their_own(ptr addrspace(1) %to) #0 {
entry:
  %count = alloca i32, align 4
  %lane = call i64 @__lockstep_lane()
  store i32 0, ptr %count
  br label %round

round:
  %i = phi i64 [ 0, %entry ], [ %next, %round ]
  %before = load i32, ptr %count
  %after = add i32 %before, 1
  store i32 %after, ptr %count
  %next = add i64 %i, 1
  %is.last = icmp ugt i64 %next, %lane
  br i1 %is.last, label %end, label %round

end:
  %loaded = load i32, ptr %count
  %own = getelementptr i32, ptr addrspace(1) %to, i64 %lane
  store i32 %loaded, ptr addrspace(1) %own
  ret void
}

; A lane that holds a lock stores before the next one has it.
; CHECK-LABEL: define void @one_after_the_other
; CHECK: %value = alloca i32, align 4{{$}}
define void @one_after_the_other() #0 {
  %value = alloca i32, align 4
  call void @__lockstep_serial_begin()
  store i32 1, ptr %value
  call void @__lockstep_serial_end()
  ret void
}

declare i64 @__lockstep_lane() #1
declare void @use(ptr)
declare void @__lockstep_serial_begin() #2
declare void @__lockstep_serial_end() #2

attributes #0 = { "lockstep-sub-group-size"="4" }
attributes #1 = { nounwind willreturn memory(none) }
attributes #2 = { convergent nounwind }
