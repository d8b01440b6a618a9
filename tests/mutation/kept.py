# SPDX-License-Identifier: Apache-2.0
"""What is the same from one run to the next, in the folder of the builds: the number of each mutant, so
that what has not changed is not built again; and which mutants each test comes by, as long as
nothing has changed that it was made of.
"""

import hashlib
import json


def digest_of(files, *more):
    """Of what stands in some files, and of other digests."""
    all_of_it = hashlib.sha256(" ".join(more).encode())
    for file in sorted(files):
        all_of_it.update(hashlib.sha256(file.read_bytes()).digest())
    return all_of_it.hexdigest()


class Kept:
    def __init__(self, folder):
        self.file = folder / "kept.json"
        read = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.numbers, self.tests = read.get("numbers", {}), read.get("tests", {})

    def save(self):
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps({"numbers": self.numbers, "tests": self.tests}))
        new.rename(self.file)

    def number(self, mutants):
        """Each with its number, which nobody has had before it."""
        for mutant in mutants:
            self.numbers.setdefault(mutant["name"], len(self.numbers) + 1)
        return [(self.numbers[mutant["name"]], mutant) for mutant in mutants]

    def recall(self, test):
        """Whether the test was looked at as it is now."""
        known = self.tests.get(test.key)
        if not known or known["of"] != test.made_of:
            return False
        test.seconds, test.reaches = known["seconds"], frozenset(known["reaches"])
        return True

    def keep(self, tests):
        for test in tests:
            self.tests[test.key] = {"of": test.made_of, "seconds": round(test.seconds, 3),
                                    "reaches": sorted(test.reaches)}
        self.save()
