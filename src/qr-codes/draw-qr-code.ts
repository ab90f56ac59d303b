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
export async function drawQrCode(order: QrCodeRequest): Promise<QrCodeImage> {
  const { frame, text } = order.style;
  const outlined = frame === "none" || text === "" ? undefined : await outlineText(text);
  if (outlined?.kind === "missing") return { kind: "charactersMissing", characters: outlined.characters };
  const outline = outlined?.outline;
  const robust = order.logo === null ? undefined : encodeText(order.text, "H");
  if (order.logo !== null && robust !== undefined) {
    const drawing = await drawModules({ order, modules: robust, outline, logo: order.logo });
    if (drawing !== undefined) return drawing;
  }
  const modules = encodeText(order.text, order.level);
  if (modules === undefined) return { kind: "textTooLong", bytesMax: textBytesMax[order.level] };
  const drawing = await drawModules({ order, modules, outline, logo: undefined });
  return drawing ?? { kind: "sizeTooSmall", sizePxMin: sizePxMinOf({ order, modules, outline }) };
}

type Content = { order: QrCodeRequest; modules: Modules; outline: TextOutline | undefined };

/** The picture; undefined when its modules would be too small, or when the logo cannot be read. */
async function drawModules(content: Content & { logo: string | undefined }): Promise<QrCodeImage | undefined> {
  const { order, modules, logo } = content;
  if (order.format === "pdf" || !isPlain(order.style)) return await drawScene(content);
  if (order.format === "svg") {
    const image = logo === undefined ? undefined : await fitLogo(logo, svgLogoSidePx);
    if (logo !== undefined && image === undefined) return undefined;
    return drawn(drawSvg({ ...order, modules, logo: image }));
  }
  const edges = moduleEdges(modules.length, order.margin, order.sizePx);
  if (edges === undefined) return undefined;
  if (logo === undefined) return drawn(drawPng({ ...order, modules, edges }));
  const image = await fitLogo(logo, logoSidePx({ modules, edges }));
  return image === undefined ? undefined : drawn(drawPngWithLogo({ ...order, modules, edges }, image));
}

async function drawScene({ order, modules, outline, logo }: Content & { logo: string | undefined }) {
  const dark = logo === undefined ? modules : withoutMiddle(modules);
  const scene = layOut({ modules: dark, margin: order.margin, style: order.style, outline });
  const modulePx = order.format === "png" ? modulePxOf(scene, order.sizePx) : undefined;
  if (order.format === "png" && modulePx === undefined) return undefined;
  const sidePx = modulePx === undefined ? svgLogoSidePx : Math.floor(scene.logo.side * modulePx);
  const image = logo === undefined ? undefined : await fitLogo(logo, sidePx);
  if (logo !== undefined && image === undefined) return undefined;
  if (modulePx !== undefined) {
    return drawn(drawStyledPng(scene, order, { widthPx: order.sizePx, modulePx, logo: image }));
  }
  if (order.format === "pdf") return drawn(drawPdf(scene, { ...order, logo: image }));
  return drawn(drawStyledSvg(scene, order, { widthPx: order.sizePx, image }));
}

function drawn(content: string | Uint8Array<ArrayBuffer>): QrCodeImage {
  return { kind: "drawn", bytes: typeof content === "string" ? new TextEncoder().encode(content) : content };
}

function sizePxMinOf({ order, modules, outline }: Content): number {
  if (isPlain(order.style)) return modules.length + 2 * order.margin;
  return Math.ceil(layOut({ modules, margin: order.margin, style: order.style, outline }).width * styledModulePxMin);
}
