/** The reference: Bun.serve that answers 302 from a Map, and nothing else. Prints its port. */
import { destinationOf, keyOf } from "./links.ts";

const links = new Map<string, string>();
const count = Number(process.argv[2]);
for (let number = 0; number < count; number++) links.set(`/${keyOf(number)}`, destinationOf(number));

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch(request) {
    const url = request.url;
    const destination = links.get(url.slice(url.indexOf("/", 8)));
    if (destination === undefined) return new Response(null, { status: 404 });
    return new Response(null, {
      status: 302,
      headers: { Location: destination, "Cache-Control": "private, no-store" },
    });
  },
});
console.log(server.port);
