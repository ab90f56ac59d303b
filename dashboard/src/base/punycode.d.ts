/**
 * The part we use of a package without types. The types of `punycode` are hidden by the runtime's module of that name.
 */
declare module "punycode.js" {
  /**
   * Decodes the punycode labels of a domain; other labels stay unchanged.
   * Throws RangeError for a label that starts like punycode and is invalid.
   */
  export function toUnicode(domain: string): string;
}
