import { Problem, type ProblemCode } from "../../src/base/problem.ts";

/** What the work was refused with; undefined when it was not. Any other failure is thrown on. */
export async function problemOf(work: Promise<unknown>): Promise<{ code: ProblemCode; message: string } | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return { code: error.code, message: error.message };
    throw error;
  }
}
