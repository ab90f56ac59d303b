/** A step of a path: move, line, cubic curve with two control points, or close. The unit is a module; y points down. */
export type Step =
  | readonly ["M", number, number]
  | readonly ["L", number, number]
  | readonly ["C", number, number, number, number, number, number]
  | readonly ["Z"];

/** Closed contours, filled by the even-odd rule, so that a contour inside another one is a hole. */
export type Path = readonly Step[];

/** The radii of a rectangle's corners, clockwise from the upper left one. */
export type Radii = readonly [number, number, number, number];

/** The distance of a control point that makes a cubic curve approximate a quarter of a circle. */
const quarter = 0.5523;

/** A rectangle with rounded corners; a square whose radii are half a side is a circle. */
export function rectangle(box: { x: number; y: number; width: number; height: number }, radii: Radii): Step[] {
  const { x, y, width, height } = box;
  const [upperLeft, upperRight, lowerRight, lowerLeft] = radii;
  const right = x + width;
  const bottom = y + height;
  const bend = 1 - quarter;
  const steps: Step[] = [["M", x + upperLeft, y]];
  steps.push(["L", right - upperRight, y]);
  if (upperRight > 0) {
    steps.push(["C", right - bend * upperRight, y, right, y + bend * upperRight, right, y + upperRight]);
  }
  steps.push(["L", right, bottom - lowerRight]);
  if (lowerRight > 0) {
    steps.push(["C", right, bottom - bend * lowerRight, right - bend * lowerRight, bottom, right - lowerRight, bottom]);
  }
  steps.push(["L", x + lowerLeft, bottom]);
  if (lowerLeft > 0)
    steps.push(["C", x + bend * lowerLeft, bottom, x, bottom - bend * lowerLeft, x, bottom - lowerLeft]);
  steps.push(["L", x, y + upperLeft]);
  if (upperLeft > 0) steps.push(["C", x, y + bend * upperLeft, x + bend * upperLeft, y, x + upperLeft, y]);
  steps.push(["Z"]);
  return steps;
}

/** The path with every point scaled, then moved. */
export function transformed(path: Path, { scale, x, y }: { scale: number; x: number; y: number }): Step[] {
  const atX = (value: number) => value * scale + x;
  const atY = (value: number) => value * scale + y;
  return path.map((step): Step => {
    if (step[0] === "Z") return step;
    if (step[0] !== "C") return [step[0], atX(step[1]), atY(step[2])];
    const [, x1, y1, x2, y2, endX, endY] = step;
    return ["C", atX(x1), atY(y1), atX(x2), atY(y2), atX(endX), atY(endY)];
  });
}
