; RUN: opt -S -passes='coro-early,cgscc(coro-split),coro-cleanup' %s | FileCheck %s
; LLVM without the pass: the variable is on the stack of each function, and the address within it that was computed before
; the suspension is taken out of the frame. A failure here means that LLVM no longer needs keep-variables-in-frames.
; To report: "CoroSplit: an address of an alloca that is computed before llvm.lifetime.start, and used after it behind a
; coro.suspend, is spilled to the frame while the alloca stays on the stack".

; CHECK-LABEL: define internal {{.*}}void @f.resume(
; CHECK: [[VARIABLE:%.*]] = alloca [2 x i32]
; CHECK: [[ADDRESS:%.*]] = load ptr, ptr %address.reload.addr
; CHECK: store i32 %x{{.*}}, ptr [[VARIABLE]]
; CHECK: load i32, ptr [[ADDRESS]]
define void @f(ptr %memory, i1 %second) presplitcoroutine {
entry:
  %variable = alloca [2 x i32]
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %handle = call ptr @llvm.coro.begin(token %id, ptr %memory)
  br i1 %second, label %other, label %start
other:
  %element = getelementptr i8, ptr %variable, i64 4
  br label %start
start:
  %address = phi ptr [ %variable, %entry ], [ %element, %other ]
  %how = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %how, label %end [i8 0, label %resumed
                              i8 1, label %end]
resumed:
  call void @llvm.lifetime.start(ptr %variable)
  %x = call i32 @value()
  store i32 %x, ptr %variable
  %again = load i32, ptr %address
  call void @use(i32 %again)
  call void @llvm.lifetime.end(ptr %variable)
  br label %end
end:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret void
}

declare i32 @value()
declare void @use(i32)
