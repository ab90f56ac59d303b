/** OPTIONS lists the methods of the path; any other method gets 405. */
export function refuseMethod({ method }: Request, methods: readonly string[]): Response {
  const headers = { Allow: [...methods, "OPTIONS"].join(", ") };
  if (method === "OPTIONS") return new Response(null, { status: 204, headers });
  return new Response(`This page has the methods ${headers.Allow}.\n`, { status: 405, headers });
}
