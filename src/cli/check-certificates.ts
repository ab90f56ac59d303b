import { z } from "zod";
import type { CheckResult } from "../admin/check-result.ts";
import { callServer } from "../admin/socket.ts";
import { certificateStates } from "../certificates/certificate.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";

/** Failing names in the result at most; `waypost certificates list` shows all. */
const namedMax = 3;

const Certificate = z.object({
  name: z.string(),
  state: z.enum(certificateStates),
  notAfter: z.string().nullable(),
  problem: z.string().nullable(),
});

/** Checks the certificates that a running server orders. Returns no result without a running server. */
export async function checkCertificates(config: Config): Promise<CheckResult[]> {
  const called = await callServer(dataPaths(config).adminSocket, "certificates list", {});
  return called.kind === "result" ? [certificatesResult(z.array(Certificate).parse(called.result))] : [];
}

/**
 * The check of these certificates: it fails when an attempt to order or renew one failed, or one has expired. A name
 * that waits for its owner's DNS records fails nothing.
 */
export function certificatesResult(certificates: readonly z.output<typeof Certificate>[]): CheckResult {
  const check = "certificates";
  const failing = certificates.filter(({ state }) => isFailing(state));
  if (failing.length > 0) {
    const named = failing.slice(0, namedMax).map(({ name, problem }) => `${name} (${problem ?? "expired"})`);
    const others = failing.length > namedMax ? `, and ${failing.length - namedMax} more` : "";
    const detail = `${named.join(", ")}${others} failed or expired; waypost certificates list shows the next attempts`;
    return { check, ok: false, detail };
  }
  const [first] = certificates.flatMap(({ notAfter }) => notAfter ?? []).sort();
  if (first === undefined) return { check, ok: true, detail: "none has been ordered" };
  const valid = certificates.filter(({ state }) => state === "valid").length;
  return { check, ok: true, detail: `${valid} valid; the first expires ${first}` };
}

function isFailing(state: (typeof certificateStates)[number]): boolean {
  switch (state) {
    case "renewalFailed":
    case "failed":
    case "expired":
      return true;
    case "valid":
    case "waiting":
    case "ordering":
      return false;
  }
}
