import { messageOf } from "../base/message-of.ts";

/** The expected outermost value of an association file. */
export type JsonShape = "list" | "object";

/** What is wrong with a text that should be JSON. */
export type JsonError =
  | { kind: "syntax"; line: number | undefined; message: string }
  | { kind: "shape"; shape: JsonShape };

/** Checks a text as JSON with the expected outermost value; undefined when it is valid or empty. */
export function jsonErrorIn(text: string, shape: JsonShape): JsonError | undefined {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isRight = shape === "list" ? Array.isArray(value) : isObject(value);
    return isRight ? undefined : { kind: "shape", shape };
  } catch (error) {
    const message = messageOf(error);
    return {
      kind: "syntax",
      line: lineOf(text, message),
      message: message.replace(/^JSON(?: Parse error|\.parse): /, ""),
    };
  }
}

/** Formats JSON with indentation; other text stays unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Browsers report the place differently: by line or by position. */
function lineOf(text: string, message: string): number | undefined {
  const line = /line (\d+)/.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const position = /position (\d+)/.exec(message)?.[1];
  return position === undefined ? undefined : text.slice(0, Number(position)).split("\n").length;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
