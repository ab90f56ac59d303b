import { Problem } from "../../src/base/problem.ts";

/** The most characters of a problem's message, which repeats only a part of a wrong value. */
const messageCharactersMax = 500;

/** The parsed value; undefined when the input is refused with a short message. Throws any other error. */
export function parsed<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "unprocessable_entity") throw error;
    if (error.message.length > messageCharactersMax) throw error;
    return undefined;
  }
}
