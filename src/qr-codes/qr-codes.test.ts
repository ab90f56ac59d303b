import { afterAll, expect, test } from "bun:test";
import { drawQrCode } from "./draw-qr-code.ts";
import type { QrCodeRequest } from "./qr-code.ts";
import { openQrCodes } from "./qr-codes.ts";
import { plainStyle } from "./qr-style.ts";

const qrCodes = openQrCodes();
afterAll(() => qrCodes.close());

const black = { red: 0, green: 0, blue: 0, alpha: 255 };
const order: QrCodeRequest = {
  text: "https://go.example.com/spring?qr=1",
  format: "png",
  sizePx: 300,
  widthMm: 50,
  level: "M",
  foreground: black,
  background: { ...black, green: 255 },
  margin: 2,
  style: plainStyle,
  logo: null,
};

test("the thread draws what was requested", async () => {
  expect(await qrCodes.draw(order)).toEqual(await drawQrCode(order));
});

test('a flood is drawn up to a bound, and the rest is "busy"', async () => {
  const flood = await Promise.all(Array.from({ length: 1_000 }, () => qrCodes.draw({ ...order, sizePx: 50 })));

  const kinds = flood.map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(["drawn", "busy"]));
  expect((await qrCodes.draw(order)).kind).toBe("drawn");
});
