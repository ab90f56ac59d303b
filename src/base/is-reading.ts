/** True for a method that only reads: GET or HEAD. */
export function isReading({ method }: { method: string }): boolean {
  return method === "GET" || method === "HEAD";
}
