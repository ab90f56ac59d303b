/** Values of path parameters by name. */
export type PathParameters = Record<string, string>;

/** A request; `parameters` override those of the world. */
export type CostlyRequest = {
  parameters?: PathParameters;
  query?: string;
  body?: string;
  headers?: Record<string, string>;
};

/** The objects that all rounds share, and functions that create the objects that a request consumes. */
export type World = {
  parameters: PathParameters;
  /** Calls an operation of the API as the owner and returns the response; throws for an error. */
  call(method: string, path: string, body?: unknown): Promise<Created>;
  /** A member of the first workspace: the user's id and token. */
  join(): Promise<{ userId: string; token: string }>;
  /** Returns the headers of the owner's browser after another sign-in. */
  signIn(): Promise<Record<string, string>>;
  /** Like call, but as another user. */
  callAs(token: string, method: string, path: string, body?: unknown): Promise<Created>;
};

/** Fields of a response that later requests use. */
export type Created = { id: string; url: string; ids: string[]; updatedAts: string[] };

/** Requests by operation. */
export type Requests = Record<string, (world: World) => CostlyRequest | Promise<CostlyRequest>>;
