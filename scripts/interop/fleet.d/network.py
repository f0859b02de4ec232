"""A network of our own: a bridge, and a namespace for each receiver. One link loses packets. Needs root and iproute2."""

import subprocess

BRIDGE = "fwfleet"
GATE = "10.87.0.1"


def run(*command):
    subprocess.run([str(word) for word in command], check=True, capture_output=True)


class Network:
    """Stays until ``close()``."""

    def __init__(self, count, loss):
        self.spaces = [f"{BRIDGE}-{number}" for number in range(count)]
        self.close()
        run("ip", "link", "add", BRIDGE, "type", "bridge")
        run("ip", "address", "add", f"{GATE}/24", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
        for number, space in enumerate(self.spaces):
            run("ip", "netns", "add", space)
            run("ip", "link", "add", f"fwf{number}", "type", "veth", "peer", "name", "eth0", "netns", space)
            run("ip", "link", "set", f"fwf{number}", "master", BRIDGE, "up")
            for words in (["address", "add", f"{self.address(number)}/24", "dev", "eth0"], ["link", "set", "eth0", "up"],
                          ["link", "set", "lo", "up"]):
                run("ip", "-n", space, *words)
        # Both directions of the first receiver's link.
        for chain in ("INPUT", "OUTPUT") if loss else ():
            run("ip", "netns", "exec", self.spaces[0], "iptables", "-A", chain, "-m", "statistic", "--mode", "random",
                "--probability", loss, "-j", "DROP")

    @staticmethod
    def address(number):
        return f"10.87.0.{10 + number}"

    def inside(self, number, command):
        """The command in a receiver's namespace. `ip` becomes the program, so it has the process id."""
        return ["ip", "netns", "exec", self.spaces[number], *command]

    def lost(self):
        """How many packets the first receiver's link has lost."""
        text = subprocess.run(
            ["ip", "netns", "exec", self.spaces[0], "iptables", "-nvxL"], capture_output=True, text=True).stdout
        return sum(int(line.split()[0]) for line in text.splitlines() if "DROP" in line and "statistic" in line)

    def close(self):
        for space in self.spaces:
            subprocess.run(["ip", "netns", "delete", space], capture_output=True)
        subprocess.run(["ip", "link", "delete", BRIDGE], capture_output=True)
