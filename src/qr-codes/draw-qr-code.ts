import { drawPng, drawPngWithLogo, logoSidePx } from "./draw-png.ts";
import { drawSvg, svgLogoSidePx } from "./draw-svg.ts";
import { fitLogo } from "./logo.ts";
import {
  encodeText,
  type Modules,
  moduleEdges,
  type QrCodeImage,
  type QrCodeRequest,
  textBytesMax,
} from "./qr-code.ts";

/**
 * Draws a QR code. A logo raises the level to H, which tolerates the modules that the logo covers. If the text is too
 * long for that level, or the logo cannot be read, the code is drawn without it.
 */
export async function drawQrCode(order: QrCodeRequest): Promise<QrCodeImage> {
  const robust = order.logo === null ? undefined : encodeText(order.text, "H");
  if (order.logo !== null && robust !== undefined) {
    const drawing = await drawWith(order, robust, order.logo);
    if (drawing !== undefined) return drawing;
  }
  const modules = encodeText(order.text, order.level);
  if (modules === undefined) return { kind: "textTooLong", bytesMax: textBytesMax[order.level] };
  if (order.format === "svg") return svg(order, modules, undefined);
  const edges = moduleEdges(modules.length, order.margin, order.sizePx);
  if (edges === undefined) return { kind: "sizeTooSmall", sizePxMin: modules.length + 2 * order.margin };
  return { kind: "drawn", bytes: drawPng({ ...order, modules, edges }) };
}

/** The code with a logo; undefined when it has no room for one, or when the logo cannot be read. */
async function drawWith(order: QrCodeRequest, modules: Modules, dataUrl: string): Promise<QrCodeImage | undefined> {
  if (order.format === "svg") {
    const logo = await fitLogo(dataUrl, svgLogoSidePx);
    return logo === undefined ? undefined : svg(order, modules, logo);
  }
  const edges = moduleEdges(modules.length, order.margin, order.sizePx);
  if (edges === undefined) return undefined;
  const logo = await fitLogo(dataUrl, logoSidePx({ modules, edges }));
  return logo === undefined ? undefined : { kind: "drawn", bytes: drawPngWithLogo({ ...order, modules, edges }, logo) };
}

function svg(order: QrCodeRequest, modules: Modules, logo: Uint8Array | undefined): QrCodeImage {
  return { kind: "drawn", bytes: new TextEncoder().encode(drawSvg({ ...order, modules, logo })) };
}
