/** Disk faults and kills of the store process. `npm run survive` runs more rounds of the first test. */
import { expect, test } from "bun:test";
import { seededRandom } from "../support/clicks.ts";
import { expectCountedOnce, metric, waitUntilDrained } from "../support/counted-once.ts";
import { Visitors } from "../support/load.ts";
import { withServer } from "../support/server.ts";
import { faultKinds, killStore, surviveFaults } from "../support/store-faults.ts";

const rounds = 5;
const seed = Math.floor(Math.random() * 2 ** 31);
const roundsTimeMaxMs = 480_000;

test.each(faultKinds)(
  "%s, kills and restarts: every click that was not counted as dropped is stored once",
  async (fault) => {
    const outcome = await surviveFaults(fault, { rounds, seed });

    if (outcome.kind === "refused") console.info(`${fault}: this machine cannot cause the fault: ${outcome.reason}`);
    else console.info(`${fault}: ${outcome.answered} clicks answered, ${outcome.dropped} dropped (seed ${seed})`);
  },
  roundsTimeMaxMs,
);

test.skipIf(process.platform !== "linux")(
  "a store process that is killed is started again, and every click is stored once",
  async () => {
    const address = "81.169.145.150";
    const random = seededRandom(seed);
    const visitors = new Visitors({ keys: ["one"], connections: 4, address, random });
    const kills = 6;

    await withServer({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1,::1" }, async (server) => {
      await server.call("POST", "/links", { body: { url: "https://example.com/one", key: "one" } });
      for (let kill = 0; kill < kills; kill++) {
        visitors.start(server.url);
        await Bun.sleep(random() * 500);
        killStore(server);
        await visitors.stop();
      }
      await visitors.visitTimes(server.url, 10);
      await waitUntilDrained(server);
      const restarts = await metric(server, "waypost_restarts_total");
      expect(await server.end("SIGTERM")).toBe(0);

      await expectCountedOnce(server, visitors, { dropped: 0, seed, address });
      expect(restarts[0]).toBeWithin(1, kills + 1);
      expect(server.output()).toContain('"process":"store"');
    });
  },
);
