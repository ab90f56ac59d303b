import { findAvatar } from "../access/avatars.ts";
import type { App } from "../app.ts";
import { imageHeaders } from "./image-headers.ts";
import { cacheForever } from "./static-files.ts";

const sizePx = 96;
const cells = 5;

/**
 * The avatar of a workspace; no sign-in is needed. `<id>.svg` is a generated symmetric pattern that depends on the id
 * alone, so it reveals nothing and never changes; other names are uploaded images.
 */
export async function avatar(app: Pick<App, "db">, file: string): Promise<Response> {
  const id = /^(\d{1,9})\.svg$/.exec(file)?.[1];
  if (id !== undefined) {
    return new Response(draw(id), {
      headers: { "Content-Type": "image/svg+xml", ...imageHeaders, "Cache-Control": "public, max-age=86400" },
    });
  }
  const uploaded = /^\d{1,9}-[0-9a-f]{32}\.(png|jpg|webp)$/.test(file) ? await findAvatar(app, file) : undefined;
  if (uploaded === undefined) return new Response(null, { status: 404 });
  return new Response(uploaded.bytes, { headers: { "Content-Type": uploaded.type, ...uploadedHeaders } });
}

/** Each image has its own name. */
const uploadedHeaders = { ...imageHeaders, "Cache-Control": cacheForever };

function draw(id: string): string {
  const digest = new Bun.CryptoHasher("sha256").update(`workspace ${id}`).digest();
  const hue = Math.round(((digest[0] ?? 0) / 256) * 360);
  const cellPx = sizePx / (cells + 2);
  const halfWidth = Math.ceil(cells / 2);
  const squares: string[] = [];
  for (let row = 0; row < cells; row++) {
    for (let column = 0; column < cells; column++) {
      const mirrored = column < halfWidth ? column : cells - 1 - column;
      const isFilled = ((digest[1 + row * halfWidth + mirrored] ?? 0) & 1) === 1;
      if (!isFilled) continue;
      const x = ((column + 1) * cellPx).toFixed(2);
      const y = ((row + 1) * cellPx).toFixed(2);
      squares.push(`<rect x="${x}" y="${y}" width="${cellPx.toFixed(2)}" height="${cellPx.toFixed(2)}"/>`);
    }
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${sizePx}" height="${sizePx}" viewBox="0 0 ${sizePx} ${sizePx}">` +
    `<rect width="100%" height="100%" fill="hsl(${hue} 60% 92%)"/><g fill="hsl(${hue} 60% 42%)">${squares.join("")}</g></svg>`
  );
}
