import { z } from "@hono/zod-openapi";
import type { App } from "../app.ts";
import { acceptedValues } from "../base/accept.ts";
import { CallFailure } from "../base/calls.ts";
import { invalid, Problem } from "../base/problem.ts";
import { normalizeDestination } from "../links/destination-url.ts";
import { type Color, colorDescription, colorPattern, readColor } from "../qr-codes/color.ts";
import {
  type Format,
  formats,
  levels,
  marginDefault,
  marginMax,
  type QrCodeRequest,
  sizePxDefault,
  sizePxMax,
  sizePxMin,
  textBytesMax,
  widthMmDefault,
  widthMmMax,
  widthMmMin,
} from "../qr-codes/qr-code.ts";
import { cornerShapes, dotShapes, frames, frameTextCharactersMax } from "../qr-codes/qr-style.ts";
import { isServing } from "../redirects/lookup.ts";
import { queryFlag, queryInteger } from "./field-schemas.ts";
import { publicEndpointUsing } from "./http/endpoint.ts";
import { bodyTag, matchesTag, readTags } from "./http/entity-tag.ts";
import { ignored } from "./http/ignored-names.ts";
import { Reply } from "./http/reply.ts";

const publicEndpoint = publicEndpointUsing({
  tag: "QR codes",
  uses: ["config", "db", "metrics", "now", "qrCodes", "redirects"],
});

/** One hour: a changed logo appears by then, and a page with QR codes does not reload them at every visit. */
const cacheSeconds = 3_600;
/** Part of every ETag. Increase it when the drawing changes. */
const drawingVersion = 2;

const types: Record<Format, string> = { png: "image/png", svg: "image/svg+xml", pdf: "application/pdf" };

/** A color in a query, with its fallback. */
function color(fallback: string, description: string) {
  return z
    .string()
    .transform((text, context): Color => {
      const read = readColor(text);
      if (read !== undefined) return read;
      context.addIssue({ code: "custom", message: `must be ${colorDescription}` });
      return z.NEVER;
    })
    .prefault(fallback)
    .openapi({ type: "string", pattern: colorPattern, default: fallback, description });
}

/** One of the names of a style, the first by default. */
function oneOf<const Names extends readonly [string, ...string[]]>(names: Names, description: string) {
  const fallback: Names[number] = names[0];
  return z
    .enum(names, `must be one of ${names.join(", ")}`)
    .optional()
    .transform((name) => name ?? fallback)
    .openapi({ type: "string", enum: [...names], default: fallback, description });
}

const QrQuery = z.object({
  url: z
    .string("is missing; it must be the URL that the QR code contains")
    .trim()
    .min(1, "must not be empty")
    .max(textBytesMax.L, `must have at most ${textBytesMax.L} characters`)
    .openapi({
      description: "The URL that the code contains. Percent-encode it, so that its `&` does not end the parameter.",
      example: "https://go.example.com/spring?qr=1",
    }),
  format: z
    .enum(formats, `must be one of ${formats.join(", ")}`)
    .optional()
    .openapi({
      description:
        "`png`, unless the Accept header prefers `image/svg+xml` to `image/png`. `pdf` is a vector drawing for print.",
    }),
  size: queryInteger(sizePxMin, sizePxMax)
    .prefault(String(sizePxDefault))
    .openapi({ default: sizePxDefault, description: "The width in pixels. A frame adds to the height." }),
  level: z
    .enum(levels, `must be one of ${levels.join(", ")}`)
    .default("L")
    .openapi({
      description: "The part that may be unreadable: 7% (L), 15% (M), 25% (Q) or 30% (H). A logo requires H.",
    }),
  fgColor: color("#000000", "3, 6 or 8 hex digits; the last two of 8 are the opacity."),
  bgColor: color("#FFFFFF", "As fgColor."),
  margin: queryInteger(0, marginMax)
    .prefault(String(marginDefault))
    .openapi({ default: marginDefault, description: "The minimum number of empty modules on each side." }),
  dots: oneOf(dotShapes, "The shape of the modules."),
  corners: oneOf(cornerShapes, "The shape of the three squares in the corners."),
  frame: oneOf(
    frames,
    "What surrounds the code: nothing, a line of text, a border with a filled foot, or a label. Every frame has a " +
      "margin of at least 4 modules.",
  ),
  frameText: z
    .string()
    .trim()
    .max(frameTextCharactersMax, `must have at most ${frameTextCharactersMax} characters`)
    .default("")
    .openapi({ description: "The frame's line of text, in Latin, Greek or Cyrillic letters.", example: "Scan me" }),
  widthMm: queryInteger(widthMmMin, widthMmMax)
    .prefault(String(widthMmDefault))
    .openapi({ default: widthMmDefault, description: "The width of a PDF in millimeters, when it is printed." }),
  includeMargin: queryFlag().default(true).openapi({ deprecated: true, description: "false sets the margin to 0." }),
  hideLogo: queryFlag().default(false).openapi({ default: false, description: "Omits the domain's logo." }),
  logo: ignored("Only a logo that was uploaded for the url's domain is drawn."),
});

