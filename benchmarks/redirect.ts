/**
 * Redirects per second of one core, with recording on, beside a bare Bun.serve that answers 302 from a Map and, where
 * it is installed, nginx with `return 302`. All are measured in the same run, in turns, on the same core, under the
 * same load from the other core; while one is measured, the others are held still.
 *
 *   npm run benchmark:redirect            25 rounds of two seconds each, short ones, since the machine changes within seconds;
 *                                         before them each is visited for half a minute, after which all that is to be
 *                                         compiled has been
 *   npm run benchmark:redirect -- --quick one short round, to see that it works
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
  const wayposts = await startFilled(bench.folder(), { count: linksCount });
  pinApart(wayposts);
  const waypost = bench.add("waypost", wayposts, picks);

  const subjects = nginx === undefined ? [bare, waypost] : [nginx, bare, waypost];
  await bench.inTurns(subjects, warmUps, (subject) => bench.measure(subject, warmUp));
  const results = await bench.inTurns(subjects, rounds, (subject) => bench.measure(subject, round));
  printSubjects(results);
  printRatios("ratio to bare Bun.serve + Map", results, { of: waypost, to: bare });
  if (nginx !== undefined) printRatios("ratio to nginx return 302", results, { of: waypost, to: nginx });
} finally {
  await bench.end();
}
