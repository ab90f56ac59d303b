import { hasNetworkNamespaces, openNetworkNamespace } from "../support/network-namespace.ts";
import { openTcpProxy } from "../support/tcp-proxy.ts";

/** The engines that all nodes share. */
export const sharedEngines = ["postgres", "clickHouse"] as const;
type SharedEngine = (typeof sharedEngines)[number];

/** The path from a node to a database. While it is cut, its packets are dropped, and both sides keep their connections. */
type EnginePath = {
  /** The database's URL as the node reaches it. */
  url: string;
  cut(): void;
  repair(): void;
};

/** The network between one node, the engines and the visitors. */
export type NodeNetwork = Record<SharedEngine, EnginePath> & {
  /** The address at which the node listens. */
  host: string;
  /** The command that runs `command` in this network. */
  command(command: string[]): string[];
  close(): Promise<void>;
};

/** How nodes are disconnected here: by the kernel, or by proxies where this process may not create namespaces. */
export const networkKind: "namespaces" | "proxies" = hasNetworkNamespaces() ? "namespaces" : "proxies";

/** Opens the network of the node with this index in its test. `urls` are those of the machine. */
export async function openNodeNetwork(urls: Record<SharedEngine, string>, index: number): Promise<NodeNetwork> {
  return networkKind === "namespaces" ? await openNamespaces(urls, index) : await openProxies(urls);
}

async function openNamespaces(urls: Record<SharedEngine, string>, index: number): Promise<NodeNetwork> {
  const namespace = await openNetworkNamespace();
  const openPath = async (engine: SharedEngine, number: number) => {
    const pair = namespace.addPair(3 * index + number);
    // The engines listen on loopback, which the namespace does not reach.
    const proxy = await openTcpProxy(Number(new URL(urls[engine]).port), pair.outside);
    const url = urlThrough(urls[engine], pair.outside, proxy.port);
    return { url, cut: pair.cut, repair: pair.repair, close: proxy.close };
  };
  const [postgres, clickHouse] = await Promise.all([openPath("postgres", 0), openPath("clickHouse", 1)]);
  return {
    ...{ postgres, clickHouse, host: namespace.addPair(3 * index + 2).inside, command: namespace.command },
    async close() {
      for (const path of [postgres, clickHouse]) path.close();
      await namespace.close();
    },
  };
}

async function openProxies(urls: Record<SharedEngine, string>): Promise<NodeNetwork> {
  const openPath = async (engine: SharedEngine) => {
    const proxy = await openTcpProxy(Number(new URL(urls[engine]).port));
    const url = urlThrough(urls[engine], "127.0.0.1", proxy.port);
    return { url, cut: proxy.hold, repair: proxy.release, close: proxy.close };
  };
  const [postgres, clickHouse] = await Promise.all([openPath("postgres"), openPath("clickHouse")]);
  return {
    ...{ postgres, clickHouse, host: "127.0.0.1", command: (command) => command },
    async close() {
      for (const path of [postgres, clickHouse]) path.close();
    },
  };
}

function urlThrough(url: string, host: string, port: number): string {
  const result = new URL(url);
  result.hostname = host;
  result.port = String(port);
  return result.href;
}
