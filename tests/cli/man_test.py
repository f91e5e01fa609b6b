import pathlib
import re
import subprocess

import cli

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "lockstep"
OPTION = re.compile(r"--[a-z][a-z-]*")
COMMON = {"--help", "--version"}


class ManTest(cli.ToolTest):
    """The manual page and the completions name the options that the tool has."""

    def help(self, *subcommand):
        return subprocess.run([cli.TOOL, *subcommand, "--help"], capture_output=True, text=True, check=True).stdout

    def options(self, text):
        return set(OPTION.findall(text)) - COMMON

    def options_in_help(self, subcommand):
        section = self.help(subcommand).split("\nOptions:\n")[1].split("\n\n")[0]
        return {match.group(1) for match in re.finditer(r"^  (?:-\w,)?(--[a-z-]+)", section, re.M)} - COMMON

    def subcommands(self):
        section = self.help().split("\nSubcommands:\n")[1].split("\n\n")[0]
        return re.findall(r"^  (\w+)", section, re.M)

    def test_manual_page(self):
        page = (SOURCE / "lockstep.1").read_text().split(".SH SUBCOMMANDS\n")[1].split(".SH ")[0]
        parts = {part.split("\n", 1)[0]: part for part in page.split(".TP\n.B ")[1:]}
        self.assertEqual(list(parts), self.subcommands())
        for subcommand, part in parts.items():
            with self.subTest(subcommand):
                listed = part.rsplit("Option", 1)[1] if "Option" in part else ""
                self.assertEqual(self.options(listed), self.options_in_help(subcommand))

    def test_unknown_subcommands(self):
        err = self.tool("chek", "app", code=2).err
        self.assertTrue(err.startswith("lockstep: error: 'chek' is not a subcommand of lockstep, did you mean 'check'?"), err)
        self.assertNotIn("did you mean", self.tool("foo", code=2).err)
        self.assertIn("'--bogus' is not an option of lockstep", self.tool("--bogus", code=2).err)
        err = self.tool(code=2).err
        for subcommand in self.subcommands():
            self.assertIn(subcommand, err)
        self.assertRegex(self.tool("run", "a.cl", "--global", 1, "--bogus", code=2).err, r"\Alockstep: error: .*--bogus; see `lockstep run --help`\n")

    def complete(self, *words, tool="lockstep"):
        script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _$FUNCTION; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, SOURCE / f"{tool}.bash", tool, *words], capture_output=True,
                              text=True, check=True, env={**self.environment, "FUNCTION": tool})
        return set(done.stdout.split())

    def test_completions(self):
        self.assertEqual(self.complete("") - COMMON, set(self.subcommands()))
        for subcommand in self.subcommands():
            with self.subTest(subcommand):
                self.assertEqual(self.options(" ".join(self.complete(subcommand, "--"))), self.options_in_help(subcommand))
        self.assertEqual(self.complete("compile", "--emit", "b"), {"binary", "bitcode"})
        self.assertEqual(self.complete("cache", "s"), {"show"})

    def test_completions_of_the_compiler(self):
        self.assertEqual(self.complete("--aot", tool="lockstepxx"), {"--aot", "--aot=", "--aot-local-size="})
        self.assertEqual(self.complete("--aot", "=", "na", tool="lockstepxx"), {"native"})
        self.assertEqual(self.complete("-fsycl-targets", "=", "spir64_", tool="lockstepxx"), {"spir64_x86_64"})
        self.assertIn("-ffast-math", self.complete("-ffast", tool="lockstepxx"))  # clang's
        page = (SOURCE.parent / "lockstep++" / "lockstep++.1").read_text()
        for option in ("--aot", "--aot-local-size=", "--clangd-config", "--version", "--help"):
            self.assertIn(option, page)
            self.assertIn(option, self.complete("--", tool="lockstepxx"))


cli.main()
