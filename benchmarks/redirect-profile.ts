/**
 * Where the main thread of a fully loaded server spends its time. Each sample of its stack counts for the innermost
 * function of Waypost, in four columns: the function's own code, code of the runtime and of libc that it called, and
 * the kernel. "The runtime itself" is its event loop and garbage collection, with system calls whose stack ends there.
 *
 *   npm run benchmark:redirect:profile            a minute. Needs Linux's perf, as root, and counts samples of the
 *                                                 clock, so that it also works in virtual machines
 *   npm run benchmark:redirect:profile -- --quick a few seconds, only to check that it works
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { uniformPicks } from "./support/links.ts";
import { Bench, connections, readOptions, startFilled } from "./support/rounds.ts";
import { pinApart } from "./support/servers.ts";

const { quick } = readOptions({});
const linksCount = 10_000;
const linesMax = 40;
const samplesPerSecond = 1_999;
const seconds = quick ? 2 : 20;
const warmUpSeconds = quick ? 1 : 20;

/** Machine code that the JIT compiled: where it is, and the name of its function. */
type CompiledCode = { start: number; end: number; name: string };
/** What runs in a frame of a stack. */
type FrameKind = "own code" | "runtime" | "libc" | "kernel";
type Frame = { address: number; kind: FrameKind };

const frameKinds: readonly FrameKind[] = ["own code", "runtime", "libc", "kernel"];

const bench = new Bench();
try {
  const dumps = bench.folder();
  const jitDump = { BUN_JSC_useJITDump: "1", BUN_JSC_jitDumpDirectory: dumps };
  const server = await startFilled(bench.folder(), { count: linksCount }, jitDump);
  pinApart(server);
  const subject = bench.add("waypost", server, uniformPicks(linksCount, 1_000_000));
  await bench.measure(subject, { connections, warmUpSeconds: 0, seconds: warmUpSeconds });
  const samples = join(dumps, "perf.data");
  const sampling = ["--call-graph", "fp", "-e", "cpu-clock", "-F", `${samplesPerSecond}`];
  const perf = Bun.spawn(["perf", "record", ...sampling, "-t", `${server.pid}`, "-o", samples, "sleep", `${seconds}`], {
    stdout: "ignore",
    stderr: "pipe",
  });
  const [{ answered }, problem, code] = await Promise.all([
    bench.measure(subject, { connections, warmUpSeconds: 0, seconds }),
    new Response(perf.stderr).text(),
    perf.exited,
  ]);
  if (code !== 0) throw new Error(`perf could not sample the server: ${problem}`);
  printProfile(await stacksOf(samples), compiledCodeOf(dumps, server.pid), answered);
} finally {
  await bench.end();
}

/** The frames of each sample, the innermost first. */
async function stacksOf(samples: string): Promise<Frame[][]> {
  const script = Bun.spawn(["perf", "script", "-i", samples, "-F", "ip,sym,dso"], { stderr: "ignore" });
  const text = await new Response(script.stdout).text();
  return text
    .split("\n\n")
    .map((stack) =>
      [...stack.matchAll(/^\s*([0-9a-f]+) .*\((.*)\)$/gm)].map(([, address = "", file = ""]) => frameOf(address, file)),
    )
    .filter((stack) => stack.length > 0);
}

function frameOf(address: string, file: string): Frame {
  const number = Number.parseInt(address, 16);
  if (file.includes("kernel") || file.includes("vdso")) return { address: number, kind: "kernel" };
  // perf names files for the maps of JIT code, which need not exist.
  if (file.includes("perf-")) return { address: number, kind: "own code" };
  return { address: number, kind: basename(file).startsWith("bun") ? "runtime" : "libc" };
}

/** The newest code at each address, from the file that the runtime writes in perf's format "jitdump". */
function compiledCodeOf(folder: string, pid: number): CompiledCode[] {
  const name = readdirSync(folder).find((file) => file.startsWith("jit-") && file.includes(`-${pid}.`));
  if (name === undefined) throw new Error("The runtime wrote no names of its compiled code.");
  const bytes = readFileSync(join(folder, name));
  const codes: CompiledCode[] = [];
  // The header's length is its third field. Each record begins with a type, 0 for new code, and its own length.
  let at = bytes.readUInt32LE(8);
  for (let length = 0; at + 16 <= bytes.length; at += length) {
    length = bytes.readUInt32LE(at + 4);
    if (length === 0) break;
    if (bytes.readUInt32LE(at) !== 0) continue;
    const start = Number(bytes.readBigUInt64LE(at + 32));
    const nameEnd = bytes.indexOf(0, at + 56);
    codes.push({
      start,
      end: start + Number(bytes.readBigUInt64LE(at + 40)),
      name: bytes.toString("utf8", at + 56, nameEnd),
    });
  }
  return codes.reverse();
}

function printProfile(stacks: Frame[][], codes: CompiledCode[], answered: number): void {
  const names = new Map<number, string>();
  const nameOf = (address: number): string => {
    const known = names.get(address);
    if (known !== undefined) return known;
    const name = codes.find(({ start, end }) => start <= address && address < end)?.name ?? "other compiled code";
    names.set(address, name);
    return name;
  };
  const lines = new Map<string, number[]>();
  for (const stack of stacks) {
    const own = stack.find(({ kind }) => kind === "own code");
    const name = own === undefined ? "(the runtime itself)" : nameOf(own.address);
    const counts = lines.get(name) ?? frameKinds.map(() => 0);
    const column = frameKinds.indexOf(stack[0]?.kind ?? "runtime");
    counts[column] = (counts[column] ?? 0) + 1;
    lines.set(name, counts);
  }
  const part = (count: number) => `${((100 * count) / stacks.length).toFixed(1)} %`.padStart(10);
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  console.log(`${answered} redirects, ${stacks.length} samples`);
  console.log(["     total", ...frameKinds.map((kind) => kind.padStart(10)), "  function"].join(""));
  const sorted = [...lines].sort(([, left], [, right]) => sum(right) - sum(left)).slice(0, linesMax);
  for (const [name, counts] of sorted) console.log([part(sum(counts)), ...counts.map(part), `  ${name}`].join(""));
}
