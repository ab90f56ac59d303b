/** What is used of a package without types; those of its twin `punycode` are hidden by the runtime's module of that name. */
declare module "punycode.js" {
  /**
   * A domain with its letters in place of punycode; labels that have none stay as they are.
   * Throws RangeError where a label begins as punycode does and is none.
   */
  export function toUnicode(domain: string): string;
}
