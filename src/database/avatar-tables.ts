/** Avatars of users, one each at most. */
export type UserAvatarsTable = {
  userId: string;
  /** A random name; a new image has a new one. */
  file: string;
  /** The media type, detected from the image. */
  type: string;
  /** Base64: both engines store texts. */
  image: string;
};

/** Uploaded avatars, one per workspace at most. */
export type AvatarsTable = {
  /** The same as workspaces.avatarFile; a new image has a new name. */
  file: string;
  workspaceId: number;
  /** The media type, detected from the image. */
  type: string;
  /** Base64. */
  image: string;
};
