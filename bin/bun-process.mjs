import { spawn } from "node:child_process";
import { findBunBinary } from "./bun-binary.mjs";

// How Node hands over to Bun:
//
// 1. Where Node can (22.15, 23.11 and later, not Windows), this process becomes Bun: same process id, no signal to
//    forward, nothing that could outlive anything.
// 2. Elsewhere Bun runs as a child. It gets the signals this process gets and gives this process its exit code.
//
// The same signal may reach Bun twice: Ctrl-C goes to the whole foreground group and npm forwards it once more;
// systemd's default signals every process of a unit. A second signal must therefore never mean "now for real".

const forwardedSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

/**
 * Runs Bun with these arguments in place of this process; without an installed Bun, prints one line and exits with 1.
 * Shape: childFlags are flags of Bun for the case that it runs as a child.
 */
export function runBun(args, childFlags = []) {
  const binary = findBinaryOrExit();
  // Missing packages are an error of the installation; Bun must never fetch them from the network instead.
  const bunArgs = ["--no-install", ...args];
  // Milliseconds after which Bun's allocator looks for memory to give back to the system (Bun 1.4.5, mimalloc 3.5). It does
  // so every tenth of a second by itself: under load that takes 1.5 % of a core (docs/performance.md), and the memory is
  // asked for again at once.
  process.env.MIMALLOC_PURGE_HOLES_MIN_INTERVAL ??= "2000";
  if (typeof process.execve === "function") process.execve(binary, [binary, ...bunArgs], process.env);
  runAsChild(binary, [...childFlags, ...bunArgs]);
}

function findBinaryOrExit() {
  try {
    return findBunBinary();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

function runAsChild(binary, args) {
  const child = spawn(binary, args, { stdio: "inherit" });
  for (const signal of forwardedSignals) process.on(signal, () => forward(child, signal));
  child.on("error", (error) => {
    console.error(`waypost: cannot start ${binary}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => exitLike(code, signal));
}

/**
 * A terminal's Ctrl-C or Ctrl-\ has already reached the child, which is in the same foreground group. A SIGINT sent to
 * this process alone while it has a terminal is lost by this, because Node does not tell who sent it; SIGTERM is not.
 */
function forward(child, signal) {
  const comesFromTerminal = (signal === "SIGINT" || signal === "SIGQUIT") && process.stdin.isTTY;
  if (!comesFromTerminal) child.kill(signal);
}

function exitLike(code, signal) {
  if (signal === null) process.exit(code ?? 1);
  // Dying of the same signal tells shells and supervisors the truth; the code is for signals Node does not die of.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(1), 100);
}
