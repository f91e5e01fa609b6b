"""What `lockstep debug` teaches gdb: the work-item that runs, and to stop only for one that the user names."""

import struct

import gdb

RUNNING = "lockstep_running_work_item"  # src/back_ends/cpu/host_functions/work_item_stacks.h


def text(numbers):
    return ",".join(map(str, numbers))


def running_work_item():
    """Its global id, its local id and the id of its work-group; None outside of kernels."""
    try:
        address = int(gdb.parse_and_eval(f"(unsigned long)&{RUNNING}"))
        words = struct.unpack("10Q", bytes(gdb.selected_inferior().read_memory(address, 80)))
    except gdb.error:
        return None  # the library is not loaded yet
    return (words[1:4], words[4:7], words[7:10]) if words[0] else None


class Focus:
    """The work-item or work-group that breakpoints stop for."""

    wanted = {}  # index in running_work_item() to an id
    conditions = {}  # of the user's breakpoints, by number

    @classmethod
    def matches(cls):
        ids = running_work_item()
        return ids is None or all(ids[index] == id for index, id in cls.wanted.items())

    @classmethod
    def set(cls, wanted):
        cls.wanted = wanted
        for breakpoint in gdb.breakpoints():
            cls.apply(breakpoint)

    @classmethod
    def apply(cls, breakpoint):
        # gdb forgets that a breakpoint is pending if its condition changes. It is modified when its place is known.
        if breakpoint.type != gdb.BP_BREAKPOINT or not breakpoint.visible or breakpoint.pending:
            return
        if breakpoint.condition is None or "$_in_focus()" not in breakpoint.condition:
            cls.conditions[breakpoint.number] = breakpoint.condition
        own = cls.conditions.get(breakpoint.number)
        condition = own
        if cls.wanted:
            condition = f"$_in_focus() && ({own})" if own else "$_in_focus()"
        if breakpoint.condition != condition:
            breakpoint.condition = condition


class InFocus(gdb.Function):
    """Whether no kernel runs, or the work-item that the command work-item or work-group names."""

    def __init__(self):
        super().__init__("_in_focus")

    def invoke(self):
        return Focus.matches()


class FocusCommand(gdb.Command):
    def __init__(self, name, index, help_text):
        self.__class__.__doc__ = help_text
        self.name, self.index = name, index
        super().__init__(name, gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        argument = argument.strip()
        if argument == "any":
            Focus.set({})
            print("Breakpoints stop for any work-item.")
        elif argument:
            try:
                numbers = [int(number) for number in argument.replace(",", " ").split()]
            except ValueError:
                numbers = []
            if not 1 <= len(numbers) <= 3 or min(numbers) < 0:
                raise gdb.GdbError(f"{self.name} takes X[,Y[,Z]], or any")
            id = tuple(numbers + [0] * (3 - len(numbers)))
            Focus.set({self.index: id})
            print(f"Breakpoints in kernels stop for {self.name} {text(id)} only.")
        else:
            ids = running_work_item()
            print(describe(ids) if ids else "No kernel is running.")


class WorkItemCommand(FocusCommand):
    def __init__(self):
        super().__init__("work-item", 0, "work-item X[,Y[,Z]]: stop only for this global id.\n"
                         "work-item any: stop for all. work-item: which one runs.")


class WorkGroupCommand(FocusCommand):
    def __init__(self):
        super().__init__("work-group", 2, "work-group X[,Y[,Z]]: stop only for work-items of this group.\n"
                         "work-group any: stop for all. work-group: which one runs.")


def describe(ids):
    return f"work-item {text(ids[0])} (local id {text(ids[1])} of work-group {text(ids[2])})"


def on_stop(event):
    ids = running_work_item()
    if ids and isinstance(event, gdb.StopEvent):
        print(f"[{describe(ids)}]")


InFocus()
WorkItemCommand()
WorkGroupCommand()
gdb.events.breakpoint_created.connect(Focus.apply)
gdb.events.breakpoint_modified.connect(Focus.apply)
gdb.events.stop.connect(on_stop)
for command in ["set breakpoint pending on", "set print thread-events off", "set environment LOCKSTEP_DEBUGGER=1",
                "set environment LOCKSTEP_THREADS=1"]:
    gdb.execute(command)
