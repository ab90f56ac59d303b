/** Something that stops a command, told in one line that says why and what to do. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
