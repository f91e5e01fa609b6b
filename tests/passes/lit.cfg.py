# IR tests: each runs one pass (or a few) by lockstep-opt and looks at the IR with FileCheck.
import os
import lit.formats

config.name = "passes"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(lit_config.params["build"], "tests", "passes")
config.environment["PATH"] = os.path.pathsep.join(
    [os.path.join(lit_config.params["build"], "bin"), lit_config.params["llvm_tools"], os.environ["PATH"]])
# The same on every machine: a test that is about another processor names it in its RUN line.
config.environment["LOCKSTEP_CPU"] = "x86-64-v4"
