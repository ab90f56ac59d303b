import { dlopen, FFIType, ptr } from "bun:ffi";
import { repository } from "./command.ts";
import { eventually, ownSession, serverEnvironment } from "./server.ts";

const ipv4 = 2;
const stream = 1;
const addressBytes = 16;

/** A socket that listens on a free port of 127.0.0.1; nobody accepts its connections yet. */
type ListeningSocket = {
  fd: number;
  port: number;
  /** Another descriptor of the socket, which a listener of this process closes. */
  duplicate(): number;
  close(): void;
};

/** Opens a socket as systemd does for a socket unit. Works on Linux. */
export function openListeningSocket(): ListeningSocket {
  const libc = openLibc();
  const fd = libc.socket(ipv4, stream, 0);
  const address = Buffer.alloc(addressBytes);
  address.writeUInt16LE(ipv4, 0);
  address.set([127, 0, 0, 1], 4);
  if (libc.bind(fd, ptr(address), addressBytes) !== 0) throw new Error("The test cannot bind a socket.");
  if (libc.listen(fd, 4_096) !== 0) throw new Error("The test cannot listen on a socket.");
  libc.getsockname(fd, ptr(address), ptr(Int32Array.of(addressBytes)));
  return { fd, port: address.readUInt16BE(2), duplicate: () => libc.dup(fd), close: () => void libc.close(fd) };
}

/** Opens a socket that does not listen. */
export function openIdleSocket(): Pick<ListeningSocket, "fd" | "close"> {
  const libc = openLibc();
  const fd = libc.socket(ipv4, stream, 0);
  return { fd, close: () => void libc.close(fd) };
}

function openLibc() {
  return dlopen("libc.so.6", {
    socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    bind: { args: [FFIType.i32, FFIType.ptr, FFIType.i32], returns: FFIType.i32 },
    listen: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    getsockname: { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
    dup: { args: [FFIType.i32], returns: FFIType.i32 },
    close: { args: [FFIType.i32], returns: FFIType.i32 },
  }).symbols;
}

/** The sockets to hand over, and the options of the server. `listenPid` is a shell's expression. */
export type Handing = {
  data: string;
  sockets: readonly Pick<ListeningSocket, "fd">[];
  environment: Record<string, string>;
  listenPid?: string;
  /** The number of sockets that is announced; the true one by default. */
  listenFds?: string;
};

/** Runs `bin/waypost.mjs serve` on a data folder, with sockets from descriptor 3 on, as systemd starts a service. */
export function serveWithSockets({ data, sockets, environment, listenPid = "$$", listenFds }: Handing) {
  const announced = listenFds ?? sockets.length;
  const script = `export LISTEN_PID=${listenPid} LISTEN_FDS=${announced}; exec node bin/waypost.mjs serve`;
  const child = Bun.spawn(["sh", "-c", script], {
    ...ownSession,
    cwd: repository,
    env: serverEnvironment(data, environment),
    stdio: ["ignore", "pipe", "pipe", ...sockets.map(({ fd }) => fd)],
  });
  const output = { text: "" };
  const collected = Promise.all([child.stdout, child.stderr].map((pipe) => collect(pipe, output)));
  return {
    pid: child.pid,
    output: () => output.text,
    /** Resolves when the server is ready. */
    ready: () =>
      eventually(
        async () => output.text,
        (text) => text.includes('"Waypost is ready."'),
      ),
    /** Resolves with the exit code, when all output has arrived. */
    async exited(): Promise<number> {
      await collected;
      return await child.exited;
    },
    stop: () => child.kill("SIGTERM"),
    kill: () => child.kill("SIGKILL"),
  };
}

async function collect(pipe: ReadableStream<Uint8Array>, output: { text: string }): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of pipe) output.text += decoder.decode(bytes, { stream: true });
}
