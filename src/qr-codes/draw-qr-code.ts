import { drawPdf } from "./draw-pdf.ts";
import { drawPng, drawPngWithLogo, logoSidePx } from "./draw-png.ts";
import { drawStyledPng, drawStyledSvg, modulePxOf } from "./draw-styled.ts";
import { drawSvg, svgLogoSidePx } from "./draw-svg.ts";
import { outlineText, type TextOutline } from "./frame-text.ts";
import { fitLogo } from "./logo.ts";
import {
  encodeText,
  type Modules,
  moduleEdges,
  type QrCodeImage,
  type QrCodeRequest,
  styledModulePxMin,
  textBytesMax,
  withoutMiddle,
} from "./qr-code.ts";
import { isPlain } from "./qr-style.ts";
import { layOut } from "./scene.ts";

/**
 * Draws a QR code. A logo raises the level to H, which tolerates the modules that the logo covers. If the text is too
 * long for that level, or the logo cannot be read, the code is drawn without it.
 */
export async function drawQrCode(request: QrCodeRequest): Promise<QrCodeImage> {
  const { frame, text } = request.style;
  const outlined = frame === "none" || text === "" ? undefined : await outlineText(text);
  if (outlined?.kind === "missing") return { kind: "charactersMissing", characters: outlined.characters };
  const outline = outlined?.outline;
  const robust = request.logo === null ? undefined : encodeText(request.text, "H");
  if (request.logo !== null && robust !== undefined) {
    const drawing = await drawModules({ request, modules: robust, outline, logo: request.logo });
    if (drawing !== undefined) return drawing;
  }
  const modules = encodeText(request.text, request.level);
  if (modules === undefined) return { kind: "textTooLong", bytesMax: textBytesMax[request.level] };
  const drawing = await drawModules({ request, modules, outline, logo: undefined });
  return drawing ?? { kind: "sizeTooSmall", sizePxMin: sizePxMinOf({ request, modules, outline }) };
}

type Content = { request: QrCodeRequest; modules: Modules; outline: TextOutline | undefined };

/** The picture; undefined when its modules would be too small, or when the logo cannot be read. */
async function drawModules(content: Content & { logo: string | undefined }): Promise<QrCodeImage | undefined> {
  const { request, modules, logo } = content;
  if (request.format === "pdf" || !isPlain(request.style)) return await drawScene(content);
  if (request.format === "svg") {
    const image = logo === undefined ? undefined : await fitLogo(logo, svgLogoSidePx);
    if (logo !== undefined && image === undefined) return undefined;
    return drawn(drawSvg({ ...request, modules, logo: image }));
  }
  const edges = moduleEdges(modules.length, request.margin, request.sizePx);
  if (edges === undefined) return undefined;
  if (logo === undefined) return drawn(drawPng({ ...request, modules, edges }));
  const image = await fitLogo(logo, logoSidePx({ modules, edges }));
  return image === undefined ? undefined : drawn(drawPngWithLogo({ ...request, modules, edges }, image));
}

async function drawScene({ request, modules, outline, logo }: Content & { logo: string | undefined }) {
  const dark = logo === undefined ? modules : withoutMiddle(modules);
  const scene = layOut({ modules: dark, margin: request.margin, style: request.style, outline });
  const modulePx = request.format === "png" ? modulePxOf(scene, request.sizePx) : undefined;
  if (request.format === "png" && modulePx === undefined) return undefined;
  const sidePx = modulePx === undefined ? svgLogoSidePx : Math.floor(scene.logo.side * modulePx);
  const image = logo === undefined ? undefined : await fitLogo(logo, sidePx);
  if (logo !== undefined && image === undefined) return undefined;
  if (modulePx !== undefined) {
    return drawn(drawStyledPng(scene, request, { widthPx: request.sizePx, modulePx, logo: image }));
  }
  if (request.format === "pdf") return drawn(drawPdf(scene, { ...request, logo: image }));
  return drawn(drawStyledSvg(scene, request, { widthPx: request.sizePx, image }));
}

function drawn(content: string | Uint8Array<ArrayBuffer>): QrCodeImage {
  return { kind: "drawn", bytes: typeof content === "string" ? new TextEncoder().encode(content) : content };
}

function sizePxMinOf({ request, modules, outline }: Content): number {
  if (isPlain(request.style)) return modules.length + 2 * request.margin;
  return Math.ceil(
    layOut({ modules, margin: request.margin, style: request.style, outline }).width * styledModulePxMin,
  );
}
