import { expect, test } from "bun:test";
import { send } from "./acme-transport.ts";

test.each([404, 502])(
  "a response %i without a problem is reported with its address, so that a wrong directory shows",
  async (status) => {
    using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("<html>", { status }) });
    const url = `http://127.0.0.1:${server.port}/directry`;

    const answer = send({ url, method: "GET", headers: {}, body: undefined, roots: undefined });

    await expect(answer).rejects.toThrow(`127.0.0.1:${server.port}/directry: the authority answered ${status}.`);
  },
);
