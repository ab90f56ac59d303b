import { type ImageType, imageSize } from "../base/image-size.ts";
import { invalid } from "../base/problem.ts";

/** Bytes of an avatar; in base64 they fit into a body of 64 KiB. A picture of 256 pixels has fewer. */
export const avatarBytesMax = 45 * 1024;
/** Pixels of a side: a small file may hold a huge picture, which would cost every browser that shows it its memory. */
const avatarSidePxMax = 1_024;

/** An image that a client uploads; its bytes decide the type and the extension of its file. */
type AvatarImage = { type: ImageType; extension: string; bytes: Uint8Array };

/**
 * The image in a data URL in base 64.
 * Throws "unprocessable_entity" unless it is a PNG, JPEG or WebP of at most avatarBytesMax and avatarSidePxMax.
 */
export function readAvatarImage(image: string): AvatarImage {
  const bytes = bytesOf(image);
  const { type, extension } = kindOf(bytes);
  const size = imageSize(type, bytes);
  if (size === undefined || Math.max(size.width, size.height) > avatarSidePxMax) throw invalid("image", expectedImage);
  return { type, extension, bytes };
}

const expectedImage = `must be a PNG, JPEG or WebP image of at most ${avatarBytesMax} bytes and ${avatarSidePxMax} pixels a side, as a base64 data URL such as data:image/png;base64,iVBORw0KG….`;

function bytesOf(image: string): Uint8Array {
  const comma = image.indexOf(",");
  const isDataUrl = /^data:[\w.+/-]*;base64$/i.test(image.slice(0, comma === -1 ? 0 : comma));
  const text = image.slice(comma + 1);
  if (!isDataUrl || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw invalid("image", expectedImage);
  const bytes = Buffer.from(text, "base64");
  if (bytes.byteLength > avatarBytesMax) throw invalid("image", expectedImage);
  return bytes;
}

/** TABLE of image types with their magic numbers, in hex, at byte offsets. The type in the data URL is not trusted. */
const kinds: readonly { type: ImageType; extension: string; magic: readonly [offset: number, hex: string][] }[] = [
  { type: "image/png", extension: "png", magic: [[0, "89504e470d0a1a0a"]] },
  { type: "image/jpeg", extension: "jpg", magic: [[0, "ffd8ff"]] },
  {
    type: "image/webp",
    extension: "webp",
    magic: [
      [0, "52494646"],
      [8, "57454250"],
    ],
  },
];

function kindOf(bytes: Uint8Array): { type: ImageType; extension: string } {
  const hex = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  const kind = kinds.find(({ magic }) => magic.every(([offset, bytes]) => hex.startsWith(bytes, offset * 2)));
  if (kind === undefined) throw invalid("image", expectedImage);
  return kind;
}
