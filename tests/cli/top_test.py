import json
import os
import resource
import signal
import stat
import subprocess
import time

import cli
from cli import KERNELS

NEVER_DONE = KERNELS / "never_done.cl"
WAITING = ["-k", "waits_for_first", "--global", 64, "--local", 1, "--arg", "buf:uint:4"]
WORKING = ["-k", "long_work", "--global", 4, "--local", 1, "--arg", "buf:float:4", "--arg", "ulong=1000000000000000"]


def before_exec():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # a shell ignores it for commands in the background


class TopTest(cli.ToolTest):
    def setUp(self):
        super().setUp()
        self.runtime = self.folder / "run"
        self.runtime.mkdir(mode=0o700)
        self.environment["XDG_RUNTIME_DIR"] = str(self.runtime)

    def start(self, arguments, **environment):
        command = [cli.TOOL, "run", str(NEVER_DONE), "--options=-cl-std=CL3.0", *map(str, arguments)]
        process = subprocess.Popen(command, env={**self.environment, **environment}, cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=before_exec)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def until(self, condition, what):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if result := condition():
                return result
            time.sleep(0.1)
        self.fail(f"{what} did not happen within a minute")

    def top(self, *arguments):
        return json.loads(self.tool("top", "--json", *arguments).out)

    def launch_of(self, process):
        def find():
            if process.poll() is not None:
                said = (process.stderr.read() or b"").decode()
                self.fail(f"the program ended with status {process.returncode}: {said}")
            for program in self.top():
                if program["pid"] == process.pid and program["launches"]:
                    return program["launches"][0]
            return None
        return self.until(find, "that top shows a launch")

    def read_until(self, process, text):
        seen = b""
        os.set_blocking(process.stderr.fileno(), False)

        def read():
            nonlocal seen
            seen += process.stderr.read() or b""
            return text.encode() in seen
        self.until(read, f"'{text}' on stderr")
        return seen.decode()

    def test_nothing_runs(self):
        self.assertEqual(self.top(), [])
        self.assertIn("no command has been running", self.tool("top").out)

    def test_groups_that_wait(self):
        process = self.start(WAITING)
        launch = self.launch_of(process)
        self.assertEqual((launch["kernel"], launch["kind"]), ("waits_for_first", "waits"))
        self.assertEqual((launch["groups"], launch["done"], launch["not_started"]), (64, 0, 0))
        self.assertGreaterEqual(launch["seconds"], 0.9)
        self.until(lambda: self.launch_of(process)["waiting"] >= 63, "that groups are looked into")
        rows = self.until(lambda: self.launch_of(process)["rows"], "that rows are shown")
        line = 1 + NEVER_DONE.read_text().splitlines().index("    while (atomic_load(flag) == 0) // here")
        row = next(r for r in rows if r["group_count"] == 63)
        self.assertIn(f":{line}:", row["place"])
        self.assertEqual(row["groups"], [[1, 63]])
        self.assertIn("argument 0 'flag'", row["reads"][0]["memory"])
        self.assertIn("kernel 'waits_for_first' runs for", self.tool("top").out)
        self.assertEqual(self.top("--pid", process.pid)[0]["pid"], process.pid)
        self.tool("top", "--pid", 1, code=1)

    def test_work_without_waiting(self):
        launch = self.launch_of(self.start(WORKING))
        self.assertEqual((launch["kernel"], launch["kind"], launch["parts"]), ("long_work", "plain", 4))
        self.assertGreaterEqual(len(launch["workers"]), 1)

    def test_the_folder_is_ours_alone_and_cleaned(self):
        process = self.start(WAITING)
        self.launch_of(process)
        folder = self.runtime / "lockstep"
        self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        self.assertEqual(len(list(folder.iterdir())), 1)
        process.kill()
        process.wait()
        self.assertEqual(self.top(), [])
        self.assertEqual(list(folder.iterdir()), [])

    def test_a_folder_that_others_may_enter_is_not_used(self):
        folder = self.runtime / "lockstep"
        folder.mkdir()
        folder.chmod(0o755)
        self.start(WAITING)
        time.sleep(4)
        self.assertEqual(list(folder.iterdir()), [])
        self.assertEqual(self.top(), [])

    def test_no_socket_if_it_is_not_wanted(self):
        self.start(WAITING, LOCKSTEP_TOP="0")
        time.sleep(4)
        self.assertFalse((self.runtime / "lockstep").exists())

    def test_a_livelock_is_told_of_once(self):
        process = self.start(["-k", "livelock", "--global", 2, "--local", 1, "--arg", "buf:uint:1"],
                             LOCKSTEP_DEADLOCK_SECONDS="1")
        text = self.read_until(process, "It is not ended")
        self.assertIn("kernel 'livelock' runs for", text)
        self.assertIn("of 2 work-groups 0 are done", text)
        time.sleep(3)
        text += (process.stderr.read() or b"").decode()
        self.assertEqual(text.count("It is not ended"), 1)
        self.assertEqual(text.count("warning:"), 1)
        self.assertIsNone(process.poll())

    def test_what_out_of_line_functions_write_is_compared(self):
        waiting = ["-k", "waits_and_notes", "--global", 2, "--local", 1, "--arg", "buf:uint:1", "--arg", "buf:uint:2"]
        for limit in "0", "1000000":
            process = self.start(waiting, LOCKSTEP_DEADLOCK_SECONDS="1", LOCKSTEP_INLINE_LIMIT=limit)
            self.assertIn("is deadlocked", self.read_until(process, "which holds 0"))

    def test_sigquit_where_it_is_asked_for(self):
        process = self.start(WAITING, LOCKSTEP_SIGQUIT="1", LOCKSTEP_DEADLOCK_SECONDS="1000")  # no other report
        self.launch_of(process)
        process.send_signal(signal.SIGQUIT)
        self.assertIn("64 work-groups 0 are done", self.read_until(process, "kernel 'waits_for_first'"))
        self.assertIsNone(process.poll())

    def test_sigquit_ends_the_program_otherwise(self):
        process = self.start(WAITING)
        self.launch_of(process)
        process.send_signal(signal.SIGQUIT)
        self.assertEqual(process.wait(timeout=60), -signal.SIGQUIT)


cli.main()
