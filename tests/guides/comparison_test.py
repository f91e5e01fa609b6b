"""guides_test.py finds a document that is wrong: another output, another status, a block that says nothing of itself."""

import os
import pathlib
import tempfile
import unittest

import guides_test


def block(mark, text, language=""):
    return f"<!-- {mark} -->\n```{language}\n{text}\n```\n"


class ComparisonTest(unittest.TestCase):
    def check(self, document):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "work").mkdir()
            return guides_test.check_document(document, folder, os.environ)

    def assert_wrong(self, document, message):
        with self.assertRaisesRegex(guides_test.Mistake, message):
            self.check(document)

    def test_numbers_and_dots_stand_for_others(self):
        printed = block("run", "echo 'a 12 of 0x3f, 1.5e-3 s'; echo b; echo c; echo d")
        self.assertEqual(self.check(printed + block("output", "a 7 of 0x0, 3 s\n...\nd")), 1)
        self.assertEqual(self.check(printed + block("output", "a 7 ... s\nb\nc\nd")), 1)
        self.assertEqual(self.check(printed + block("output", "...\nd")), 1)

    def test_other_words_and_lines_are_wrong(self):
        printed = block("run", "echo one; echo two")
        for output in ("one", "one\nthree", "two\none", "one\n2", "one\ntwo\n\nthree", "...\nthree"):
            self.assert_wrong(printed + block("output", output), "line 5: the document shows")

    def test_a_status_is_exact(self):
        self.assert_wrong(block("run", "false; true"), "status 1, not 0")
        self.assert_wrong(block("run: status 3", "exit 4"), "status 4, not 3")
        self.assertEqual(self.check(block("run: status 3", "exit 3")), 1)

    def test_files_are_there_for_commands(self):
        self.assertEqual(self.check(block("file: a.txt", "text") + block("run", "cat a.txt") + block("output", "text")), 1)

    def test_each_block_says_what_it_is(self):
        self.assert_wrong("```sh\ntrue\n```\n", "without a comment")
        self.assert_wrong(block("output", "a"), "without commands above it")
        self.assert_wrong(block("run: twice", "true"), "is not known")
        self.assertEqual(self.check(block("not run: no network", "false", "sh")), 0)


if __name__ == "__main__":
    unittest.main()
