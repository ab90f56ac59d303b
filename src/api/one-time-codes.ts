import { z } from "@hono/zod-openapi";
import { confirmPerson } from "../access/confirm-person.ts";
import {
  beginOneTimeCodes,
  codeCharactersMax,
  confirmOneTimeCodes,
  getOneTimeCodes,
  type OneTimeCodesState,
  recoveryCodesCount,
  renewRecoveryCodes,
  turnOffOneTimeCodes,
} from "../access/one-time-codes.ts";
import type { App } from "../app.ts";
import { CallFailure } from "../base/calls.ts";
import { Problem } from "../base/problem.ts";
import { isoTime } from "../base/time.ts";
import { sizePxDefault, widthMmDefault } from "../qr-codes/qr-code.ts";
import { plainStyle } from "../qr-codes/qr-style.ts";
import { confirmation, confirmationExample, confirmingDeps } from "./confirmation.ts";
import { timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { sessionAccess } from "./session-access.ts";
import { ownSession } from "./user.ts";

const endpoint = endpointUsing({ tag: "User", uses: ["attempts", "config", "db", "now", "qrCodes", "signInSeal"] });

const OneTimeCodes = z
  .object({
    isOn: z.boolean().openapi({ description: "Whether signing in with the password also needs a code." }),
    since: timestamp.nullable(),
    recoveryCodesLeft: z.int().openapi({ description: "Unused recovery codes." }),
  })
  .openapi("OneTimeCodes");
const stateExample: z.input<typeof OneTimeCodes> = {
  isOn: true,
  since: "2026-11-20T09:30:00.000Z",
  recoveryCodesLeft: recoveryCodesCount,
};
const offExample: z.input<typeof OneTimeCodes> = { isOn: false, since: null, recoveryCodesLeft: 0 };

const recoveryCodes = z.array(z.string()).openapi({ description: "Each works once. They are shown only now." });
const recoveryExample = { recoveryCodes: ["abcd-efgh-ijkl-mnop", "qrst-uvwx-yz23-4567"] };

const black = { red: 0, green: 0, blue: 0, alpha: 255 };
const white = { red: 255, green: 255, blue: 255, alpha: 255 };

/** The operations on the one-time codes of the caller's user. */
export const oneTimeCodesEndpoints = [
  endpoint({
    ...sessionAccess,
    method: "get",
    path: "/user/one-time-codes",
    operationId: "getOneTimeCodes",
    summary: "Retrieve the state of your one-time codes",
    responseSchema: OneTimeCodes,
    responseExample: stateExample,
    handle: async ({ deps, actor }) => serialize(await getOneTimeCodes(deps, actor.userId)),
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/user/one-time-codes",
    operationId: "beginOneTimeCodes",
    summary: "Begin to set up one-time codes",
    description: "Returns the secret for an authenticator app. Codes are asked for only after you confirm one.",
    returnsSecret: true,
    bodySchema: confirmation,
    bodyExample: confirmationExample,
    responseSchema: z.object({
      secret: z.string().openapi({ description: "In base32, to type into an app." }),
      uri: z.string(),
      qrCode: z.string().openapi({ description: "The URI as an SVG, in a data URL." }),
    }),
    responseExample: {
      secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
      uri: "otpauth://totp/links.example.com:ann%40example.com?issuer=links.example.com&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30",
      qrCode: "data:image/svg+xml;base64,PHN2Zy8+",
    },
    problems: ["conflict"],
    async handle({ deps, actor, body, request, address }) {
      await confirmPerson(confirmingDeps(deps, request), ownSession(actor), body.currentPassword);
      const codes = { db: deps.db, seal: deps.signInSeal };
      const begun = await beginOneTimeCodes(codes, ownSession(actor), deps.config.WAYPOST_URL.hostname);
      return { ...begun, qrCode: await drawUri(deps, begun.uri, address) };
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/user/one-time-codes/confirm",
    operationId: "confirmOneTimeCodes",
    summary: "Turn one-time codes on",
    description: "Confirms that your app shows the right codes. Ends your other sessions.",
    returnsSecret: true,
    bodySchema: z.object({
      code: z.string().max(codeCharactersMax, `must have at most ${codeCharactersMax} characters`),
    }),
    bodyExample: { code: "123456" },
    responseSchema: z.object({ recoveryCodes }),
    responseExample: recoveryExample,
    problems: ["conflict"],
    async handle({ deps, actor, body }) {
      const codes = { db: deps.db, now: deps.now, seal: deps.signInSeal, limits: deps.attempts.secondFactor };
      return { recoveryCodes: await confirmOneTimeCodes(codes, ownSession(actor), body.code) };
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/user/one-time-codes/turn-off",
    operationId: "turnOffOneTimeCodes",
    summary: "Turn one-time codes off",
    description: "Deletes the recovery codes, too.",
    bodySchema: confirmation,
    bodyExample: confirmationExample,
    responseSchema: OneTimeCodes,
    responseExample: offExample,
    problems: ["conflict"],
    async handle({ deps, actor, body, request }) {
      await confirmPerson(confirmingDeps(deps, request), ownSession(actor), body.currentPassword);
      return serialize(await turnOffOneTimeCodes(deps, ownSession(actor)));
    },
  }),
  endpoint({
    ...sessionAccess,
    method: "post",
    path: "/user/recovery-codes",
    operationId: "renewRecoveryCodes",
    summary: "Replace your recovery codes",
    description: "The earlier ones stop working.",
    returnsSecret: true,
    bodySchema: confirmation,
    bodyExample: confirmationExample,
    responseSchema: z.object({ recoveryCodes }),
    responseExample: recoveryExample,
    problems: ["conflict"],
    async handle({ deps, actor, body, request }) {
      await confirmPerson(confirmingDeps(deps, request), ownSession(actor), body.currentPassword);
      return { recoveryCodes: await renewRecoveryCodes(deps, ownSession(actor)) };
    },
  }),
];

function serialize({ since, recoveryCodesLeft }: OneTimeCodesState): z.input<typeof OneTimeCodes> {
  return { isOn: since !== null, since: since === null ? null : isoTime(since), recoveryCodesLeft };
}

/** Dark on light in every theme: scanners need it. */
async function drawUri({ qrCodes }: Pick<App, "qrCodes">, text: string, address: string): Promise<string> {
  const look = { foreground: black, background: white, margin: 2, style: plainStyle, logo: null } as const;
  const qrRequest = {
    text,
    format: "svg",
    sizePx: sizePxDefault,
    widthMm: widthMmDefault,
    level: "M",
    ...look,
  } as const;
  const drawing = await qrCodes.draw(qrRequest, address).catch((error: unknown) => {
    if (!(error instanceof CallFailure)) throw error;
    throw new Problem("unavailable", "The QR code could not be drawn; try again.", { cause: error });
  });
  if (drawing.kind === "drawn") return `data:image/svg+xml;base64,${Buffer.from(drawing.bytes).toString("base64")}`;
  throw new Problem("unavailable", "Too many QR codes are being drawn; try again in a few seconds.");
}
