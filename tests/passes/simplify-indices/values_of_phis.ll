; RUN: lockstep-opt -passes=simplify-indices %s | FileCheck %s
; GVN replaces an index by the constant that it has on one path. The phi of both is the index.

; `if (i != 0) v = a[i - 1]; b[i] = v`, where i is the low half of a 64-bit id.
; CHECK-LABEL: @mask
; CHECK: end:
; CHECK-NEXT: %v = phi i32
; CHECK-NOT: phi
; CHECK: [[NARROW:%.*]] = trunc i64 %id to i32
; CHECK: sext i32 [[NARROW]] to i64
; CHECK: ret
define void @mask(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %id) "lockstep-sub-group-size"="16" {
entry:
  %low = and i64 %id, 4294967295
  %is.first = icmp eq i64 %low, 0
  br i1 %is.first, label %end, label %others
others:
  %high = shl i64 %id, 32
  %bytes = ashr exact i64 %high, 30
  %a.at = getelementptr i8, ptr addrspace(1) %a, i64 %bytes
  %loaded = load i32, ptr addrspace(1) %a.at
  br label %end
end:
  %v = phi i32 [ %loaded, %others ], [ 1, %entry ]
  %at = phi i64 [ %bytes, %others ], [ 0, %entry ]
  %b.at = getelementptr i8, ptr addrspace(1) %b, i64 %at
  store i32 %v, ptr addrspace(1) %b.at
  ret void
}

; Another number, found by a test for inequality, before a branch that does not matter. Flags may not hold on both paths.
; CHECK-LABEL: @seven
; CHECK: end:
; CHECK-NOT: phi
; CHECK: [[ONE:%.*]] = add i32 %i, 1
; CHECK: [[WIDE:%.*]] = zext i32 [[ONE]] to i64
; CHECK: store i64 [[WIDE]]
define void @seven(ptr addrspace(1) %b, i32 %i, i1 %also) "lockstep-sub-group-size"="16" {
entry:
  %differs = icmp ne i32 %i, 7
  br i1 %differs, label %others, label %same
same:
  br label %end
others:
  %next = add nsw nuw i32 %i, 1
  %wide = zext nneg i32 %next to i64
  store i64 0, ptr addrspace(1) %b
  br label %end
end:
  %value = phi i64 [ %wide, %others ], [ 8, %same ]
  store i64 %value, ptr addrspace(1) %b
  ret void
}

; Other constants, and values that the condition does not know. (The phi of 8 is the value.)
; CHECK-LABEL: @others_stay
; CHECK: end:
; CHECK-NEXT: phi i64 [ %double, %others ], [ 6, %entry ]
; CHECK-NOT: phi i64 [ %double, %others ], [ 8, %entry ]
; CHECK: phi i64 [ %other, %others ], [ 4, %entry ]
define void @others_stay(ptr addrspace(1) %b, i64 %i, i64 %j) "lockstep-sub-group-size"="16" {
entry:
  %is.four = icmp eq i64 %i, 4
  br i1 %is.four, label %end, label %others
others:
  %double = shl i64 %i, 1
  %other = add i64 %j, 0
  br label %end
end:
  %six = phi i64 [ %double, %others ], [ 6, %entry ]
  %eight = phi i64 [ %double, %others ], [ 8, %entry ]
  %four = phi i64 [ %other, %others ], [ 4, %entry ]
  %sum = add i64 %six, %four
  store i64 %sum, ptr addrspace(1) %b
  ret void
}

; CHECK-LABEL: @less
; CHECK: phi i64
define void @less(ptr addrspace(1) %b, i64 %i) "lockstep-sub-group-size"="16" {
entry:
  %is.less = icmp ult i64 %i, 4
  br i1 %is.less, label %end, label %others
others:
  %double = shl i64 %i, 1
  br label %end
end:
  %value = phi i64 [ %double, %others ], [ 0, %entry ]
  store i64 %value, ptr addrspace(1) %b
  ret void
}

; The other summand is known on one path only.
; CHECK-LABEL: @another_value
; CHECK: phi i32
define void @another_value(ptr addrspace(1) %b, i64 %i) "lockstep-sub-group-size"="16" {
entry:
  %is.four = icmp eq i64 %i, 4
  br i1 %is.four, label %end, label %others
others:
  %loaded = load i64, ptr addrspace(1) %b
  %high = shl i64 %loaded, 32
  %both = or i64 %high, %i
  %low = trunc i64 %both to i32
  br label %end
end:
  %value = phi i32 [ %low, %others ], [ 4, %entry ]
  store i32 %value, ptr addrspace(1) %b
  ret void
}
