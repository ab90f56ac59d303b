/**
 * Redirects per second of one core, with recording on, beside a bare Bun.serve that answers 302 from a Map and, where
 * it is installed, nginx with `return 302`. All are measured in the same run, in turns, on the same core, under the
 * same load from the other core; while one is measured, the others are held still.
 *
 *   npm run benchmark:redirect            five rounds of six seconds
 *   npm run benchmark:redirect -- --quick one short round, to see that it works
 */
import { uniformPicks } from "./support/links.ts";
import { startNginx } from "./support/nginx.ts";
import { Bench, connections, printRatios, printSubjects, readOptions, startFilled } from "./support/rounds.ts";
import { pinApart, startServer } from "./support/servers.ts";

const { quick } = readOptions({});
const linksCount = 10_000;
const rounds = quick ? 1 : 5;
const round = { connections, warmUpSeconds: 1, seconds: quick ? 2 : 6 };
const picks = uniformPicks(linksCount, 1_000_000);

const bench = new Bench();
try {
  const nginxServer = await startNginx();
  if (nginxServer === undefined) console.log("nginx is not installed");
  else pinApart(nginxServer);
  const nginx = nginxServer === undefined ? undefined : bench.add("nginx", nginxServer, picks);
  const bareServer = await startServer(["benchmarks/support/bare-server.ts", String(linksCount)], /^(\d+)$/m, {});
  pinApart(bareServer);
  const bare = bench.add("bare", bareServer, picks);
  const wayposts = await startFilled(bench.folder(), { count: linksCount });
  pinApart(wayposts);
  const waypost = bench.add("waypost", wayposts, picks);

  const subjects = nginx === undefined ? [bare, waypost] : [nginx, bare, waypost];
  for (const subject of subjects) await bench.measure(subject, { ...round, seconds: 1 });
  const results = await bench.inTurns(subjects, rounds, (subject) => bench.measure(subject, round));
  printSubjects(results);
  printRatios("ratio to bare Bun.serve + Map", results, { of: waypost, to: bare });
  if (nginx !== undefined) printRatios("ratio to nginx return 302", results, { of: waypost, to: nginx });
} finally {
  await bench.end();
}
