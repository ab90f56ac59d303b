/** Something that stops a command, told in one line that says why and what to do. */
export class CliError extends Error {
  override readonly name = "CliError";
}
