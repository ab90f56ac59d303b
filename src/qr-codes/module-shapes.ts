import { type Radii, rectangle, type Step } from "./path.ts";
import type { Modules } from "./qr-code.ts";
import type { QrStyle } from "./qr-style.ts";

/** Modules of a side: a finder or alignment pattern is a ring of one module, a light ring, and a filled middle. */
const finderSide = 7;
const alignmentSide = 5;
const ringWidth = 1;

/** Circles touch: with gaps between them, some scanners find no code. */
const dotRadius = 0.5;

/** The modules of a code in the shapes of a style; (0, 0) is the code's upper left corner, without margin. */
export function moduleShapes(modules: Modules, { dots, corners }: Pick<QrStyle, "dots" | "corners">): Step[] {
  const side = modules.length;
  const patterns = patternsOf(modules);
  const isPattern = new Set(patterns.flatMap((pattern) => [...cellsOf(pattern)].map(([x, y]) => y * side + x)));
  const isDark = (x: number, y: number) => (modules[y]?.[x] ?? false) && !isPattern.has(y * side + x);
  const steps = patterns.flatMap((pattern) => patternShape(pattern, corners));
  for (let y = 0; y < side; y++) {
    if (dots === "square") pushRuns(steps, { y, side, isDark });
    else for (let x = 0; x < side; x++) if (isDark(x, y)) steps.push(...dot({ x, y }, dots, isDark));
  }
  return steps;
}

type Place = { x: number; y: number };
type Pattern = Place & { side: number };

/** The finder patterns, and all squares that look like an alignment pattern: scanners locate the modules by them. */
function patternsOf(modules: Modules): Pattern[] {
  const side = modules.length;
  const far = side - finderSide;
  const finders = [
    { x: 0, y: 0 },
    { x: far, y: 0 },
    { x: 0, y: far },
  ].map((place): Pattern => ({ ...place, side: finderSide }));
  const alignments: Pattern[] = [];
  const taken = new Set(finders.flatMap((finder) => [...cellsOf(finder)].map(([x, y]) => y * side + x)));
  for (let y = 0; y <= side - alignmentSide; y++) {
    for (let x = 0; x <= side - alignmentSide; x++) {
      if (!isAlignment(modules, { x, y })) continue;
      const pattern = { x, y, side: alignmentSide };
      const cells = [...cellsOf(pattern)].map(([cellX, cellY]) => cellY * side + cellX);
      if (cells.some((cell) => taken.has(cell))) continue;
      for (const cell of cells) taken.add(cell);
      alignments.push(pattern);
    }
  }
  return [...finders, ...alignments];
}

function isAlignment(modules: Modules, { x, y }: Place): boolean {
  const middle = (alignmentSide - 1) / 2;
  for (let row = 0; row < alignmentSide; row++) {
    for (let column = 0; column < alignmentSide; column++) {
      const distance = Math.max(Math.abs(row - middle), Math.abs(column - middle));
      if ((modules[y + row]?.[x + column] ?? false) !== (distance !== 1)) return false;
    }
  }
  return true;
}

function* cellsOf({ x, y, side }: Pattern): Generator<readonly [number, number]> {
  for (let row = 0; row < side; row++) for (let column = 0; column < side; column++) yield [x + column, y + row];
}

function patternShape({ x, y, side }: Pattern, shape: QrStyle["corners"]): Step[] {
  // The parts of a rounded pattern are parallel: the radius falls with each step inwards.
  const radiusShare = { square: 0, rounded: 0.3, circle: 0.5 }[shape];
  return [0, ringWidth, 2 * ringWidth].flatMap((inset) => {
    const width = side - 2 * inset;
    const radius = width * radiusShare;
    return rectangle({ x: x + inset, y: y + inset, width, height: width }, [radius, radius, radius, radius]);
  });
}

type Row = { y: number; side: number; isDark(x: number, y: number): boolean };

/** One rectangle for each run of dark modules, so that no viewer shows seams between modules. */
function pushRuns(steps: Step[], { y, side, isDark }: Row): void {
  for (let x = 0; x < side; x++) {
    const from = x;
    while (x < side && isDark(x, y)) x++;
    if (x > from) steps.push(...rectangle({ x: from, y, width: x - from, height: 1 }, [0, 0, 0, 0]));
  }
}

function dot({ x, y }: Place, shape: "rounded" | "dots", isDark: Row["isDark"]): Step[] {
  if (shape === "dots") {
    const inset = 0.5 - dotRadius;
    const box = { x: x + inset, y: y + inset, width: 2 * dotRadius, height: 2 * dotRadius };
    return rectangle(box, [dotRadius, dotRadius, dotRadius, dotRadius]);
  }
  // A corner is round where it touches no other module.
  const radius = (dx: number, dy: number) => (isDark(x + dx, y) || isDark(x, y + dy) ? 0 : 0.5);
  const radii: Radii = [radius(-1, -1), radius(1, -1), radius(1, 1), radius(-1, 1)];
  return rectangle({ x, y, width: 1, height: 1 }, radii);
}
