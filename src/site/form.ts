const formBytesMax = 16 * 1024;

/** The fields of a form that a browser has sent; none for what is too long or no form. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  // Browsers always send the length of a form; what comes without is not theirs.
  if (!(length <= formBytesMax)) return new URLSearchParams();
  return new URLSearchParams(await request.text());
}
