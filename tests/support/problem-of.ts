import { Problem, type ProblemCode } from "../../src/base/problem.ts";

/** The problem with which work is refused; undefined if it succeeds. Rethrows other errors. */
export async function problemOf(work: Promise<unknown>): Promise<{ code: ProblemCode; message: string } | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return { code: error.code, message: error.message };
    throw error;
  }
}
