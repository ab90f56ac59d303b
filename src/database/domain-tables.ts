/** What a check of a domain's ownership record found. */
export const checkOutcomes = ["found", "missing", "different", "unanswered", "taken"] as const;
export type CheckOutcome = (typeof checkOutcomes)[number];

/**
 * The checks of a domain's ownership record. Consecutive checks with the same outcome and status share a row; see
 * domains/domain-checks.ts for the bounds.
 */
export type DomainChecksTable = {
  id: string;
  domainId: string;
  outcome: CheckOutcome;
  /** The domain's status after the check. */
  status: "pending" | "verified" | "failing";
  /** The message of the newest of these checks. */
  message: string;
  /** Checks with this outcome in a row. */
  checks: number;
  firstAt: number;
  lastAt: number;
};
