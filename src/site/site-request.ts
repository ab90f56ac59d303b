/** A request to the app's host, its peer's address, and whether the service is stopping. */
export type SiteRequest = { request: Request; peer: string; isClosing: boolean };
