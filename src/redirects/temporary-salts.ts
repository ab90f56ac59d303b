import { createHmac } from "node:crypto";
import { dayMs, utcDay } from "../base/time.ts";
import type { DaySalts } from "../clicks/visitor.ts";

/**
 * Salts for a process that starts while PostgreSQL is down, because only the database has the usual ones. All processes of a
 * service derive the same salts from `secret`, which only their memory holds, so the salts are gone with the service. A
 * visitor counts once more when the service goes on with the database's salts.
 */
export function temporarySalts(secret: string): () => DaySalts {
  const salts = new Map<string, string>();
  return () => {
    const now = Date.now();
    for (const day of [utcDay(now), utcDay(now + dayMs)]) {
      if (!salts.has(day)) salts.set(day, createHmac("sha256", secret).update(day).digest("hex"));
    }
    return salts;
  };
}
