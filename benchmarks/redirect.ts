/**
 * Redirects per second of one core, with recording of clicks, against a bare Bun.serve that answers 302 from a Map and,
 * if it is installed, nginx with `return 302`. The servers are measured in the same run, in turns, on the same core,
 * under the same load from the other core; while one is measured, the others are paused.
 *
 *   npm run benchmark:redirect            25 rounds of two seconds each, after half a minute of warm-up for each
 *                                         server, in which the JIT compiles the hot code. Rounds are short, because the
 *                                         speed of a shared machine changes within seconds
 *   npm run benchmark:redirect -- --quick one short round, only to check that it works
 */
import { uniformPicks } from "./support/links.ts";
import { startNginx } from "./support/nginx.ts";
import { Bench, connections, printRatios, printSubjects, readOptions, startFilled } from "./support/rounds.ts";
import { pinApart, startServer } from "./support/servers.ts";

const { quick } = readOptions({});
const linksCount = 10_000;
const rounds = quick ? 1 : 25;
const round = { connections, warmUpSeconds: 0.5, seconds: 2 };
const warmUps = quick ? 1 : 6;
const warmUp = { connections, warmUpSeconds: 0, seconds: quick ? 1 : 5 };
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
  const waypostServer = await startFilled(bench.folder(), { count: linksCount });
  pinApart(waypostServer);
  const waypost = bench.add("waypost", waypostServer, picks);

  const subjects = nginx === undefined ? [bare, waypost] : [nginx, bare, waypost];
  await bench.inTurns(subjects, warmUps, (subject) => bench.measure(subject, warmUp));
  const results = await bench.inTurns(subjects, rounds, (subject) => bench.measure(subject, round));
  printSubjects(results);
  printRatios("ratio to bare Bun.serve + Map", results, { of: waypost, to: bare });
  if (nginx !== undefined) printRatios("ratio to nginx return 302", results, { of: waypost, to: nginx });
} finally {
  await bench.end();
}