/** The operation that draws QR codes. */
export const qrCodeEndpoints = [
  publicEndpoint({
    method: "get",
    path: "/qr",
    operationId: "getQrCode",
    summary: "Draw a QR code",
    description:
      "Returns a picture for the `src` of an image: square, unless it has a frame. Its logo is the one that was uploaded for the url's domain; " +
      "the service fetches nothing. Limited per address.",
    querySchema: QrQuery,
    responseSchema: z.string().openapi({ format: "binary" }),
    contentTypes: Object.values(types),
    async handle({ deps, query, request, address }) {
      const { format = preferredFormat(request), url, size, level, fgColor, bgColor, margin, includeMargin } = query;
      const { dots, corners, frame, frameText, widthMm } = query;
      const text = readText(url, deps);
      const qrRequest: QrCodeRequest = {
        text,
        format,
        sizePx: size,
        widthMm,
        level,
        foreground: fgColor,
        background: bgColor,
        margin: includeMargin ? margin : 0,
        style: { dots, corners, frame, text: frameText },
        logo: query.hideLogo ? null : await uploadedLogo(deps, text),
      };
      const tag = await bodyTag(Buffer.from(JSON.stringify([drawingVersion, qrRequest])));
      const headers = {
        ETag: `"${tag}"`,
        "Cache-Control": `public, max-age=${cacheSeconds}`,
        Vary: "Accept",
        "X-Content-Type-Options": "nosniff",
      };
      const known = request.headers.get("if-none-match");
      if (known !== null && matchesTag(readTags("If-None-Match", known), tag)) {
        return new Reply({ kind: "none" }, headers);
      }
      return new Reply({ kind: "bytes", bytes: await draw(deps, qrRequest, address), type: types[format] }, headers);
    },
  }),
];

/** Returns SVG only if the client prefers it, since browsers accept both for images. */
function preferredFormat({ headers }: Request): Format {
  const accepted = acceptedValues(headers.get("accept") ?? "*/*");
  const weightOf = (type: string) => {
    const named = accepted.find(({ value }) => value === type);
    const any = accepted.find(({ value }) => value === "image/*" || value === "*/*");
    return (named ?? any)?.weight ?? 0;
  };
  return weightOf(types.svg) > weightOf(types.png) ? "svg" : "png";
}

/** Returns the url as a normalized destination in ASCII, since scanners guess the encoding of other texts. */
function readText(url: string, deps: Pick<App, "config">): string {
  const written = normalizeDestination(url, "url", deps.config.WAYPOST_APP_SCHEMES);
  return /^[\x21-\x7e]+$/.test(written) ? written : new URL(written).href;
}

/** Returns the uploaded logo of the url's domain if that domain redirects visitors, else null. */
async function uploadedLogo(deps: Pick<App, "db" | "now" | "redirects">, text: string): Promise<string | null> {
  const { lookup, isUnverifiedAllowed } = deps.redirects;
  const domain = await lookup.domain(new URL(text).hostname);
  // A workspace that adds a foreign host must not put its logo on codes for that host.
  if (domain === undefined || !isServing(domain, isUnverifiedAllowed, deps.now())) return null;
  const row = await deps.db.selectFrom("domains").select("logo").where("id", "=", domain.id).executeTakeFirst();
  return row?.logo?.startsWith("data:") === true ? row.logo : null;
}

async function draw(
  deps: Pick<App, "metrics" | "qrCodes">,
  qrRequest: QrCodeRequest,
  address: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const drawing = await deps.qrCodes.draw(qrRequest, address).catch((error: unknown) => {
    if (!(error instanceof CallFailure)) throw error;
    throw new Problem("unavailable", "The QR code could not be drawn; try again.", { cause: error });
  });
  switch (drawing.kind) {
    case "drawn":
      deps.metrics.qrCodes.inc({ format: qrRequest.format });
      return drawing.bytes;
    case "textTooLong":
      throw invalid(
        "url",
        `must have at most ${drawing.bytesMax} characters at error correction level ${qrRequest.level}.`,
      );
    case "sizeTooSmall":
      throw invalid(
        "size",
        `must be at least ${drawing.sizePxMin} for a URL of this length, this margin and this style.`,
      );
    case "charactersMissing":
      throw invalid("frameText", `must not contain ${drawing.characters.join(" ")}, which the font lacks.`);
    case "busy":
      throw new Problem("unavailable", "Too many QR codes are being drawn; try again in a few seconds.");
  }
}
