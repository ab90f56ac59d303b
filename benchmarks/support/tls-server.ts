/**
 * Waypost with TLS, for benchmarks: links on one domain, and the certificate that the parent process names. Arguments: the
 * files of the chain and of the key, and the number of links. Prints its HTTPS port.
 */
import { readFileSync } from "node:fs";
import { openTlsService } from "../../tests/support/tls-service.ts";
import { destinationOf, keyOf } from "./links.ts";

const [chain = "", privateKey = "", count = "0"] = process.argv.slice(2);
const domain = "localhost.example.com";
const service = await openTlsService({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1" });
const certificate = { chain: readFileSync(chain, "utf8"), privateKey: readFileSync(privateKey, "utf8") };
await service.addDomain(domain);
const links = Array.from({ length: Number(count) }, (_, number) => ({
  url: destinationOf(number),
  key: keyOf(number),
  domain,
}));
for (let start = 0; start < links.length; start += 100) {
  await service.call("POST", "/links/bulk", links.slice(start, start + 100));
}
// The load generators send the name that they connect to.
for (const name of ["localhost", domain]) service.certificates.byName.set(name, certificate);
console.log(`https port ${new URL(service.urls.https).port}`);
