import { expect, test } from "bun:test";
import { openLog } from "../src/base/log.ts";
import { openPublicListener } from "../src/http1/public-listener.ts";
import { redirectHandlerFor } from "../src/redirects/redirect-handler.ts";
import { askRaw } from "./support/raw-connection.ts";
import { eventually } from "./support/server.ts";
import { instanceHost, openTlsService } from "./support/tls-service.ts";

/** The runtime checks every four seconds: with a timeout of less than five, it may close a connection before it has read the request. */
const idleTimeoutSeconds = 8;

test("a visit that got an error because its answer took too long is not counted", async () => {
  const service = await openTlsService();
  const { redirects } = service.app;
  await service.call("POST", "/links", { url: "https://example.com/", key: "k", password: "sesame" });
  const checkable = Promise.withResolvers<void>();
  const slow: typeof redirects = {
    ...redirects,
    async checkPassword(...given) {
      await checkable.promise;
      return await redirects.checkPassword(...given);
    },
  };
  const listener = openPublicListener({
    ...{ kind: "ports", port: 0, hostname: "127.0.0.1", idleTimeoutSeconds, log: openLog("error") },
    to: { kind: "port", port: Number(new URL(service.urls.plain).port) },
  });
  listener.startAnswering(redirectHandlerFor(slow, { appHost: instanceHost, servesAnyHost: false }));
  const visit = async (agent: string) => {
    const head = `GET /k?pw=sesame HTTP/1.1\r\nHost: ${instanceHost}\r\nUser-Agent: ${agent}\r\nConnection: close\r\n\r\n`;
    return (await askRaw(`http://127.0.0.1:${listener.port}`, head)).status;
  };
  const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0";

  const late = await visit(`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36`);
  checkable.resolve();
  const answered = await visit(`Mozilla/5.0 (Linux; Android 14; Pixel 8) ${chrome} Mobile Safari/537.36`);

  expect([late, answered]).toEqual([503, 302]);
  // Clicks are stored in the order of their visits.
  const devices = await eventually(
    async () => (await service.call("GET", "/analytics?groupBy=devices")) as object[],
    (rows) => rows.length > 0,
  );
  expect(devices).toMatchObject([{ device: "Mobile", clicks: 1 }]);
  listener.close();
  await service.close();
});
