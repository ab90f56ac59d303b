/** An error that ends a command. The message is one line that says why, and what to do. */
export class CliError extends Error {
  override readonly name = "CliError";
}
