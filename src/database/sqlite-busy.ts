/** How long a statement blocks its thread while another connection writes, before it fails. */
export const busyTimeoutMs = 5_000;
