import { spawn } from "node:child_process";
import { fstatSync } from "node:fs";
import { findBunBinary } from "./bun-binary.mjs";

// How Node hands over to Bun:
//
// 1. Where Node supports it (22.15, 23.11 and later, not on Windows), this process becomes Bun: the process id stays, no
//    signal needs forwarding, and no child can outlive this process.
// 2. Elsewhere Bun runs as a child. This process forwards signals to it and exits with its exit code.
// 3. With sockets of a service manager (sd_listen_fds(3)), Bun runs as a child too: Node marks the descriptors that it
//    inherits as close-on-exec, so they would not outlast the change of this process, and only a spawn can pass them on.
//
// The same signal may reach Bun twice: a terminal sends Ctrl-C to the whole foreground group and npm forwards it again;
// systemd signals every process of a unit by default. A second signal must therefore not force the exit.

const forwardedSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

/**
 * Replaces this process with Bun, run with these arguments. Prints one line and exits with 1 when Bun is not installed.
 * Shape: childFlags are further flags of Bun when it runs as a child.
 */
export function runBun(args, childFlags = []) {
  const binary = findBinaryOrExit();
  // A missing package is an installation error: Bun must not fetch it from the network.
  const bunArgs = ["--no-install", ...args];
  // How often Bun's allocator (1.4.5, mimalloc 3.5) looks for memory to return to the system, in milliseconds. The default,
  // 100 ms, takes 1.5 % of a core under load, and the server allocates the memory again at once. With 2,000 instead of
  // 500, the service takes 3 MiB more in the seconds after a load.
  process.env.MIMALLOC_PURGE_HOLES_MIN_INTERVAL ??= "500";
  const sockets = handedSockets();
  if (sockets.length > 0) return runWithSockets(binary, [...childFlags, ...bunArgs], sockets);
  if (typeof process.execve === "function") process.execve(binary, [binary, ...bunArgs], process.env);
  runAsChild(binary, [...childFlags, ...bunArgs]);
}

/** The descriptors that a service manager has handed to this process: from 3 on, as many as LISTEN_FDS says. */
function handedSockets() {
  const { LISTEN_PID, LISTEN_FDS = "" } = process.env;
  if (LISTEN_PID !== String(process.pid)) return [];
  if (!/^\d{1,3}$/.test(LISTEN_FDS)) exitWith(`LISTEN_FDS: "${LISTEN_FDS}" is not a number of sockets, such as 2.`);
  const sockets = Array.from({ length: Number(LISTEN_FDS) }, (_, index) => 3 + index);
  const other = sockets.find((descriptor) => !isSocket(descriptor));
  if (other !== undefined)
    exitWith(`LISTEN_FDS: ${LISTEN_FDS} sockets are announced, but descriptor ${other} is none.`);
  return sockets;
}

function isSocket(descriptor) {
  try {
    return fstatSync(descriptor).isSocket();
  } catch {
    // There is no such descriptor.
    return false;
  }
}

function exitWith(message) {
  console.error(`waypost: ${message}`);
  process.exit(1);
}

/** The sockets are meant for the process that LISTEN_PID names, and only a shell knows Bun's process id before Bun starts. */
function runWithSockets(binary, args, sockets) {
  runAsChild("/bin/sh", ["-c", 'export LISTEN_PID=$$; exec "$0" "$@"', binary, ...args], sockets);
}

function findBinaryOrExit() {
  try {
    return findBunBinary();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

function runAsChild(binary, args, sockets = []) {
  const child = spawn(binary, args, { stdio: ["inherit", "inherit", "inherit", ...sockets] });
  for (const signal of forwardedSignals) process.on(signal, () => forward(child, signal));
  child.on("error", (error) => {
    console.error(`waypost: cannot start ${binary}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => exitLike(code, signal));
}

/**
 * Forwards a signal, except a terminal's Ctrl-C and Ctrl-\, which the child receives too, as it is in the same foreground
 * group. Known weakness: Node does not report the sender, so a SIGINT sent to this process alone is lost while it has a
 * terminal; SIGTERM is not.
 */
function forward(child, signal) {
  const comesFromTerminal = (signal === "SIGINT" || signal === "SIGQUIT") && process.stdin.isTTY;
  if (!comesFromTerminal) child.kill(signal);
}

function exitLike(code, signal) {
  if (signal === null) process.exit(code ?? 1);
  // Shells and supervisors expect death by the same signal. The exit code is for signals that do not end Node.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(1), 100);
}
