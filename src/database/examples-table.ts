/** Example workspaces: at most one for each user; see schema.ts. */
export type ExamplesTable = {
  workspaceId: number;
  userId: string;
  /** Under this name the click store knows the batches of the example's clicks. */
  spoolId: string;
  createdAt: number;
  /** null until its links and clicks exist. */
  filledAt: number | null;
};
