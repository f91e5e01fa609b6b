#!/usr/bin/python3
"""clinfo, which asks for nearly everything, must print the device Lockstep without an error line."""

import subprocess
import sys

result = subprocess.run(["clinfo"], capture_output=True, text=True)
text = result.stdout + result.stderr
wrong = [line for line in text.splitlines()
         if "error" in line.lower() and "Error correction support" not in line and "Error Correction support" not in line
         or "CL_INVALID" in line or "failed" in line.lower()]
needed = ["Lockstep", "Device Type", "OpenCL 3.1", "Max work group size"]
missing = [word for word in needed if word not in text]
for line in wrong:
    print(f"clinfo prints: {line}")
for word in missing:
    print(f"clinfo does not print: {word}")
sys.exit(1 if result.returncode or wrong or missing else 0)
