import { afterAll, expect, test } from "bun:test";
import { drawQrCode } from "./draw-qr-code.ts";
import type { QrCodeRequest } from "./qr-code.ts";
import { openQrCodes } from "./qr-codes.ts";
import { plainStyle } from "./qr-style.ts";

const qrCodes = openQrCodes();
afterAll(() => qrCodes.close());

const client = "203.0.113.7";

const black = { red: 0, green: 0, blue: 0, alpha: 255 };
const request: QrCodeRequest = {
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
  expect(await qrCodes.draw(request, client)).toEqual(await drawQrCode(request));
});

test('a flood is drawn up to a bound, and the rest is "busy"', async () => {
  const flood = await Promise.all(
    Array.from({ length: 1_000 }, () => qrCodes.draw({ ...request, sizePx: 50 }, client)),
  );

  const kinds = flood.map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(["drawn", "busy"]));
  expect((await qrCodes.draw(request, client)).kind).toBe("drawn");
});

test("the picture of one client does not wait for the hundred pictures of another one", async () => {
  let drawn = 0;
  const hundred = Array.from({ length: 100 }, async () => {
    await qrCodes.draw({ ...request, sizePx: 50 }, client);
    drawn++;
  });

  await qrCodes.draw(request, "198.51.100.7");

  expect(drawn).toBeLessThan(10);
  await Promise.all(hundred);
});
