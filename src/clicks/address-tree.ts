/**
 * The search tree of an mmdb file: from an IP address to its record.
 *
 * Format: MaxMind DB File Format Specification 2.0, "Binary Search Tree Section". The tree begins the file. Each node
 * is a pair of records, for the next bit 0 and 1, of 24, 28 or 32 bits. A record below `nodeCount` is the number of the
 * next node, `nodeCount` itself means "not found", and a larger one points to data. IPv4 addresses lie below 96 zero
 * bits.
 */

/** The shape of a tree, from the metadata of its file. */
type TreeShape = { nodeCount: number; recordSize: number; ipVersion: number };

/** The number of leading bits of an IPv4 address that one table lookup replaces. */
const prefixBits = 12;

/** Finds the records of addresses. Never throws for an address; a damaged file gives wrong or no records. */
export class AddressTree {
  readonly #nodes: DataView;
  readonly #nodeCount: number;
  readonly #recordSize: number;
  readonly #isIpv4Only: boolean;
  /** The node or record at which each prefix of an IPv4 address ends. */
  readonly #prefixes = new Uint32Array(2 ** prefixBits);

  /** Throws RangeError when the file is shorter than its tree. */
  constructor(file: Uint8Array, { nodeCount, recordSize, ipVersion }: TreeShape) {
    this.#nodes = new DataView(file.buffer, file.byteOffset, nodeCount * (recordSize / 4));
    this.#nodeCount = nodeCount;
    this.#recordSize = recordSize;
    this.#isIpv4Only = ipVersion === 4;
    const start = this.#isIpv4Only ? 0 : this.#walk(0, { bits: 0, from: 31, count: 96 });
    this.#fillPrefixes(start, 0, 0);
  }

  /** A number that identifies the record of an IPv4 address; undefined when the file has none. */
  findIpv4(address: number): number | undefined {
    const start = this.#prefixes[address >>> (32 - prefixBits)] ?? this.#nodeCount;
    return this.#recordOf(this.#walk(start, { bits: address, from: 31 - prefixBits, count: 32 - prefixBits }));
  }

  /** As findIpv4, for the eight groups of an IPv6 address. */
  findIpv6(groups: readonly number[]): number | undefined {
    if (this.#isIpv4Only) return undefined;
    let node = 0;
    for (const bits of groups) {
      if (node >= this.#nodeCount) break;
      node = this.#walk(node, { bits, from: 15, count: 16 });
    }
    return this.#recordOf(node);
  }

  #recordOf(node: number): number | undefined {
    return node > this.#nodeCount ? node : undefined;
  }

  /** Follows `count` bits, beginning with the bit of value 2^from, as far as there are nodes. */
  #walk(start: number, { bits, from, count }: { bits: number; from: number; count: number }): number {
    let node = start;
    for (let step = 0; step < count && node < this.#nodeCount; step++)
      node = this.#next(node, (bits >>> (from - step)) & 1);
    return node;
  }

  #next(node: number, bit: number): number {
    const at = node * (this.#recordSize / 4);
    if (this.#recordSize === 24) {
      return bit === 0 ? this.#nodes.getUint32(at) >>> 8 : this.#nodes.getUint32(at + 2) & 0xff_ff_ff;
    }
    if (this.#recordSize === 32) return this.#nodes.getUint32(at + 4 * bit);
    // 28 bits: the middle byte holds the highest four bits of both records.
    const middle = this.#nodes.getUint8(at + 3);
    if (bit === 0) return ((middle & 0xf0) << 20) | (this.#nodes.getUint32(at) >>> 8);
    return this.#nodes.getUint32(at + 3) & 0x0f_ff_ff_ff;
  }

  #fillPrefixes(node: number, prefix: number, bits: number): void {
    const count = 2 ** (prefixBits - bits);
    if (bits === prefixBits || node >= this.#nodeCount) {
      this.#prefixes.fill(node, prefix * count, (prefix + 1) * count);
      return;
    }
    this.#fillPrefixes(this.#next(node, 0), prefix * 2, bits + 1);
    this.#fillPrefixes(this.#next(node, 1), prefix * 2 + 1, bits + 1);
  }
}
