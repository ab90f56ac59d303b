/** What an association file is expected to hold at its top. */
export type JsonShape = "list" | "object";

/** What is wrong with a text that is to hold JSON; undefined when nothing is, or when there is none. */
export type JsonError =
  | { kind: "syntax"; line: number | undefined; message: string }
  | { kind: "shape"; shape: JsonShape };

/** Reads a text as JSON and looks at its outermost part. */
export function jsonErrorIn(text: string, shape: JsonShape): JsonError | undefined {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isRight = shape === "list" ? Array.isArray(value) : isObject(value);
    return isRight ? undefined : { kind: "shape", shape };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      kind: "syntax",
      line: lineOf(text, message),
      message: message.replace(/^JSON(?: Parse error|\.parse): /, ""),
    };
  }
}

/** The text in the usual form, or as it is where it is no JSON. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Browsers say where it is in words of their own: by the line, or by the position. */
function lineOf(text: string, message: string): number | undefined {
  const line = /line (\d+)/.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const position = /position (\d+)/.exec(message)?.[1];
  return position === undefined ? undefined : text.slice(0, Number(position)).split("\n").length;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
