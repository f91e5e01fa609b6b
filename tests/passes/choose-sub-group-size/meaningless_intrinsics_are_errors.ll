; RUN: not lockstep-opt -passes=choose-sub-group-size %s 2>&1 | FileCheck %s
; CHECK: the kernel uses llvm.eh.typeid.for, which has no meaning for a work-item

define i32 @kernel(ptr %p) "lockstep-sub-group-size"="1" {
  %i = call i32 @llvm.eh.typeid.for(ptr %p)
  ret i32 %i
}
