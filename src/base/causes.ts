/** A longer chain of causes would be a cycle. */
const causesMax = 5;

/** An error and its causes, the error first; empty for a value that is not an error. */
export function* withCauses(error: unknown): Generator<Error> {
  let current = error;
  for (let depth = 0; depth <= causesMax && current instanceof Error; depth++) {
    yield current;
    current = current.cause;
  }
}

/** The code that the system or a database gave an error, such as "ENOSPC"; empty without one. */
export function errorCode(error: Error): string {
  return "code" in error ? String(error.code) : "";
}
