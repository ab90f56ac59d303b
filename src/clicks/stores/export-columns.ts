/** The columns of an export, in the order of the file. All formats and all engines have the same. */
export const exportColumns = [
  ...["id", "timestamp", "linkId", "domain", "key", "url", "country", "region", "city", "continent"],
  ...["device", "browser", "os", "referer", "refererUrl", "language", "trigger", "qr", "bot", "visitor"],
  ...["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"],
] as const;

/**
 * The characters that begin a formula in a spreadsheet: also the apostrophe that prevents one, and the full-width forms
 * that some programs accept.
 *
 * A visitor chooses some values of a click, such as utm_source, and must not run a formula on the machine that opens
 * a CSV file. A leading apostrophe turns the value into text. Values that begin with an apostrophe get one too, so that
 * a reader can remove the first apostrophe of every value.
 */
export const formulaStarts = ["=", "+", "-", "@", "'", "\t", "\r", "\n", "＝", "＋", "－", "＠"] as const;
