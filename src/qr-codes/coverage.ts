import type { Path } from "./path.ts";

/** Straight pieces of a curve. */
const curvePieces = 8;

/**
 * Returns the share of each pixel that a path covers, row by row, from 0 to 1.
 * The edges of a path add their signed areas to the pixels that they cross; the running sum of a row is then the
 * winding number, which the even-odd rule turns into coverage. The time is linear in pixels and in steps.
 */
export function coverage(path: Path, { width, height }: { width: number; height: number }): Float32Array {
  // An edge at the right border also writes to the two cells beyond it.
  const stride = width + 2;
  const areas = new Float32Array(stride * height);
  for (const edge of edges(path)) addEdge({ areas, stride, width, height }, edge);
  const covered = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    let sum = 0;
    for (let x = 0; x < width; x++) {
      sum += areas[y * stride + x] ?? 0;
      const winding = Math.abs(sum) % 2;
      covered[y * width + x] = winding > 1 ? 2 - winding : winding;
    }
  }
  return covered;
}

type Edge = { x0: number; y0: number; x1: number; y1: number };

function* edges(path: Path): Generator<Edge> {
  let x = 0;
  let y = 0;
  let start = { x: 0, y: 0 };
  for (const step of path) {
    switch (step[0]) {
      case "M":
        [, x, y] = step;
        start = { x, y };
        break;
      case "L":
        yield { x0: x, y0: y, x1: step[1], y1: step[2] };
        [, x, y] = step;
        break;
      case "C":
        for (let piece = 1; piece <= curvePieces; piece++) {
          const to = pointOf({ x, y }, step, piece / curvePieces);
          const from = pointOf({ x, y }, step, (piece - 1) / curvePieces);
          yield { x0: from.x, y0: from.y, x1: to.x, y1: to.y };
        }
        [, , , , , x, y] = step;
        break;
      case "Z":
        yield { x0: x, y0: y, x1: start.x, y1: start.y };
        ({ x, y } = start);
        break;
    }
  }
}

function pointOf(from: { x: number; y: number }, curve: Extract<Path[number], readonly ["C", ...number[]]>, t: number) {
  const [, x1, y1, x2, y2, x, y] = curve;
  const rest = 1 - t;
  const at = (start: number, first: number, second: number, end: number) =>
    rest ** 3 * start + 3 * rest ** 2 * t * first + 3 * rest * t ** 2 * second + t ** 3 * end;
  return { x: at(from.x, x1, x2, x), y: at(from.y, y1, y2, y) };
}

type Areas = { areas: Float32Array; stride: number; width: number; height: number };

/** Adds the signed area to the right of an edge, row by row. */
function addEdge(target: Areas, { x0, y0, x1, y1 }: Edge): void {
  if (y0 === y1) return;
  const sign = y0 < y1 ? 1 : -1;
  const [top, bottom] = y0 < y1 ? [y0, y1] : [y1, y0];
  const slope = (x1 - x0) / (y1 - y0);
  const xAt = (y: number) => Math.min(Math.max(x0 + (y - y0) * slope, 0), target.width);
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(target.height, Math.ceil(bottom)); y++) {
    const from = Math.max(y, top);
    const to = Math.min(y + 1, bottom);
    addRow(target, y * target.stride, { a: xAt(from), b: xAt(to), area: (to - from) * sign });
  }
}

/** Distributes the area of an edge's part in one row to the pixels between its ends. */
function addRow({ areas }: Areas, row: number, { a, b, area }: { a: number; b: number; area: number }): void {
  const [left, right] = a < b ? [a, b] : [b, a];
  const first = Math.floor(left);
  const last = Math.ceil(right);
  const add = (x: number, part: number) => {
    areas[row + x] = (areas[row + x] ?? 0) + part;
  };
  if (last <= first + 1) {
    const share = (left + right) / 2 - first;
    add(first, area * (1 - share));
    add(first + 1, area * share);
    return;
  }
  // The covered part grows quadratically in the first and the last pixel, and linearly between them.
  const span = right - left;
  const covered = (x: number) => (x <= left ? 0 : x >= right ? x - (left + right) / 2 : (x - left) ** 2 / (2 * span));
  let before = 0;
  for (let x = first; x <= last; x++) {
    const share = covered(x + 1) - covered(x);
    add(x, area * (share - before));
    before = share;
  }
}
