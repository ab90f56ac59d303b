import { z } from "@hono/zod-openapi";
import { avatarBytesMax } from "../access/avatar-image.ts";

/** Characters of a data URL with avatarBytesMax in base64. */
const imageCharactersMax = Math.ceil(avatarBytesMax / 3) * 4 + 100;

/** The body that uploads an avatar of a workspace or a user. */
export const avatarBody = z.object({
  image: z.string().max(imageCharactersMax, `must be an image of at most ${avatarBytesMax} bytes`),
});

/** An avatar of one pixel. */
export const avatarExample = {
  image:
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

/** The field of a user's avatar. */
export const userAvatarUrl = z.string().nullable().openapi({
  example: "https://links.example.com/app/user-avatars/4Gq2vX9bT0sKw7JcZy1mRa.png",
  description: "An uploaded picture, for browsers in which a member of a common workspace is signed in; else null.",
});

/** The URL of a user's avatar; null without one. */
export function userAvatarUrlOf(file: string | null, appUrl: URL): string | null {
  return file === null ? null : new URL(`/app/user-avatars/${file}`, appUrl).href;
}
