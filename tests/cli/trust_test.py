"""What other users of the machine could prepare is not used: caches of others, variables of a caller with fewer rights."""

import json
import os
import shutil
import stat
import subprocess
import sys

import cli
from cli import KERNELS

PRIVILEGED, LIBRARY = sys.argv.pop(2), sys.argv.pop(2)
NOBODY, STRANGER = 65534, 54321  # users other than root; the second needs no entry in /etc/passwd


def as_user(number):
    return {"user": number, "group": number, "extra_groups": []}


class TrustTest(cli.ToolTest):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)  # for all users
        self.cache = self.folder / "cache"

    def run_a_kernel(self, **environment):
        return self.tool("run", KERNELS / "add.cl", "--global", 4, "--arg", "buf:float:4=iota", "--arg", "buf:float:4=2",
                         "--arg", "buf:float:4", "--compare", "2=iota:2", **environment)

    def problem(self):
        """Why the cache is off, as `show` and `doctor` say."""
        data = json.loads(self.tool("cache", "show", "--json").out)
        self.assertFalse(data["enabled"])
        self.assertIn(data["problem"], self.tool("cache", "show").out)
        findings = json.loads(self.tool("doctor", "--json").out)
        self.assertTrue(any(data["problem"] in finding["text"] for finding in findings), findings)
        return data["problem"]

    def times_of_use(self):
        return {file: file.stat().st_mtime_ns for file in self.cache.rglob("*") if file.is_file()}

    def needs_root(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make files of other users")

    def test_the_cache_of_another_user(self):
        self.needs_root()
        self.cache.mkdir(mode=0o700)
        os.chown(self.cache, NOBODY, NOBODY)
        self.identity = as_user(NOBODY)
        self.run_a_kernel()
        filled = self.times_of_use()
        self.assertTrue(filled)
        self.identity = {}
        self.run_a_kernel()
        self.assertEqual(self.times_of_use(), filled)  # an entry that is read is marked as used
        self.assertIn(f"belongs to the user {NOBODY}", self.problem())

    def test_a_cache_that_others_may_write_to(self):
        self.cache.mkdir()
        self.cache.chmod(0o777)
        self.run_a_kernel()
        self.assertEqual(self.times_of_use(), {})
        self.assertIn("can be written by other users", self.problem())

    def test_a_link_in_place_of_the_cache(self):
        (self.folder / "elsewhere").mkdir(mode=0o700)
        self.cache.symlink_to(self.folder / "elsewhere")
        self.run_a_kernel()
        self.assertEqual(list((self.folder / "elsewhere").iterdir()), [])
        self.assertIn("is a symbolic link", self.problem())

    def test_root_with_the_home_of_a_user(self):
        """`sudo` that keeps HOME leaves nothing there."""
        self.needs_root()
        home = self.folder / "home"
        home.mkdir()
        os.chown(home, NOBODY, NOBODY)
        del self.environment["LOCKSTEP_CACHE_DIR"]
        self.environment.pop("XDG_CACHE_HOME", None)
        self.environment["HOME"] = str(home)
        self.run_a_kernel()
        self.assertEqual(list(home.iterdir()), [])
        self.assertIn(f"{home} belongs to the user {NOBODY}", self.problem())

    def privileged_copy(self, program):
        """A copy that runs as NOBODY, whoever starts it."""
        copy = self.folder / os.path.basename(program)
        shutil.copy(program, copy)
        os.chown(copy, NOBODY, NOBODY)
        copy.chmod(0o4755)
        return str(copy)

    def test_a_program_with_more_rights_than_its_caller(self):
        self.needs_root()
        who = subprocess.run([self.privileged_copy(shutil.which("id")), "-u"], capture_output=True, text=True,
                             **as_user(STRANGER))
        if who.stdout.strip() != str(NOBODY):
            self.skipTest("set-user-ID is off for files of the temporary folder")
        self.cache.mkdir(mode=0o700)
        os.chown(self.cache, NOBODY, NOBODY)
        program = self.privileged_copy(PRIVILEGED)

        def output(user):
            done = subprocess.run([program, LIBRARY], env={**self.environment, "LOCKSTEP_LANES": "0"}, **as_user(user),
                                  capture_output=True, text=True, timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        off = output(STRANGER)
        self.assertIn("lanes: yes", off)
        self.assertIn("cache: the program has more rights than the user who started it", off)
        self.assertEqual(self.times_of_use(), {})
        # Started by the user whose rights it has, it is a program like others.
        self.assertEqual(output(NOBODY), "lanes: no\ncache: in use\n")
        self.assertTrue(self.times_of_use())

    def test_reports_are_for_the_user_alone(self):
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        names = {"LOCKSTEP_TRACE": "trace.json", "LOCKSTEP_REMARKS": "remarks.txt"}
        self.run_a_kernel(**names)
        for name in names.values():
            mode = stat.S_IMODE((self.folder / name).stat().st_mode)
            self.assertEqual(mode, 0o600, name)

    def test_reports_do_not_follow_links(self):
        (self.folder / "precious").write_text("precious")
        for variable in ("LOCKSTEP_TRACE", "LOCKSTEP_REMARKS"):
            link = self.folder / variable
            link.symlink_to("precious")
            done = self.run_a_kernel(**{variable: str(link)})
            self.assertIn(f"lockstep: {variable}={link}: it is a symbolic link", done.err)
        self.assertEqual((self.folder / "precious").read_text(), "precious")
        found = self.tool("check", "--json", self.folder / "LOCKSTEP_TRACE", "true", code=2)
        self.assertIn("symbolic link", found.err)

    def test_reports_on_what_is_open(self):
        self.assertIn("remark: kernel add", self.run_a_kernel(LOCKSTEP_REMARKS="/dev/stderr").err)
        self.assertIn('"ph":"X"', self.run_a_kernel(LOCKSTEP_TRACE="/dev/stdout").out)
        self.run_a_kernel(LOCKSTEP_TRACE="/dev/null")


cli.main()
