import { expect, test } from "bun:test";
import { Reader } from "maxmind";
import { AddressTree } from "./address-tree.ts";

/** Networks as bit prefixes, each with the position of its record after the tree. */
const networks = ["0", "1000", "10010000000000000", "1".repeat(20), "110"];

/** A tree of `recordSize` bits per record in which each network has a record. */
function treeOf(recordSize: number): { file: Buffer; nodeCount: number } {
  const nodes: [number, number][] = [[-1, -1]];
  const records = new Map<number, number>();
  for (const [index, bits] of networks.entries()) {
    let node = 0;
    for (const [depth, bit] of [...bits].map(Number).entries()) {
      const pair = nodes[node];
      if (pair === undefined) throw new Error(`no node ${node}`);
      if (depth === bits.length - 1) records.set(node * 2 + bit, index);
      else if (pair[bit] === -1) pair[bit] = nodes.push([-1, -1]) - 1;
      node = pair[bit] ?? -1;
    }
  }
  const nodeCount = nodes.length;
  const value = (node: number, bit: number) => {
    const index = records.get(node * 2 + bit);
    const child = nodes[node]?.[bit] ?? -1;
    return index === undefined ? (child === -1 ? nodeCount : child) : nodeCount + 16 + index;
  };
  const bits = nodes.flatMap((_, node) => {
    const [left, right] = [value(node, 0), value(node, 1)].map((each) => each.toString(2).padStart(recordSize, "0"));
    // Records of 28 bits share a middle byte: the highest four bits of the left one, then those of the right one.
    if (recordSize === 28) return [left?.slice(4), left?.slice(0, 4), right].join("");
    return [left, right].join("");
  });
  const bytes = (bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  return { file: Buffer.from(bytes), nodeCount };
}

test.each([24, 28, 32])("an address has the record of its network, in records of %d bits", (recordSize) => {
  const { file, nodeCount } = treeOf(recordSize);
  const tree = new AddressTree(file, { nodeCount, recordSize, ipVersion: 4 });
  const address = (bits: string) => Number.parseInt(bits.padEnd(32, "0"), 2);

  for (const [index, bits] of networks.entries()) {
    expect(tree.findIpv4(address(bits)), bits).toBe(nodeCount + 16 + index);
    expect(tree.findIpv4(address(bits.padEnd(32, "1"))), bits).toBe(nodeCount + 16 + index);
  }
  expect(tree.findIpv4(address("101"))).toBeUndefined();
});

test("every address of the shipped database has the same record as with the maxmind library", async () => {
  const path = Bun.resolveSync(
    "@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb",
    import.meta.dir,
  );
  const file = Buffer.from(await Bun.file(path).arrayBuffer());
  const reader = new Reader(file);
  const tree = new AddressTree(file, reader.metadata);

  // Ten thousand addresses in all networks.
  const recordOf = new Map<unknown, number | undefined>();
  for (let index = 0; index < 10_000; index++) {
    const address = Math.imul(index, 2_654_435_761) >>> 0;
    const text = [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255].join(".");
    const expected = JSON.stringify(reader.get(text));
    const record = tree.findIpv4(address);
    if (!recordOf.has(expected)) recordOf.set(expected, record);
    expect(record, text).toBe(recordOf.get(expected));
  }
  expect(recordOf.size).toBeGreaterThan(50);
});
