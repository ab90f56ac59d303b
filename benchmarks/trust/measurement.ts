/** One attack or fault, reproduced on a running server: what was measured, and what must hold. */
export type Measurement = {
  /** The attack, as docs/security.md names it. */
  attack: string;
  /** The measured figure with its unit: "1.1 times the quiet p99". */
  measured: string;
  /** What the figure must be: "below 3 times". */
  required: string;
  holds: boolean;
};
