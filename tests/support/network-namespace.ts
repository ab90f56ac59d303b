import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** Pairs of interfaces that a process may number; one block of addresses has room for 512 such processes. */
const pairsMax = 64;

/** A pair of interfaces between a network namespace and the machine. */
type NetworkPair = {
  /** The address of the machine, as processes in the namespace see it. */
  outside: string;
  /** The address of the namespace, as the machine sees it. */
  inside: string;
  /** Drops every packet in both directions. Connections stay open. */
  cut(): void;
  repair(): void;
};

/** A network namespace of Linux, in which processes reach the machine only through its pairs of interfaces. */
type NetworkNamespace = {
  /** The command that runs `command` in the namespace. */
  command(command: string[]): string[];
  /** Adds the pair with this number, which no other pair of this process has. */
  addPair(number: number): NetworkPair;
  close(): Promise<void>;
};

/** True if this process may create network namespaces: as root on Linux, with iproute2 and util-linux. */
export function hasNetworkNamespaces(): boolean {
  const probe =
    "nsenter --version && ip link add one type veth peer name other && tc qdisc add dev one root bfifo limit 1";
  return spawnSync("unshare", ["--net", "sh", "-c", probe]).status === 0;
}

/**
 * Opens a namespace that ends with a process in it. That process ends with its input, so nothing remains when this process
 * is killed.
 */
export async function openNetworkNamespace(): Promise<NetworkNamespace> {
  const holder = spawn("unshare", ["--net", "sh", "-c", "echo open; exec cat"]);
  await once(holder.stdout, "data");
  const inside = ["nsenter", "--target", String(holder.pid), "--net"];
  run([...inside, "ip", "link", "set", "lo", "up"]);
  return {
    command: (command) => [...inside, ...command],
    addPair: (number) => addPair(holder, inside, number),
    async close() {
      holder.stdin.end();
      await once(holder, "exit");
    },
  };
}

function addPair(holder: ChildProcessWithoutNullStreams, inside: readonly string[], number: number): NetworkPair {
  if (number >= pairsMax) throw new Error(`A process has at most ${pairsMax} pairs of interfaces.`);
  const device = `wp${process.pid}-${number}`;
  // The block for tests between networks, 198.18.0.0/15 (RFC 2544), with four addresses for each pair.
  const index = (process.pid % 512) * pairsMax + number;
  const address = (last: number) => `198.${18 + (index >> 14)}.${(index >> 6) & 255}.${(index & 63) * 4 + last}`;
  const pair = { outside: address(1), inside: address(2) };
  run(["ip", "link", "add", device, "type", "veth", "peer", "name", device, "netns", String(holder.pid)]);
  for (const [prefix, own] of [
    [[], pair.outside],
    [inside, pair.inside],
  ] as const) {
    run([...prefix, "ip", "address", "add", `${own}/30`, "dev", device]);
    run([...prefix, "ip", "link", "set", device, "up"]);
  }
  return {
    ...pair,
    // A queue that no packet fits into drops all that are sent.
    cut: () => {
      for (const prefix of [[], inside])
        run([...prefix, "tc", "qdisc", "add", "dev", device, "root", "bfifo", "limit", "1"]);
    },
    repair: () => {
      for (const prefix of [[], inside]) run([...prefix, "tc", "qdisc", "del", "dev", device, "root"]);
    },
  };
}

function run(command: readonly string[]): void {
  const [program = "", ...args] = command;
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command.join(" ")} failed: ${stderr}`);
}
